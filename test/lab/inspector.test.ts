/** What a step changed, as the inspector tells it. */
import { expect, test } from 'vitest';
import { changesOf } from '../../lab/model/changes.ts';

const of = (now: unknown, then: unknown) =>
  changesOf(now, then).map(({ now: after, was: before }) =>
    after === before ? after : `${before} > ${after}`,
  );

test('of a list of records only the record that changed is marked', () => {
  const then = [
    { of: 0, answer: 'failed' },
    { of: 3, answer: 'none' },
  ];
  const now = [
    { of: 0, answer: 'failed' },
    { of: 3, answer: 'failed' },
  ];
  expect(of(now, then)).toEqual([
    '· of 0, answer failed',
    '· of 3, answer none > · of 3, answer failed',
  ]);
});

test('a record that leaves the head of a queue, or joins its end, changes no other line', () => {
  const [a, b, c] = [{ seq: 1 }, { seq: 2 }, { seq: 3 }];
  expect(of([b, c], [a, b, c])).toEqual(['· seq 1 > null', '· seq 2', '· seq 3']);
  expect(of([a, b, c], [a, b])).toEqual(['· seq 1', '· seq 2', 'null > · seq 3']);
});

test('other values are told whole: sets of sites by their numbers', () => {
  expect(of([true, false, true], [true, false, false])).toEqual(['{0} > {0, 2}']);
  expect(of(7, 7)).toEqual(['7']);
  expect(of(null, 2)).toEqual(['2 > –']);
});
