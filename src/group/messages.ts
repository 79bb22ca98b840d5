/** The messages between members, besides the messages of algorithms and engines. */
import { text } from '../core/text.ts';
import { below, bool, int, listOf, mode, natural, oneOf, recordOf } from '../core/wire.ts';
import { MAX_PERMITS } from './limits.ts';
import type { LockName } from './membership.ts';

/** A lock or, with permits, a semaphore. */
const lock = { name: text, permits: below(MAX_PERMITS + 1) };
const inView = { epoch: natural, ...lock };

const entry = recordOf({
  ...lock,
  mode,
  clientId: text,
  forMs: int,
  fence: text,
  waitsFor: listOf(text),
});

export const controlWire = oneOf({
  /**
   * At the beginning of a view, to all: what my callers still hold from before, in some parts. `part` counts
   * from 0: the first part replaces what I said of this view before.
   */
  STATE: {
    epoch: natural,
    members: listOf(recordOf({ id: text, incarnation: natural })),
    part: natural,
    isLast: bool,
    holds: listOf(recordOf({ ...lock, count: natural })),
  },
  /** A lock that a caller of mine held since an earlier view is released. */
  FREED: inView,
  /** A caller of mine tries or steals: tell me when more of yours than `known` are in its way. */
  PROBE: { ...inView, mode, probe: natural, known: int },
  /** The answer to a probe, and again whenever the count grows. */
  HELD: { ...inView, probe: natural, count: natural },
  /** Drop the lock if your callers hold it, and grant it to none of them before my caller has it. */
  STEAL: inView,
  /** My caller has it, or no longer wants it. */
  STOLEN: inView,
  /** This lock is in use: its algorithm must start at your site as well. */
  START: inView,
  /** How many permits has the semaphore? The member that keeps the sizes answers with the first one it heard. */
  SIZE: { epoch: natural, name: text, permits: below(MAX_PERMITS + 1) },
  SIZE_IS: { epoch: natural, name: text, permits: below(MAX_PERMITS + 1) },
  QUERY: { query: natural },
  /** A part of the answer; `isLast` ends it. */
  SURVEY: { query: natural, isLast: bool, held: listOf(entry), pending: listOf(entry) },
});

/** Which lock of which view a message is about. */
export const aboutLock = ({ name, permits }: LockName, epoch: number) => ({ epoch, name, permits });

export type Control = ReturnType<typeof controlWire.read>;
export type ControlOf<T extends Control['type']> = Extract<Control, { type: T }>;

/** A quarter of the largest message; no name takes more than half of that. */
const PART_BYTES = 262_144;

/** As many at a time as fit into one message; one empty part if there are none. */
export function* inParts<T extends { readonly name: string }>(all: readonly T[]): Generator<T[]> {
  let part: T[] = [];
  let bytes = 0;
  for (const one of all) {
    // At most two bytes for each character, and some for the other fields.
    const size = 2 * one.name.length + 500;
    if (bytes + size > PART_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(one);
    bytes += size;
  }
  yield part;
}
