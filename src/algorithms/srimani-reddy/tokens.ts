/** Srimani–Reddy: what is said and kept in mind, and how tokens go from site to site. */
import type { NodeId, Site } from '../../core/algorithm.ts';
import { list, type Messages, perSite, record } from '../../core/message.ts';
import { type OptionDeclarations, whole } from '../../core/option.ts';
import { isLater, latest } from './numbers.ts';

const token = { queue: list(record({ who: 'node', n: 'int' })), granted: perSite('int') } as const;

export const messages = {
  REQUEST: { n: 'int' }, // this is my n-th request
  PRIVILEGE: token, //      Q and LN
  // With `bounded`:
  ROUND_PRIVILEGE: { ...token, id: 'int', rounds: perSite('int') }, // which token, and LT
  ACK: { recorded: list('int') }, // I have counted your L-th REQUEST, and so have these tokens
  RECORDED: { id: 'int' }, //        and so has this one
} as const satisfies Messages;

export const options = {
  bounded: whole('numbers below 5L; every L-th request of a site is acknowledged by all', 1),
} as const satisfies OptionDeclarations;

export type Token = {
  queue: { who: NodeId; n: number }[];
  granted: number[];
  id: number; //       with `bounded`: which of the k; else 0
  rounds: number[]; // with `bounded`: LT, the round of each site that it has recorded; else empty
};
export type State = {
  waiting: boolean;
  asked: number[]; //      RN: the number of the latest request known of each site
  granted: number[]; //    PLN: of each, the latest that any token seen here knew to be granted
  sent: number[]; //       of each, the latest to which we have sent a token
  using: Token | null; //  the token that lets us be inside
  spare: Token[]; //       the tokens that no site needs
  unacknowledged: number; // with `bounded`: by how many sites our L-th request is; else 0
  unrecorded: boolean[]; // with `bounded`: by which tokens it is; else empty
};
export type SrimaniReddySite = Site<typeof messages, 'complete', typeof options>;

export function goIn(my: State, site: SrimaniReddySite, token: Token): void {
  my.waiting = false;
  my.using = token;
  // Granted already now, and not when we leave: else a second token that comes and goes during our
  // stay does not know it, and is sent to us once more (four sites with two tokens: 22 messages, not
  // 4(N+k−1) = 20).
  my.granted[site.me] = my.asked[site.me]!;
  site.enter();
}

/** Sends a token to the first site that waits, as far as it and we know; else keeps it. */
export function place(my: State, site: SrimaniReddySite, token: Token): void {
  for (const [j, n] of token.granted.entries()) learn(my, site, j, n);
  const waits = (who: NodeId, n: number) =>
    isLater(n, my.granted[who]!, site) && isLater(n, my.sent[who]!, site);
  const queue = token.queue.filter(({ who, n }) => who !== site.me && waits(who, n));
  for (const j of site.others) {
    const n = my.asked[j]!;
    if (waits(j, n) && !queue.some(({ who }) => who === j)) queue.push({ who: j, n });
  }
  const granted = my.granted.slice();
  const isKept = isClosing(my) || queue.length === 0;
  if (isKept) {
    my.spare.push({ ...token, queue, granted });
    return;
  }
  const { who, n } = queue.shift()!;
  my.sent[who] = n;
  const { id, rounds } = token;
  if (site.options.bounded === undefined) site.send(who, { type: 'PRIVILEGE', queue, granted });
  else site.send(who, { type: 'ROUND_PRIVILEGE', queue, granted, id, rounds });
}

/** That request of j was granted. */
export function learn(my: State, site: SrimaniReddySite, j: NodeId, n: number): void {
  my.granted[j] = latest(my.granted[j]!, n, site);
  // Only what is later than that tells anything, and only what is not much earlier compares.
  if (site.options.bounded) my.sent[j] = latest(my.sent[j]!, my.granted[j]!, site);
}

/** With `bounded`: a round of ours is not over, and we keep what tokens we have. */
export function isClosing({ unacknowledged, unrecorded }: State): boolean {
  return unacknowledged > 0 || unrecorded.includes(true);
}
