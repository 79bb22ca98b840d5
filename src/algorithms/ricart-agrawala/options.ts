/** The modifications of sections 6 and 7, and which of them do not go together. */
import type { Algorithm, World } from '../../core/algorithm.ts';
import type { Messages } from '../../core/message.ts';
import { choice, flag } from '../../core/option.ts';
import type { Plain } from '../../core/plain.ts';

export const options = {
  'implicit-reply': flag('6.1: silence for a round trip means yes; N−1 to 3(N−1) messages'),
  broadcast: flag('6.2: one broadcast REQUEST; N messages'),
  'broadcast-sequenced': flag(
    '6.2.1: the medium orders the REQUESTs, and is the queue; 2 messages',
  ),
  'broadcast-replies': flag(
    '6.2.2: on leaving, one broadcast REPLY to all that wait; 2 to N messages',
  ),
  ring: flag('6.3: the REQUEST goes round, and is held where it must wait; N messages'),
  'ring-marked': flag(
    '6.3: the REQUEST goes round without pause, and is marked; N to 2N−1 messages',
  ),
  bounded: flag('6.4: sequence numbers modulo 2N−1'),
  increment: choice('6.5: numbers grow by 1 to N, at random or more for those of less priority', [
    'random',
    'priority',
  ]),
  'delay-acting': flag(
    '6.5 (2): a site does not act on a REQUEST of a site of less priority before it must; means increment=priority',
  ),
  names: flag('7.1: equal numbers are ordered by names from a larger range than 1 to N'),
  membership: choice('7: half of the sites come and go, any may fail; how newcomers get a number', [
    'ask-all',
    'request-from-each',
    'observed',
    'quiet',
    'fourth-request',
  ]),
  sponsor: flag('7.2.2: newcomers are introduced by one of the group; means membership too'),
  'join-broadcast': flag('7.2.2: a newcomer tells all by one broadcast; means membership too'),
  'restart-timer': flag(
    '7.4: the time allowed for REPLYs begins anew with each of them; means membership too',
  ),
} as const;
export type Options = typeof options;

type Chosen = Pick<World<'complete', Options>, 'options'>;

/** Whether sites come and go. */
export const hasMembership = ({ options }: Chosen): boolean =>
  options.membership !== undefined || ONLY_WITH_MEMBERSHIP.some((name) => options[name]);

const ONLY_WITH_MEMBERSHIP = ['sponsor', 'join-broadcast', 'restart-timer'] as const;

/** How newcomers get a number. */
export const wayOf = ({ options: { membership } }: Chosen) => membership ?? 'ask-all';

/** Which of them do not go together, and what to do about it. */
export function contradiction({ options }: World<'complete', Options>): string | undefined {
  const chosen = Object.keys(options).filter((name) => options[name as keyof Options]);
  const has = (...names: string[]) => names.find((name) => chosen.includes(name));
  const number = has('bounded', 'increment');
  const isOfMembership = (name: string) =>
    (ONLY_WITH_MEMBERSHIP as readonly string[]).includes(name);
  // One of those that belong to membership stands for all.
  const ways = chosen
    .filter((name) => !['bounded', 'increment', 'names'].includes(name))
    .map((name) => (isOfMembership(name) ? 'membership' : name));
  const [one, another] = [...new Set(ways)];
  const ordering = has('bounded', 'increment', 'names');
  if (ordering && has('broadcast-sequenced')) {
    return `broadcast-sequenced needs no sequence numbers: leave out ${ordering}`;
  }
  if (has('bounded') && has('delay-acting')) {
    return 'delay-acting leaves numbers unseen, which residues do not allow: leave out bounded';
  }
  if (has('sponsor') && has('join-broadcast')) {
    return 'sponsor and join-broadcast are two ways to be introduced: take one';
  }
  if (number && hasMembership({ options })) {
    return `the paper says how newcomers find a number only where numbers grow by one and without end: leave out ${number}`;
  }
  if (!another || (one === 'implicit-reply' && has('broadcast', 'broadcast-replies')))
    return undefined;
  return `${one} and ${another} are two ways to ask: take one; only implicit-reply goes with a broadcast`;
}

/** One of the protocols that the options choose from, with a state and messages of its own. */
export type Form<S extends Plain, M extends Messages> = Pick<
  Algorithm<S, M, 'complete', Options>,
  'messages' | 'init' | 'request' | 'release' | 'downgrade' | 'on' | 'timers'
>;
