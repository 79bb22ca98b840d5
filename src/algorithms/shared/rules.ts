/** What the members of Maekawa's family decide each for itself; `arbiter.ts` does the rest. */
import type { NodeId, World } from '../../core/algorithm.ts';
import type { OptionDeclarations } from '../../core/option.ts';
import type { TopologyKind } from '../../core/topology.ts';
import type { State } from './votes.ts';

// biome-ignore lint/complexity/noBannedTypes: no options is the empty record
export type None = {};
/** What a site knows before it acts. */
export type Seat<T extends TopologyKind, O extends OptionDeclarations> = World<T, O> & {
  readonly me: NodeId;
};

export interface Rules<T extends TopologyKind, O extends OptionDeclarations = None> {
  /** A quorum for this site all of whose members qualify; undefined where there is none. */
  readonly quorum: (
    seat: Seat<T, O>,
    qualifies: (member: NodeId) => boolean,
    my: State,
  ) => readonly NodeId[] | undefined;
  /**
   * Which requests an arbiter tells that they FAILED, of those to which it does not grant its vote at once.
   * - `nobody`: then a site yields its votes whenever it is asked to;
   * - `hopeless`: a request that must wait for an earlier one, as soon as it must;
   * - `newcomers`: the same, but only on arrival (Maekawa as printed, which deadlocks);
   * - `everyone`: also a request that may yet displace the holder; and a site that is told asks another quorum too.
   */
  readonly fails: (seat: Seat<T, O>) => 'nobody' | 'hopeless' | 'newcomers' | 'everyone';
  /** Readers share a vote, and a REQUEST says its mode. Default: each request excludes each other. */
  readonly shares?: boolean;
  /** Whether the arbiter keeps track of the site, which must then tell it RELEASE. Default: always. */
  readonly tracks?: (seat: Seat<T, O>, arbiter: NodeId, from: NodeId) => boolean;
}
