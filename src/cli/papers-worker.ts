/** Performs experiments, one at a time, as it is told. One that an algorithm does not survive has no rows. */
import { parentPort, workerData } from 'node:worker_threads';
import { InvariantViolation } from '../core/assert.ts';
import { perform } from '../papers/experiment.ts';
import { experiments } from '../papers/experiments.ts';
import { type Effort, Instruments } from '../papers/instruments.ts';

const using = new Instruments((workerData as { effort: Effort }).effort);
parentPort!.on('message', (index: number) => {
  try {
    parentPort!.postMessage({ index, outcome: perform(experiments[index]!, using) });
  } catch (error) {
    if (!(error instanceof InvariantViolation)) throw error;
    parentPort!.postMessage({ index, outcome: { rows: [], figures: [], failed: error.message } });
  }
});
