/** Where a large check gets its second thread from. */
import { Worker } from 'node:worker_threads';
import type { SecondThread } from '../check/thread.ts';

/** The compiled file: workers know nothing of TypeScript. */
const WORKER = new URL('./check-worker.js', import.meta.url);

export const secondThread = (file = WORKER): SecondThread => ({
  start: (work) => {
    // No options of Node's: not all that a process may have are good for a worker.
    const worker = new Worker(file, { workerData: work, execArgv: [] });
    return {
      post: (segment) => worker.postMessage(segment),
      end: () => void worker.terminate(),
    };
  },
});
