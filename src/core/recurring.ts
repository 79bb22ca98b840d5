import { int, Malformed, natural, Reader, readAll, type Wire, Writer } from './wire.ts';

/** Longer values are rare, and not worth caching. */
const SHORT = 96;
const MOST_KNOWN = 256;

/**
 * The wire of values that recur often, such as the header of a message about a lock. The length is
 * written before each value. The reader caches the latest short values by their bytes, and returns
 * the cached value. The caller must not change it.
 */
export function recurring<T>(of: Wire<T>): Wire<T> {
  const known = Array<{ readonly bytes: Uint8Array; readonly value: T } | null>(MOST_KNOWN);
  known.fill(null);
  const writer = new Writer();
  return {
    declaration: ['prefixed', of.declaration],
    write(to, value) {
      of.write(writer, value);
      const bytes = writer.take();
      int.write(to, bytes.length);
      to.append(bytes);
    },
    read(from) {
      const length = natural.read(from);
      if (length > from.left) throw new Malformed('it ends too early');
      const { bytes, at } = from;
      from.at += length;
      if (length > SHORT) return readAll(of, new Reader(bytes, at, from.at));
      let place = length;
      for (let i = at; i < from.at; i++) place = (31 * place + bytes[i]!) & (MOST_KNOWN - 1);
      const entry = known[place];
      if (entry && isAt(bytes, at, length, entry.bytes)) return entry.value;
      const value = readAll(of, new Reader(bytes, at, from.at));
      // Not `slice`, which copies nothing if this is a Buffer: the next read into that buffer would
      // change the cached bytes.
      known[place] = { bytes: Uint8Array.from(bytes.subarray(at, from.at)), value };
      return value;
    },
  };
}

function isAt(bytes: Uint8Array, at: number, length: number, wanted: Uint8Array): boolean {
  if (wanted.length !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}
