import { expect, test } from 'vitest';
import { LogLimiter } from '../../src/net/log-limiter.ts';
import { type LogEntry, Refusals } from '../../src/net/refusals.ts';

test('twenty thousand faults of one peer are counted, and write ten lines a minute', () => {
  let now = 0;
  const log: LogEntry[] = [];
  const refusals = new Refusals(
    () => now,
    (entry) => log.push(entry),
  );
  const fault = { reason: 'malformed', detail: 'a frame of kind 9' } as const;
  for (let i = 0; i < 20_000; i++) refusals.note(fault, { peer: 'b' });
  expect(refusals.counts.malformed).toBe(20_000);
  expect(log).toHaveLength(10);
  // The flood of one peer does not hide a fault of another.
  refusals.note(fault, { peer: 'c' });
  expect(log.at(-1)).toMatchObject({ peer: 'c', message: 'a frame of kind 9' });
  now = 60_000;
  refusals.note(fault, { peer: 'b' });
  expect(log).toHaveLength(12);
  expect(log.at(-1)?.message).toMatch(/19990 more like this/);
});

test('the log limiter forgets the oldest of many keys, so that its memory is bounded', () => {
  const limiter = new LogLimiter(() => 0);
  for (let i = 0; i < 10; i++) expect(limiter.admit('first')).toBe(0);
  expect(limiter.admit('first')).toBeUndefined();
  for (let i = 0; i < 1000; i++) limiter.admit(`key ${i}`);
  expect(limiter.admit('first')).toBe(0);
});
