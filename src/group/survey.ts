/**
 * The callers that hold and wait, in the whole group. The member asks every other, and each tells of its own
 * callers. A member that has not answered in time is listed as unreachable.
 *
 * An answer may be large. It is sent in parts, as fast as the receiver acknowledges them. It is dropped if the receiver
 * is congested for so long that it has given up. A new question of the same member replaces what is left of the last answer.
 */
import type { SurveyEntry } from './backend.ts';
import type { Effects, Timer } from './effects.ts';
import { fenceValue } from './fence.ts';
import type { Lock } from './lock.ts';
import { type Control, type ControlOf, inParts } from './messages.ts';
import type { Request } from './request.ts';

/** From the question to the first part of the answer, and from each part to the next. */
const ANSWER_WITHIN_MS = 1000;
/** So many parts of an answer are sent at once. While the receiver is congested, the answer pauses. */
const PARTS_AT_ONCE = 3;
const PAUSE_MS = 50;

/** What the surveys need to know of the member. */
export interface Surveyed {
  readonly self: string;
  readonly now: number;
  readonly members: readonly string[];
  readonly locks: Iterable<Lock>;
  readonly effects: Effects;
  readonly admission: { readonly congested: ReadonlySet<string> };
  /** The members that a request for the lock waits for. */
  waitsFor(lock: Lock): readonly string[];
}

/** What is left of an answer. */
interface Answer {
  readonly parts: Iterator<Control, void>;
  /** For how long the receiver has been congested. */
  pausedMs: number;
  timer: Timer | null;
}

interface OpenSurvey {
  readonly held: SurveyEntry[];
  readonly pending: SurveyEntry[];
  readonly silent: Set<string>;
  timer: Timer;
}

export class Surveys {
  readonly #member: Surveyed;
  readonly #open = new Map<number, OpenSurvey>();
  readonly #answers = new Map<string, Answer>();

  constructor(member: Surveyed) {
    this.#member = member;
  }

  begin(query: number): void {
    const { self, members, effects } = this.#member;
    const others = members.filter((id) => id !== self);
    const timer = timerOf(`survey ${query}`, ANSWER_WITHIN_MS);
    this.#open.set(query, { held: [], pending: [], silent: new Set(others), timer });
    if (others.length === 0) this.#finish(query);
    else {
      effects.timersSet.push(timer);
      for (const to of others) this.#tell(to, { type: 'QUERY', query });
    }
  }

  timerFired(timer: Timer): void {
    for (const [query, survey] of this.#open) if (survey.timer === timer) this.#finish(query);
    for (const [to, answer] of this.#answers)
      if (answer.timer === timer) this.#sendParts(to, answer);
  }

  /** The process that asked is gone. */
  forget(peer: string): void {
    this.#drop(this.#answers.get(peer));
    this.#answers.delete(peer);
  }

  receive(from: string, message: ControlOf<'QUERY' | 'SURVEY'>): void {
    if (message.type === 'QUERY') {
      this.#answer(from, message.query);
      return;
    }
    const survey = this.#open.get(message.query);
    if (survey === undefined || !survey.silent.has(from)) return;
    for (const entry of message.held) survey.held.push({ ...entry, member: from });
    for (const { fence, ...entry } of message.pending) {
      survey.pending.push({ ...entry, member: from });
    }
    if (!message.isLast) {
      this.#member.effects.timersCancelled.push(survey.timer);
      survey.timer = timerOf(survey.timer.name, ANSWER_WITHIN_MS);
      this.#member.effects.timersSet.push(survey.timer);
      return;
    }
    survey.silent.delete(from);
    if (survey.silent.size > 0) return;
    this.#member.effects.timersCancelled.push(survey.timer);
    this.#finish(message.query);
  }

  #finish(query: number): void {
    const { silent, ...survey } = this.#open.get(query)!;
    this.#open.delete(query);
    // What happens here while the others answer belongs to the picture: this member comes last.
    const own = this.look();
    const held = [...own.held, ...survey.held];
    const holders = holdersOf(held);
    const pending = [...own.pending, ...survey.pending].map((entry) =>
      narrowed(entry, holders, silent),
    );
    this.#member.effects.reports.push({
      type: 'survey',
      query,
      survey: { held, pending, unreachable: [...silent] },
    });
  }

  #answer(to: string, query: number): void {
    this.#drop(this.#answers.get(to));
    const answer: Answer = { parts: this.#partsFor(query), pausedMs: 0, timer: null };
    this.#answers.set(to, answer);
    this.#sendParts(to, answer);
  }

  #drop(answer: Answer | undefined): void {
    if (answer?.timer) this.#member.effects.timersCancelled.push(answer.timer);
  }

  #sendParts(to: string, answer: Answer): void {
    const { admission, effects } = this.#member;
    const isCongested = admission.congested.has(to);
    answer.pausedMs = isCongested ? answer.pausedMs + PAUSE_MS : 0;
    let isOver = answer.pausedMs > ANSWER_WITHIN_MS;
    for (let i = 0; i < PARTS_AT_ONCE && !isCongested && !isOver; i++) {
      const { value: part, done } = answer.parts.next();
      if (done) isOver = true;
      else this.#tell(to, part);
    }
    if (isOver) this.#answers.delete(to);
    else {
      answer.timer = timerOf(`survey for ${to}`, isCongested ? PAUSE_MS : 'soon');
      effects.timersSet.push(answer.timer);
    }
  }

  *#partsFor(query: number): Generator<Control, void> {
    const { held, pending } = this.look();
    const plain = (entry: SurveyEntry) => ({
      ...entry,
      fence: entry.fence ?? '',
      waitsFor: entry.waitsFor ?? [],
    });
    const part = (
      held: readonly SurveyEntry[],
      pending: readonly SurveyEntry[],
      isLast: boolean,
    ): Control => ({
      type: 'SURVEY',
      query,
      isLast,
      held: held.map(plain),
      pending: pending.map(plain),
    });
    for (const some of inParts(held)) yield part(some, [], false);
    for (const some of inParts(pending)) yield part([], some, false);
    yield part([], [], true);
  }

  #tell(to: string, message: Control): void {
    this.#member.effects.sends.push({ type: 'member', to, message });
  }

  /** What the callers of this member hold and wait for. */
  look(): { readonly held: SurveyEntry[]; readonly pending: SurveyEntry[] } {
    const { self, now, locks } = this.#member;
    const held: SurveyEntry[] = [];
    const pending: SurveyEntry[] = [];
    for (const lock of locks) {
      const { name, permits, queue } = lock;
      const common = ({ mode, clientId, since }: Request) => ({
        name,
        permits,
        mode,
        clientId,
        member: self,
        forMs: Math.max(0, now - since),
      });
      for (const request of lock.held()) {
        held.push({ ...common(request), fence: String(fenceValue(request)) });
      }
      if (queue.first === null) continue;
      const waitsFor = this.#member.waitsFor(lock);
      for (const request of queue) pending.push({ ...common(request), waitsFor });
    }
    return { held, pending };
  }
}

const timerOf = (name: string, after: Timer['after']): Timer => ({
  lock: null,
  name,
  after,
  handle: undefined,
});

/** The members whose callers hold each lock. */
function holdersOf(held: readonly SurveyEntry[]): Map<string, Set<string>> {
  const holders = new Map<string, Set<string>>();
  for (const { name, permits, member } of held) {
    const key = `${permits} ${name}`;
    holders.set(key, (holders.get(key) ?? new Set()).add(member));
  }
  return holders;
}

/** An algorithm may know only that one of several members has the token: the survey knows which holds or is silent. */
function narrowed(
  entry: SurveyEntry,
  holders: ReadonlyMap<string, ReadonlySet<string>>,
  silent: ReadonlySet<string>,
): SurveyEntry {
  const holding = holders.get(`${entry.permits} ${entry.name}`);
  const waitsFor = entry.waitsFor?.filter((id) => holding?.has(id) || silent.has(id)) ?? [];
  return waitsFor.length === 0 ? entry : { ...entry, waitsFor };
}
