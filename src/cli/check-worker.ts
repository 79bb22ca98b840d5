/** The second thread of a check. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Segment } from '../check/tables.ts';
import { keepStates, type ThreadWork } from '../check/thread.ts';

keepStates(
  workerData as ThreadWork,
  () => receiveMessageOnPort(parentPort!)?.message as Segment | undefined,
);
