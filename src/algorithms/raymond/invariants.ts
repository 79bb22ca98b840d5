/**
 * What Raymond's paper says of every state. After a crash, and before INITIALIZE has come everywhere, some of
 * it is not so: those worlds are left out.
 */
import type { NodeId } from '../../core/algorithm.ts';
import type { RaymondSite, State } from '../raymond.ts';
import { isChosen } from './recovery.ts';

/** A global state, with no more of its messages than their types. */
interface Seen {
  readonly sites: readonly State[];
  readonly inside: readonly boolean[];
  readonly inFlight: readonly {
    readonly from: NodeId;
    readonly to: NodeId;
    readonly message: { readonly type: string };
  }[];
}
type World = Pick<RaymondSite, 'options'>;

/** Only in worlds in which no site forgets, or has yet to learn, where the privilege is. */
const whereAllLearnedHolders =
  (holds: (global: Seen) => boolean) =>
  (global: Seen, { options }: World): boolean =>
    options.initialize || isChosen(options) || holds(global);

export const invariants = {
  'the HOLDERs lead from every node to the privilege (section 2)': whereAllLearnedHolders(
    ({ sites, inFlight }) => {
      const privilege = inFlight.find(({ message }) => message.type.startsWith('PRIVILEGE'));
      const end = privilege?.to ?? sites.findIndex(({ holder }, i) => holder === i);
      return sites.every((_, x) => {
        let at = x;
        for (let hops = 0; at !== end && hops < sites.length; hops++) at = sites[at]!.holder;
        return at === end;
      });
    },
  ),
  'USING implies HOLDER = self (section 3.1)': ({ sites, inside }: Seen) =>
    sites.every(({ using, holder }, i) => !inside[i] || (using && holder === i)),
  'a REQUEST_Q names each neighbour, and self, at most once (section 3.1)': whereAllLearnedHolders(
    ({ sites }) => sites.every(({ queue }) => new Set(queue).size === queue.length),
  ),
  'ASKED exactly if HOLDER has the REQUEST or will get it (section 3.3, figure 4)':
    whereAllLearnedHolders(({ sites, inFlight }) => {
      const isUnderWay = (type: string, from: NodeId, to: NodeId) =>
        inFlight.some((m) => m.from === from && m.to === to && m.message.type.includes(type));
      return sites.every(({ asked, holder }, x) => {
        if (holder === x) return !asked;
        const y = sites[holder]!;
        const isQueued = y.queue.includes(x) || (y.early && y.holder === x);
        return (
          asked ===
          (isQueued || isUnderWay('REQUEST', x, holder) || isUnderWay('PRIVILEGE', holder, x))
        );
      });
    }),
};
