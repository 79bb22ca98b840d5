/** Lending, explored in full in small worlds: the client's end, the daemon's end and the members as they are deployed. */
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { base, other, run } from '../support/lending-runs.ts';
import { type LendingSettings, sourceIn } from '../support/lending-world.ts';

describe('proved of lending', () => {
  test.each<{ name: string; settings: Partial<LendingSettings>; states: number }>([
    { name: 'two clients of one daemon', settings: {}, states: 7_061 },
    { name: 'another member', settings: other, states: 7_653 },
    { name: 'a client that dies', settings: { crashes: 1 }, states: 19_101 },
    {
      name: 'a client that dies, and another member',
      settings: { ...other, crashes: 1 },
      states: 11_433,
    },
    { name: 'two callers of one client', settings: { clients: [[2, 2]] }, states: 20_098 },
    {
      name: 'tries of clients',
      settings: { clients: [[2], [1]], hows: ['wait', 'try'] },
      states: 10_945,
    },
    { name: 'a try of another member', settings: { ...other, otherHows: ['try'] }, states: 15_309 },
    {
      name: 'a reader of another member',
      settings: { ...other, otherHows: ['read'] },
      states: 9_710,
    },
    {
      name: 'steals of clients',
      settings: { clients: [[2], [1]], hows: ['wait', 'steal'] },
      states: 35_279,
    },
    {
      name: 'a steal of another member',
      settings: { ...other, otherHows: ['steal'] },
      states: 11_652,
    },
    {
      name: 'a client that is slow to answer',
      settings: { ...other, clients: [[2]], otherHows: ['try', 'steal'], delays: 1 },
      states: 9_930,
    },
  ])('with $name', async ({ settings, states }) => {
    const report = run(await sourceIn(resolve('src')), { ...base, ...settings });
    expect(report.violation).toBeUndefined();
    expect(report.reentries).toBeGreaterThan(0);
    expect(report.states).toBe(states);
  });
});
