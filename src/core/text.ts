/**
 * Texts as bytes: one byte a letter where they can and two where not, so that any string comes through,
 * lone surrogates too.
 */
import { int, natural, type Wire } from './wire.ts';

export const text: Wire<string> = {
  write(to, value) {
    let isWide = false;
    for (let i = 0; i < value.length; i++) isWide ||= value.charCodeAt(i) > 0xff;
    int.write(to, 2 * value.length + (isWide ? 1 : 0));
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i);
      to.byte(unit & 0xff);
      if (isWide) to.byte(unit >> 8);
    }
  },
  read(from) {
    const header = natural.read(from);
    const isWide = header % 2 === 1;
    const bytes = from.take((isWide ? 2 : 1) * Math.floor(header / 2));
    if (!isWide) return lettersOf(bytes);
    const units = new Uint16Array(bytes.length / 2);
    for (let i = 0; i < units.length; i++) units[i] = bytes[2 * i]! | (bytes[2 * i + 1]! << 8);
    return lettersOf(units);
  },
};

/** Longer ones are rare, and not worth remembering. */
const SHORT = 64;
const MOST_KNOWN = 256;

/**
 * The same for texts that come again and again, as the names of locks do: the latest short ones are known
 * by their bytes, and need not be made anew.
 */
export function recurring(): Wire<string> {
  const known = Array<{ readonly bytes: Uint8Array; readonly text: string } | null>(MOST_KNOWN);
  known.fill(null);
  return {
    write: text.write,
    read(from) {
      const { bytes, at } = from;
      // Narrow ones of up to 31 letters: the header is one byte.
      const header = bytes[at]!;
      const length = header >> 1;
      if (!(header < SHORT) || header % 2 === 1 || length >= from.left) return text.read(from);
      let place = length;
      for (let i = 1; i <= length; i++) place = (31 * place + bytes[at + i]!) & (MOST_KNOWN - 1);
      const entry = known[place];
      if (entry?.bytes.length === length) {
        let i = 0;
        while (i < length && entry.bytes[i] === bytes[at + 1 + i]) i++;
        if (i === length) {
          from.at += 1 + length;
          return entry.text;
        }
      }
      const read = text.read(from);
      known[place] = { bytes: bytes.slice(at + 1, at + 1 + length), text: read };
      return read;
    },
  };
}

/** So many arguments at a time as every engine takes. */
const CHUNK = 4096;
function lettersOf(units: Uint8Array | Uint16Array): string {
  if (units.length <= CHUNK) return String.fromCharCode.apply(null, units as unknown as number[]);
  let letters = '';
  for (let i = 0; i < units.length; i += CHUNK) letters += lettersOf(units.subarray(i, i + CHUNK));
  return letters;
}
