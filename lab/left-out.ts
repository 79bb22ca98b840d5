/** At build time: what a page cannot use is left out of it. */
import type { Plugin } from 'vite';

/** By file, what takes its place. */
const STAND_INS: readonly (readonly [file: RegExp, code: string])[] = [
  // The checker's second thread: a page would need headers for it that static hosts do not send.
  [
    /src\/check\/thread-writer\.ts$/,
    `export class ThreadWriter {
      constructor() { throw new Error('in a page the checker has one thread'); }
    }`,
  ],
  // Structures from a file: a page has no files.
  [/src\/topologies\/file\.ts$/, 'export const readers = {};'],
];

export const leftOut = (): Plugin => ({
  name: 'left-out',
  load: (id) => STAND_INS.find(([file]) => file.test(id))?.[1],
});
