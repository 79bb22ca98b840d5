/**
 * Srimani–Reddy with bounded numbers, as `bounded=L`. The survey says that the L-th request of a site
 * ends a round, that all others acknowledge it, and that the rounds of each token are kept in LT. How
 * that makes numbers comparable it does not say: what follows is ours.
 *
 * As in the bounded form of Suzuki and Kasami's, sites count each other's REQUESTs, and a site that has sent its
 * L-th keeps the token that it gets for it until all have counted so far (ACK). But a token that is under
 * way all the while would still know older numbers. So it waits as well until each token has been with
 * a site that had counted so far, which brings it up to date and says so (in the ACK, or by RECORDED).
 *
 * A site asks for the n-th time only when its request before was granted: so a site that counts n knows that
 * n−1 was. Hence all that is known of a site anywhere, while it counts up to mL, is (m−1)L−1 or more:
 * differences of L+1 at most, which tell apart modulo 2L+3 or more, as 5L is for every L.
 */
import type { NodeId } from '../../core/algorithm.ts';
import { isLast, isLater, latest, roundOf, step } from './numbers.ts';
import {
  isClosing,
  learn,
  place,
  type SrimaniReddySite,
  type State,
  type Token,
} from './tokens.ts';

/** We ask, and it is the last time in this round. */
export function close(my: State, site: SrimaniReddySite): void {
  my.unacknowledged = site.n - 1;
  my.unrecorded.fill(true);
}

/** Another asks. Which is the later of two REQUESTs is not known; how many have come is. */
export function count(my: State, site: SrimaniReddySite, from: NodeId): void {
  my.asked[from] = step(my.asked[from]!, 1, site);
  learn(my, site, from, step(my.asked[from]!, -1, site));
  if (!isLast(my.asked[from]!, site)) return;
  const held = my.using === null ? my.spare : [my.using, ...my.spare];
  const behind = held.filter((token) => isBehind(my, site, token, from));
  for (const token of behind) record(my, site, token, from);
  site.send(from, { type: 'ACK', recorded: behind.map(({ id }) => id) });
}

/** A token has come: it may lack rounds that we know of. */
export function arrive(my: State, site: SrimaniReddySite, token: Token): void {
  for (let j = 0; j < site.n; j++) {
    if (!isBehind(my, site, token, j)) continue;
    record(my, site, token, j);
    if (j === site.me) my.unrecorded[token.id] = false;
    else site.send(j, { type: 'RECORDED', id: token.id });
  }
}

function isBehind({ asked }: State, site: SrimaniReddySite, token: Token, j: NodeId): boolean {
  return roundOf(asked[j]!, site) === (token.rounds[j]! + 1) % 5;
}

function record(my: State, site: SrimaniReddySite, token: Token, j: NodeId): void {
  token.rounds[j] = roundOf(my.asked[j]!, site);
  const granted = latest(token.granted[j]!, my.granted[j]!, site);
  token.granted[j] = granted;
  token.queue = token.queue.filter(({ who, n }) => who !== j || isLater(n, granted, site));
}

/** If our round is over, we let go of what others wait for. */
export function open(my: State, site: SrimaniReddySite): void {
  if (isClosing(my)) return;
  for (const token of my.spare.splice(0)) place(my, site, token);
}
