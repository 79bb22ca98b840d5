/** At build time: the checker without its second thread, for which a page would need headers that static hosts do not send. */
import type { Plugin } from 'vite';

const UNUSED = /src\/check\/thread-writer\.ts$/;

export const singleThread = (): Plugin => ({
  name: 'single-thread',
  load(id) {
    if (!UNUSED.test(id)) return undefined;
    return `export class ThreadWriter {
      constructor() { throw new Error('in a page the checker has one thread'); }
    }`;
  },
});
