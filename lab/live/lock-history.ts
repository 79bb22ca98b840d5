/**
 * What happened to one lock, second by second, for the last ten minutes. The page keeps the steps of a busy lock for
 * seconds only; these figures take the same room however much happens.
 *
 * What a member tells counts for the second in which the page hears it, which is at most a tenth of a second late. What
 * it counted beyond the limit counts for the second in which it reached the limit.
 */
import type { LiveStatus, LiveSteps } from '../../src/daemon/live-protocol.ts';

export const MOST_SECONDS = 600;
/** Surveys come about once a second, so a second may have none. After a longer silence the page was not connected. */
const SURVEYS_WITHIN_MS = 2500;

export interface Second {
  /** In seconds since 1970, by the clock of the member that the page is connected to. */
  readonly number: number;
  /** By member, how often its callers entered. */
  readonly entries: Map<string, number>;
  /** The members that reached the limit: some of their entries are requests that they counted. */
  readonly counted: Set<string>;
  /** Of the surveys that speak for this second, the most requests that waited and the longest wait. */
  waiting: number;
  longestMs: number;
  /** False where no survey speaks for it: the page was not connected. */
  isSurveyed: boolean;
}

type Lock = { readonly name: string; readonly permits: number };

export class LockHistory {
  readonly #lock: Lock;
  readonly #seconds: Second[] = [];
  /** By member, the second in which it reached the limit, until it tells its steps again. */
  readonly #pausedIn = new Map<string, Second>();
  #surveyedAt = -Infinity;

  constructor(lock: Lock) {
    this.#lock = lock;
  }

  /** Oldest first, without a second missing. */
  get seconds(): readonly Second[] {
    return this.#seconds;
  }

  /** `at`: milliseconds since 1970, when it was heard. */
  hearSteps({ member, steps, left, pausedAt }: LiveSteps, at: number): void {
    const second = this.#secondAt(at);
    const pausedIn = this.#pausedIn.get(member);
    const told = steps.reduce((sum, { enters }) => sum + (enters ? 1 : 0), 0);
    add(second, member, told);
    add(pausedIn ?? second, member, left.entries);
    if (steps.some(({ event }) => event === 'start')) this.#pausedIn.delete(member);
    if (pausedAt === undefined) return;
    second.counted.add(member);
    const start = steps.findLast(({ event }) => event === 'start')?.at ?? 0;
    if (start <= pausedAt) this.#pausedIn.set(member, second);
  }

  /** A survey speaks for the second in which it is heard, and for seconds before that have none. */
  hearStatus({ pending }: Pick<LiveStatus, 'pending'>, at: number): void {
    const { name, permits } = this.#lock;
    const own = pending.filter((entry) => entry.name === name && entry.permits === permits);
    const longestMs = own.reduce((longest, { forMs }) => Math.max(longest, forMs), 0);
    const present = this.#secondAt(at);
    const isLate = at - this.#surveyedAt > SURVEYS_WITHIN_MS;
    this.#surveyedAt = at;
    for (const second of this.#seconds.slice(-Math.ceil(SURVEYS_WITHIN_MS / 1000))) {
      if (second !== present && (isLate || second.isSurveyed)) continue;
      second.isSurveyed = true;
      second.waiting = Math.max(second.waiting, own.length);
      second.longestMs = Math.max(second.longestMs, longestMs);
    }
  }

  #secondAt(at: number): Second {
    const number = Math.floor(at / 1000);
    const last = this.#seconds.at(-1)?.number ?? number - 1;
    const first = Math.max(last + 1, number - MOST_SECONDS + 1);
    for (let next = first; next <= number; next++) this.#seconds.push(emptySecond(next));
    this.#seconds.splice(0, this.#seconds.length - MOST_SECONDS);
    // A clock that is set back: what is heard counts for the newest second.
    return this.#seconds[number - this.#seconds[0]!.number] ?? this.#seconds.at(-1)!;
  }
}

const emptySecond = (number: number): Second => ({
  ...{ number, entries: new Map(), counted: new Set() },
  ...{ waiting: 0, longestMs: 0, isSurveyed: false },
});

function add({ entries }: Second, member: string, more: number): void {
  if (more > 0) entries.set(member, (entries.get(member) ?? 0) + more);
}

export const entriesOf = ({ entries }: Second): number =>
  [...entries.values()].reduce((sum, own) => sum + own, 0);
