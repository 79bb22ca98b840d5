import type { MessageOf, Messages, Payload, Shape } from './message.ts';
import type { OptionDeclarations, OptionValues } from './option.ts';
import type { Plain } from './plain.ts';
import type { Topologies, TopologyKind } from './topology.ts';

/** A site's index, 0 … n−1. A driver maps real identities to indices, one mapping per view. */
export type NodeId = number;

/** What a request asks for: exclusive access, or access shared with other readers. */
export type Mode = 'exclusive' | 'shared';

/** The weakest links a proof allows: `any` may reorder, `fifo` may not. Neither loses or repeats. */
export type Links = 'any' | 'fifo';

/**
 * A distributed mutual exclusion algorithm: a value, not an object. It owns no state, no clock, no
 * socket and no randomness. Its driver (simulator, checker, lock service, lab) owns those.
 *
 * `S` is one site's state, and state is plain data. That one rule gives every algorithm cloning,
 * hashing, diffing, time travel and crash dumps.
 */
export interface Algorithm<
  S extends Plain,
  M extends Messages,
  T extends TopologyKind = 'complete',
  // biome-ignore lint/complexity/noBannedTypes: no options is the empty record
  O extends OptionDeclarations = {},
> {
  /** Its name in the catalogue, on the command line and as a file. */
  readonly id: string;
  /** Its authors and year, as a citation has them. */
  readonly title: string;
  readonly year: number;
  /** Where it was published. */
  readonly paper: string;
  readonly family: 'token' | 'permission';
  readonly modes: readonly Mode[];
  /** True when up to k sites may be inside at once. */
  readonly k: boolean;
  readonly topology: T;
  /** The topology of that kind that is used by default, e.g. `binary`. */
  readonly defaultTopology: string;
  readonly links: Links;
  /** The variants that the paper, or its successors, describe. */
  readonly options: O;
  readonly messages: M;
  readonly claims: Claims<S, T, O>;
  /** The failures it survives, one sentence each; none for most. */
  readonly recovers: readonly string[];

  /**
   * Why this algorithm cannot run in a world: the rule that the world breaks and the way out, in
   * one line.
   */
  readonly refuses?: (world: World<T, O>) => string | undefined;

  init(site: SiteInfo<T, O>): S;
  /**
   * Called once at every site when the group begins, in any order, and perhaps after the first
   * requests and messages. It is for actions that no request triggers, such as a token that
   * circulates for ever. A driver may skip a site at which it would do nothing in the state of
   * `init`.
   */
  readonly start?: (my: S, site: Site<M, T, O>) => void;
  /** The worlds in which `start` has an effect, where that depends on an option. All, if absent. */
  readonly starts?: (world: World<T, O>) => boolean;
  /** The application requests entry. Called only when the site is idle. */
  request(my: S, site: Site<M, T, O>, mode: Mode): void;
  /** The application leaves. Called only when the site is inside. */
  release(my: S, site: Site<M, T, O>): void;
  /**
   * Release and re-request in one step, where that takes fewer messages than two steps. A driver
   * may always take the two steps instead.
   */
  readonly rerequest?: {
    /** Whether one step saves messages in this state. */
    readonly saves: (my: S) => boolean;
    /** Called only when the site is inside, and `saves` is true. */
    readonly step: (my: S, site: Site<M, T, O>, mode: Mode) => void;
  };
  /**
   * Downgrade: turns a waiting exclusive request into a shared one, so that a cancelled writer no
   * longer blocks readers. Called only while the site waits in mode `exclusive`. An algorithm
   * without it lets the request wait for its turn. It may rely on ordered links, even where the
   * rest of the algorithm does not: its messages arrive after those of the request and before those
   * of the next.
   */
  readonly downgrade?: (my: S, site: Site<M, T, O>) => void;
  /** The worlds in which it can, where some options rule it out. All, if absent. */
  readonly downgrades?: (world: World<T, O>) => boolean;
  /** One handler per message, each atomic: it runs to completion before the next event. */
  readonly on: {
    readonly [K in keyof M]: (
      my: S,
      site: Site<M, T, O>,
      from: NodeId,
      message: Payload<M, K>,
    ) => void;
  };

  readonly timers?: { readonly [name: string]: Timer<S, M, T, O> };
  /** The failure detector reports a change of a peer. Only fault-tolerant algorithms handle it. */
  readonly peer?: (my: S, site: Site<M, T, O>, peer: NodeId, alive: boolean) => void;

  /** The fields that a crash does not destroy, as the paper keeps them in stable storage. */
  readonly stable?: readonly string[];
  /**
   * The site restarts after a crash: `my` is a fresh `init` with its stable fields as they were.
   */
  readonly restart?: (my: S, site: Site<M, T, O>) => void;
  /** The worlds in which a site can restart, where that depends on an option. All, if absent. */
  readonly restarts?: (world: World<T, O>) => boolean;

  /**
   * Where the tokens are, so that a checker can count them: held by a site, or in flight in a
   * message.
   */
  readonly tokens?: {
    readonly held: (my: S, site: SiteInfo<T, O>) => number;
    readonly carriers: readonly (keyof M & string)[];
  };
  /**
   * Sites with the same role, in worlds that have some: any step of one is a step of the other,
   * with the names exchanged. `state` declares which fields of a state name sites.
   */
  readonly symmetry?: {
    readonly alike: (world: World<T, O>) => readonly NodeId[];
    readonly state: { readonly [field: string]: Shape };
  };
  /**
   * Whether a site that is inside knows of a waiting request. As long as there is none, more
   * readers may join those inside with it. Without this function a site cannot know.
   */
  readonly isAwaited?: (my: S) => boolean;
  /** The sites whose answers a waiting site lacks. */
  readonly awaits?: (my: S, site: SiteInfo<T, O>) => readonly NodeId[];
  /** The sites whose requests this site has received and answers later, to tell why they wait (`blame.ts`). */
  readonly owes?: (my: S, site: SiteInfo<T, O>) => readonly NodeId[];
  /** The sites to which an arbiter has granted its vote, to tell why other sites wait for it. */
  readonly grantedTo?: (my: S, site: SiteInfo<T, O>) => readonly NodeId[];
  /** The site whose turn it is, which only an observer of all sites can tell; −1 for none. For worlds without tokens. */
  readonly turn?: (sites: readonly S[], world: World<T, O>) => NodeId;
  /** The names of the fields of a state: the paper's own where it has some, as in `{ queue: 'REQUEST_Q' }`. */
  readonly fields?: { readonly [field: string]: string };
  /** What the paper proves of every reachable state, besides mutual exclusion. */
  readonly invariants?: {
    readonly [claim: string]: (global: Global<S, M>, world: World<T, O>) => boolean;
  };
}

/** What the paper promises, in a form that a run can be checked against. */
export interface Claims<S extends Plain, T extends TopologyKind, O extends OptionDeclarations> {
  /** Messages per entry, averaged over any run without faults in which every request was served. */
  readonly messages: Cost<T, O>;
  /** The same when one site at a time makes a request, and nothing is in flight before it does. */
  readonly light?: Cost<T, O>;
  /** The same when every site makes its next request as soon as it has left. */
  readonly heavy?: Cost<T, O>;
  /** From an exit to the next entry while a site waits, in message hops, as the paper says. */
  readonly synchronizationDelay?: string;
  /**
   * First come, first served: the place of a site's outstanding request in the total order of
   * requests, smallest first. A site inside has a smaller ticket than every site that waits.
   */
  readonly ticket?: (my: S, site: SiteInfo<T, O>) => readonly number[];
}

export interface Cost<T extends TopologyKind, O extends OptionDeclarations> {
  /** As the paper writes it, e.g. `2(N−1)`. */
  readonly formula: string;
  readonly bounds: (world: World<T, O>) => { readonly least: number; readonly most: number };
}

export interface Timer<
  S extends Plain,
  M extends Messages,
  T extends TopologyKind,
  O extends OptionDeclarations,
> {
  /**
   * What the algorithm may assume when the timer fires. `anytime`: nothing, so a premature firing
   * must be harmless. `drained`: every message to or from this site has arrived or is lost.
   * `quiet`: so has every other message; the network bounds delays, and this timer exceeds the
   * bound. `idle`: the site neither waits nor is inside. No algorithm sets such a timer: a driver
   * fires it, or does not, at any site that has been idle for a while, to let it return to its
   * first state.
   */
  readonly fires: 'anytime' | 'drained' | 'quiet' | 'idle';
  /** Of an `idle` timer: whether the driver should let it fire soon after the site has become idle. */
  readonly isDue?: (my: S) => boolean;
  readonly expired: (my: S, site: Site<M, T, O>) => void;
}

/** What every site knows, and what does not change during a view. */
export interface World<
  T extends TopologyKind = TopologyKind,
  // biome-ignore lint/complexity/noBannedTypes: no options is the empty record
  O extends OptionDeclarations = {},
> {
  readonly n: number;
  /** How many sites may be inside at once; 1 unless the algorithm has `k`. */
  readonly k: number;
  readonly topology: Topologies[T];
  readonly options: OptionValues<O>;
}

export interface SiteInfo<
  T extends TopologyKind = TopologyKind,
  // biome-ignore lint/complexity/noBannedTypes: no options is the empty record
  O extends OptionDeclarations = {},
> extends World<T, O> {
  readonly me: NodeId;
  /** Every site but `me`, ascending. */
  readonly others: readonly NodeId[];
}

/**
 * A site as its algorithm sees it: what it knows, and the only effects it can have.
 *
 * Effects are recorded, not performed. The driver performs them after the handler has returned, so
 * `enter` cannot call back into a handler that has not finished.
 */
export interface Site<
  M extends Messages,
  T extends TopologyKind = 'complete',
  // biome-ignore lint/complexity/noBannedTypes: no options is the empty record
  O extends OptionDeclarations = {},
> extends SiteInfo<T, O> {
  /**
   * A message to the site itself is delivered at once, before any other event, and costs nothing.
   */
  send(to: NodeId, message: MessageOf<M>): void;
  /**
   * One message that all other sites receive, on a medium that supports it. With `total`, all sites
   * receive all such messages in the same order, and the sender receives its own.
   */
  broadcast(message: MessageOf<M>, order?: 'total'): void;
  /** Grants the request of this site: the application is inside until it calls `release`. */
  enter(): void;
  /**
   * Runs `timers[name]` after this many ticks, and replaces the timer of that name. Zero cancels
   * it.
   */
  timer(name: string, ticks: number): void;
  /** A whole number from 0 to below − 1, drawn by the driver. The checker tries all of them. */
  random(below: number): number;
}

/** The global state, which no single site can see. */
export interface Global<S extends Plain, M extends Messages> {
  readonly sites: readonly S[];
  readonly inside: readonly boolean[];
  /** False for a site that has crashed and not restarted. */
  readonly up: readonly boolean[];
  readonly inFlight: readonly {
    readonly from: NodeId;
    readonly to: NodeId;
    readonly message: MessageOf<M>;
  }[];
}

// The catalogue holds algorithms of all types; drivers treat state as opaque and dispatch by name.
// biome-ignore lint/suspicious/noExplicitAny: an existential type, which TypeScript cannot spell.
export type AnyAlgorithm = Algorithm<any, any, any, any>;
// biome-ignore lint/suspicious/noExplicitAny: the world of such an algorithm.
export type AnyWorld = World<any, any>;
