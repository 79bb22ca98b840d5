import { expect, test } from 'vitest';
import { ReusedList } from '../../src/core/reused-list.ts';

test.each([3, 1000])('a list that had %i items has only those that were pushed since', (many) => {
  const list = new ReusedList<number>();
  for (let i = 0; i < many; i++) list.push(i);
  expect([...list]).toEqual(Array.from({ length: many }, (_, i) => i));
  list.clear();
  expect([...list]).toEqual([]);
  list.push(-1);
  list.push(-2);
  expect([...list]).toEqual([-1, -2]);
  expect([list.length, list.at(1)]).toEqual([2, -2]);
});
