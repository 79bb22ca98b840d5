/**
 * Strings as bytes: one byte per UTF-16 code unit if every unit fits, else two. Any string
 * round-trips, lone surrogates too.
 */
import { int, natural, type Wire } from './wire.ts';

export const text: Wire<string> = {
  declaration: 'text',
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
    if (!isWide) return stringOf(bytes);
    const units = new Uint16Array(bytes.length / 2);
    for (let i = 0; i < units.length; i++) units[i] = bytes[2 * i]! | (bytes[2 * i + 1]! << 8);
    return stringOf(units);
  },
};

/** The number of arguments that every engine accepts in one call. */
const CHUNK = 4096;
function stringOf(units: Uint8Array | Uint16Array): string {
  if (units.length <= CHUNK) return String.fromCharCode.apply(null, units as unknown as number[]);
  let characters = '';
  for (let i = 0; i < units.length; i += CHUNK)
    characters += stringOf(units.subarray(i, i + CHUNK));
  return characters;
}
