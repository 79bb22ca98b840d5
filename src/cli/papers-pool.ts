/** Experiments over all cores: each worker takes the next as soon as it is done with one. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Outcome as Performed } from '../papers/experiment.ts';
import { experiments } from '../papers/experiments.ts';
import type { Effort } from '../papers/instruments.ts';

/** What came of an experiment, and what was wrong if nothing did. */
export interface Outcome extends Performed {
  readonly failed?: string;
}

/** The outcomes in the order of `chosen`, which are places in the list of all experiments. */
export async function performAll(
  chosen: readonly number[],
  effort: Effort,
  onDone: (id: string, done: number) => void,
): Promise<Outcome[]> {
  const outcomes = new Map<number, Outcome>();
  // What takes longest is begun first, so that no core waits for another at the end.
  const queue = [...chosen].sort(
    (a, b) =>
      Number(experiments[b]!.long ?? false) - Number(experiments[a]!.long ?? false) || a - b,
  );
  const work = () =>
    new Promise<void>((resolve, reject) => {
      // The compiled file: workers know nothing of TypeScript.
      const file = new URL('./papers-worker.js', import.meta.url);
      const worker = new Worker(file, { workerData: { effort } });
      const next = () => {
        const index = queue.shift();
        if (index !== undefined) return worker.postMessage(index);
        void worker.terminate();
        resolve();
      };
      worker.on('message', ({ index, outcome }: { index: number; outcome: Outcome }) => {
        outcomes.set(index, outcome);
        onDone(experiments[index]!.id, outcomes.size);
        next();
      });
      worker.on('error', reject);
      next();
    });
  const workers = Math.min(availableParallelism(), chosen.length);
  await Promise.all(Array.from({ length: workers }, work));
  return chosen.map((index) => outcomes.get(index)!);
}
