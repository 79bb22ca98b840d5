/**
 * Surveys of the group that many readers share. A survey asks every member, so that at most one runs at a time:
 * readers that come while one runs share the next. After a survey the next one waits as long as the last one
 * took. So surveys never take more than half of the time of a busy group.
 */
import type { Survey, SurveyEntry } from '../group/backend.ts';

/** The longest pause between two surveys. */
const MAX_PAUSE_MS = 1_000;

export class SharedSurvey {
  readonly #run: () => Promise<Survey>;
  #running: Promise<Survey> | undefined;
  #next: Promise<Survey> | undefined;
  #last: { readonly survey: Survey; readonly endedAt: number; readonly tookMs: number } | undefined;

  constructor(run: () => Promise<Survey>) {
    this.#run = run;
  }

  /** A survey that begins after this call. */
  fresh(): Promise<Survey> {
    if (this.#next !== undefined) return this.#next;
    const previous = this.#running;
    const pauseMs = this.#pauseMs();
    if (previous === undefined && pauseMs === 0) return this.#start();
    this.#next = this.#startLater(previous);
    return this.#next;
  }

  /** A survey that ended at most this long ago, or that begins now. */
  recent(maxAgeMs: number): Promise<Survey> {
    const last = this.#last;
    if (last !== undefined && performance.now() - last.endedAt <= maxAgeMs) {
      return Promise.resolve(last.survey);
    }
    return this.#next ?? this.#running ?? this.fresh();
  }

  async #startLater(previous: Promise<Survey> | undefined): Promise<Survey> {
    await previous?.catch(() => {});
    const pauseMs = this.#pauseMs();
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    this.#next = undefined;
    return this.#start();
  }

  #pauseMs(): number {
    if (this.#last === undefined) return 0;
    const { endedAt, tookMs } = this.#last;
    const pauseMs = endedAt + Math.min(tookMs, MAX_PAUSE_MS) - performance.now();
    // A pause of less than a turn of the timers would only delay small groups.
    return pauseMs < 2 ? 0 : pauseMs;
  }

  #start(): Promise<Survey> {
    const beganAt = performance.now();
    const running = this.#run().then((survey) => {
      const endedAt = performance.now();
      this.#last = { survey, endedAt, tookMs: endedAt - beganAt };
      return survey;
    });
    this.#running = running;
    const done = () => {
      if (this.#running === running) this.#running = undefined;
    };
    running.then(done, done);
    return running;
  }
}

/** About this many characters of a survey go into one line. */
const PART_LENGTH = 49_152;

const partsOfSurvey = new WeakMap<Survey, readonly string[]>();

/** A survey as JSON, in parts of about PART_LENGTH. All sessions that send a survey share its parts. */
export function partsOf(survey: Survey): readonly string[] {
  const known = partsOfSurvey.get(survey);
  if (known !== undefined) return known;
  const unreachable = JSON.stringify(survey.unreachable);
  const parts: string[] = [];
  let held: string[] = [];
  let pending: string[] = [];
  let length = 0;
  const close = () => {
    parts.push(
      `{"held":[${held.join(',')}],"pending":[${pending.join(',')}],"unreachable":${unreachable}}`,
    );
    held = [];
    pending = [];
    length = 0;
  };
  const add = (entry: SurveyEntry, isHeld: boolean) => {
    const text = JSON.stringify(entry);
    if (length > 0 && length + text.length > PART_LENGTH) close();
    (isHeld ? held : pending).push(text);
    length += text.length;
  };
  for (const entry of survey.held) add(entry, true);
  for (const entry of survey.pending) add(entry, false);
  close();
  partsOfSurvey.set(survey, parts);
  return parts;
}

/** The first entries of a list, as many as fit the limits, and how many were left out. */
export function capped<T>(
  list: readonly T[],
  maxEntries: number,
  maxLength: number,
): { readonly shown: readonly T[]; readonly omitted: number } {
  let length = 0;
  let count = 0;
  while (count < list.length && count < maxEntries) {
    length += JSON.stringify(list[count]).length + 1;
    if (length > maxLength) break;
    count++;
  }
  return { shown: list.slice(0, count), omitted: list.length - count };
}
