/** Singhal's heuristic: what sites guess of one another, and how the token goes by it. */
import type { NodeId, Site } from '../../core/algorithm.ts';
import { assert } from '../../core/assert.ts';
import { type Messages, perSite } from '../../core/message.ts';
import { ringFrom } from '../shared/rotated.ts';

export const messages = {
  REQUEST: { n: 'int' }, // this is my n-th request
  TOKEN: { requests: perSite('bool'), asked: perSite('int') }, // TSV, whether R or N, and TSN
  HINT: {}, // ask me the next time: I have the token, and you would not think so (our addition)
} as const satisfies Messages;

export type State = {
  phase: 'N' | 'R' | 'E' | 'H'; // our own SV: not requesting, requesting, executing, holding
  requests: boolean[]; //          SV: the other sites that we take to be in state R
  asked: number[]; //              SN: the number of the latest request known of each site
  token: { requests: boolean[]; asked: number[] } | null; // TSV and TSN
  late: boolean[]; //              whose old REQUESTs have come since we got the token
};
type SinghalSite = Site<typeof messages>;

/** A request that is new to us. */
export function hear(my: State, site: SinghalSite, from: NodeId, n: number): void {
  my.asked[from] = n;
  if (my.phase === 'H') {
    my.token!.requests[from] = true;
    my.token!.asked[from] = n;
    my.requests[from] = true;
    pass(my, site, from);
  } else {
    takeForRequesting(my, site, from);
  }
}

/** A request that the token told us of before it came. */
export function hearLate(my: State, site: SinghalSite, from: NodeId): void {
  if (my.token === null) takeForRequesting(my, site, from);
  else my.late[from] = true;
  if (my.phase === 'H') site.send(from, { type: 'HINT' });
}

/** If we want in and had not asked it yet, we must ask it now: the token may be on its way there. */
export function takeForRequesting(my: State, site: SinghalSite, j: NodeId): void {
  if (my.phase === 'R' && !my.requests[j]) site.send(j, { type: 'REQUEST', n: my.asked[site.me]! });
  my.requests[j] = true;
}

export function take(
  my: State,
  site: SinghalSite,
  requests: readonly boolean[],
  asked: readonly number[],
): void {
  assert(my.phase === 'R', 'the token comes only to a site that asked for it');
  my.phase = 'E';
  my.token = { requests: requests.slice(), asked: asked.slice() };
  site.enter();
}

export function pass(my: State, site: SinghalSite, to: NodeId): void {
  const { requests, asked } = my.token!;
  my.phase = 'N';
  my.token = null;
  my.requests = my.requests.map((is, j) => is || my.late[j]!);
  my.late.fill(false);
  site.send(to, { type: 'TOKEN', requests, asked });
}

/** Of the sites that ask, the site with the smallest number, and of these the next round the ring. */
export function leastServed(my: State, { me, n }: SinghalSite): NodeId | undefined {
  let best: NodeId | undefined;
  for (const j of ringFrom(me, n)) {
    if (my.requests[j] && (best === undefined || my.asked[j]! < my.asked[best]!)) best = j;
  }
  return best;
}
