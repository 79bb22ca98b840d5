/**
 * Section 4.3: the vector that ranks a waiting node. Its elements are positions in the queues on the way from
 * the node to the privilege, and every action of the privileged node makes it lexicographically smaller.
 */
import type { NodeId } from '../../core/algorithm.ts';
import type { Instruments, Subject, Trial } from '../instruments.ts';
import { counted } from '../text.ts';
import { everyTransition, type GlobalState, type Transition } from '../transitions.ts';

interface State {
  readonly holder: NodeId;
  readonly queue: readonly NodeId[];
}

export interface Descent extends Trial {
  readonly states: number;
  /** Steps of a privileged node whose vectors were compared, for one waiting node each. */
  readonly compared: number;
  /** Those of them that did not reduce it. */
  readonly unreduced: number;
  /** Steps of any node that increased it. */
  readonly increased: number;
}

/**
 * [M1, … Mk] of a waiting node, and whether it reaches the privileged node. Where a REQUEST is still on its
 * way to the next queue, that position is unknown, and higher than any known one.
 */
function vectorOf(
  { sites, mail }: GlobalState,
  x: NodeId,
): { positions: number[]; whole: boolean } {
  const state = (i: NodeId) => sites[i]!.my as State;
  const privileged = mail.find(({ message }) => message.type.startsWith('PRIVILEGE'))?.to;
  const positions: number[] = [];
  let [at, before] = [x, x];
  for (;;) {
    const position = state(at).queue.indexOf(before) + 1;
    if (position === 0)
      return { positions: [...positions, Number.POSITIVE_INFINITY], whole: false };
    positions.push(position);
    if (state(at).holder === at || privileged === at) return { positions, whole: true };
    [at, before] = [state(at).holder, at];
  }
}

/** Lexicographic; a vector comes after its own beginning. */
function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  if (at === -1) return a.length - b.length;
  return b[at] === undefined ? 1 : a[at]! - b[at];
}

/** The privileged node passes the privilege on, or goes in. */
const isAction = ({ enters, sent }: Transition): boolean =>
  enters || sent.some(({ message }) => message.type.startsWith('PRIVILEGE'));

/** Compares the vectors of all waiting nodes before and after every step of every schedule. */
export function descent(using: Instruments, subject: Subject, entries: readonly number[]): Descent {
  let [compared, unreduced, increased] = [0, 0, 0];
  const judge = (transition: Transition) => {
    const { before, after } = transition;
    for (const x of before.sites.keys()) {
      const stillWaits = [before, after].every(({ sites }) => sites[x]!.phase === 'waiting');
      if (!stillWaits) continue;
      const [old, now] = [vectorOf(before, x), vectorOf(after, x)];
      const change = compare(now.positions, old.positions);
      if (change > 0) increased++;
      if (!isAction(transition) || !old.whole) continue;
      compared++;
      if (change >= 0) unreduced++;
    }
  };
  const algorithm = using.algorithm(subject.algorithm);
  const states = everyTransition(algorithm, using.world(subject), { entries, links: 'any' }, judge);
  const options = (subject.options ?? []).map((option) => ` +${option}`).join('');
  const how =
    `${subject.algorithm}${options}, ${counted(subject.nodes, 'site')}, ${subject.topology}, every step of every ` +
    `schedule, entries ${entries.join()}, links that may reorder`;
  return { how, seeds: [], states, compared, unreduced, increased };
}
