/** The second thread of a check. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Segment } from '../check/tables.ts';
import { type KeeperWork, keepStates } from '../check/thread.ts';

keepStates(
  workerData as KeeperWork,
  () => receiveMessageOnPort(parentPort!)?.message as Segment | undefined,
);
