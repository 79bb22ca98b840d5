/**
 * Strings as bytes: one byte per UTF-16 code unit if every unit fits, else two. Any string
 * round-trips, lone surrogates too.
 */
import { int, makeWire, natural, type Reader } from './wire.ts';

export const text = makeWire<string>(
  'text',
  (to, value) => {
    let isWide = false;
    for (let i = 0; i < value.length; i++) isWide ||= value.charCodeAt(i) > 0xff;
    int.write(to, 2 * value.length + (isWide ? 1 : 0));
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i);
      to.byte(unit & 0xff);
      if (isWide) to.byte(unit >> 8);
    }
  },
  (from) => {
    const header = natural.read(from);
    const isWide = header % 2 === 1;
    const length = Math.floor(header / 2);
    if (!isWide && length <= SHORT) return shortString(from, length);
    const bytes = from.take((isWide ? 2 : 1) * length);
    if (!isWide) return stringOf(bytes);
    const units = new Uint16Array(bytes.length / 2);
    for (let i = 0; i < units.length; i++) units[i] = bytes[2 * i]! | (bytes[2 * i + 1]! << 8);
    return stringOf(units);
  },
);

/** For short strings an array by length, which is filled again and again: a view of the bytes takes longer to make. */
const SHORT = 64;
const UNITS = Array.from({ length: SHORT + 1 }, (_, length) => Array<number>(length).fill(0));
function shortString(from: Reader, length: number): string {
  const units = UNITS[length]!;
  for (let i = 0; i < length; i++) units[i] = from.byte();
  return String.fromCharCode.apply(null, units);
}

/** The number of arguments that every engine accepts in one call. */
const CHUNK = 4096;
function stringOf(units: Uint8Array | Uint16Array): string {
  if (units.length <= CHUNK) return String.fromCharCode.apply(null, units as unknown as number[]);
  let characters = '';
  for (let i = 0; i < units.length; i += CHUNK)
    characters += stringOf(units.subarray(i, i + CHUNK));
  return characters;
}
