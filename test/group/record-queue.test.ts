/** What the queue of idle locks keeps in memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { LockRecord } from '../../src/group/lock-record.ts';
import { RecordQueue } from '../../src/group/record-queue.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

test('a queue of idle locks does not keep a record in memory that was taken from it', async () => {
  const queue = new RecordQueue();
  const taken: WeakRef<LockRecord>[] = [];
  for (let i = 0; i < 100; i++) queue.push(new LockRecord(`lock ${i}`, 0, null), i);
  for (let i = 0; i < 60; i++) taken.push(new WeakRef(queue.take(i)!));
  // A WeakRef keeps its object until the present turn of the event loop ends.
  await new Promise(setImmediate);
  collectGarbage();
  expect(taken.filter((record) => record.deref() !== undefined)).toHaveLength(0);
  expect(queue.take(60)?.name).toBe('lock 60');
  expect(queue.length).toBe(39);
});
