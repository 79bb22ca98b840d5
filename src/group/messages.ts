/** What members say to each other besides the algorithms' own messages. */
import { text } from '../core/text.ts';
import { below, bool, int, listOf, mode, natural, oneOf, recordOf } from '../core/wire.ts';

/** A lock or, with permits, a semaphore. */
const lock = { name: text, permits: below(1001) };
const of = { epoch: natural, ...lock };

const entry = recordOf({
  ...lock,
  mode,
  clientId: text,
  forMs: int,
  fence: text,
  waitsFor: listOf(text),
});

export const controlWire = oneOf({
  /** At the beginning of a view, to all: my clock, and what I still hold from before, in some parts. */
  STATE: {
    epoch: natural,
    members: listOf(recordOf({ id: text, incarnation: natural })),
    clock: natural,
    isLast: bool,
    holds: listOf(recordOf({ ...lock, count: natural })),
  },
  /** One of those I have given back. */
  FREED: of,
  /** Someone here tries: tell me if, or as soon as, more than so many at yours hold it. */
  PROBE: { ...of, mode, probe: natural, known: int },
  /** So many at mine hold it. */
  HELD: { ...of, probe: natural, count: natural },
  /** Drop it if you hold it, and step aside for me until I have it. */
  STEAL: of,
  /** I have it, or no longer want it. */
  STOLE: of,
  /** This lock is in use: its algorithm must begin at your site as well. */
  WAKE: of,
  QUERY: { query: natural },
  /** A part of the answer; `isLast` ends it. */
  CENSUS: { query: natural, isLast: bool, held: listOf(entry), pending: listOf(entry) },
});

export type Control = ReturnType<typeof controlWire.read>;
export type ControlOf<T extends Control['type']> = Extract<Control, { type: T }>;

/** Longer ones would not fit into what members send each other. */
export const LONGEST_NAME = 65_536;

/** A quarter of the largest message, and no name is longer than half of that. */
const PART_BYTES = 262_144;

/** So many at a time as fit into one message; one empty part if there are none. */
export function* inParts<T extends { readonly name: string }>(all: readonly T[]): Generator<T[]> {
  let part: T[] = [];
  let bytes = 0;
  for (const one of all) {
    // Two bytes a letter at most, and what else there is to say of it.
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
