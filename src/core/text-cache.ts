import { text } from './text.ts';
import { natural, type Reader, type Wire } from './wire.ts';

/** A power of two: far more names than one process uses at the same moment. */
const SLOTS = 512;
/** Longer texts, and texts with wide characters, are not cached. */
const LONGEST = 64;

/**
 * Reads texts as `text` does, and gives the same string object again for a text that was read lately. That takes less time
 * than to make a string, and a `Map` has to compute the hash of each new string once more.
 */
export class TextCache implements Pick<Wire<string>, 'read'> {
  readonly #texts: string[] = Array<string>(SLOTS).fill('');

  read(from: Reader): string {
    const start = from.at;
    const header = natural.read(from);
    const length = header / 2;
    if (header % 2 === 1 || length > LONGEST || length > from.left) {
      from.at = start;
      return text.read(from);
    }
    const { bytes, at } = from;
    let hash = length;
    for (let i = 0; i < length; i++) hash = Math.imul(hash, 31) + bytes[at + i]!;
    const slot = (hash ^ (hash >>> 9)) & (SLOTS - 1);
    const known = this.#texts[slot]!;
    if (isThere(known, bytes, at, length)) {
      from.at = at + length;
      return known;
    }
    from.at = start;
    const read = text.read(from);
    this.#texts[slot] = read;
    return read;
  }
}

/** Whether the bytes are that text. */
function isThere(known: string, bytes: Uint8Array, at: number, length: number): boolean {
  if (known.length !== length) return false;
  for (let i = 0; i < length; i++) if (known.charCodeAt(i) !== bytes[at + i]) return false;
  return true;
}
