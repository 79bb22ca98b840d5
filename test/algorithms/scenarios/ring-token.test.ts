import { expect, test } from 'vitest';
import { ringToken } from '../../../src/algorithms/ring-token.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const unit = { delay: 'constant:1', cs: 1 } as const;
const ring = (n: number) => makeWorld(ringToken, { nodes: n });

test.each([3, 5, 8])('all %i at once: N−1 TOKENs serve all, the last one brings it home', (n) => {
  const order: number[] = [];
  let tokens = 0;
  let tokensBeforeLast = 0;
  const { byType } = simulate(ringToken, ring(n), {
    ...unit,
    workload: 'once',
    trace({ site, enters, sends }) {
      if (enters) order.push(site);
      if (enters) tokensBeforeLast = tokens;
      tokens += sends.filter(({ message }) => message.type === 'TOKEN').length;
    },
  });
  expect(order).toEqual(Array.from({ length: n }, (_, i) => i));
  expect(tokensBeforeLast).toBe(n - 1);
  expect(byType).toEqual({ TOKEN: n });
});

test('a site that asks alone waits for the token to come by: 0 → 1 → 2 → 3, and on', () => {
  const settings = { ...unit, workload: 'script', script: '0 request 3' } as const;
  expect(simulate(ringToken, ring(5), settings).byType).toEqual({ TOKEN: 4 });
});

// "it is very effective under high load" (survey, 3.1)
test('when all ask all the time, an entry costs one message', () => {
  const settings = { ...unit, workload: 'saturated', entries: 200 } as const;
  expect(simulate(ringToken, ring(5), settings).steady!.messagesPerEntry).toBe(1);
});

// "the token message circulates even if no process wants to enter the CS" (survey, 3.1)
test('the token never rests', () => {
  let deliveries = 0;
  const { messages } = simulate(ringToken, ring(5), {
    ...unit,
    workload: 'script',
    script: '0 request 0',
    trace: ({ event }) => {
      if (event === 'deliver') deliveries++;
    },
  });
  // What it sends when nobody wants it belongs to no entry.
  expect(messages).toBe(1);
  expect(deliveries).toBeGreaterThan(10_000);
});

// "If the ring is unidirectional, starvation freedom is ensured." (survey, 3.1)
test.each([
  [2, 26],
  [3, 76],
  [4, 200],
])('%i sites that ask as often as they like: none starves, in %i states', (n, states) => {
  const report = check(ringToken, ring(n), { entries: Number.POSITIVE_INFINITY });
  expect(report.verdict).toBe('proved');
  expect(report.states).toBe(states);
});

// "The token-based approach is highly susceptible to the loss of the token" (survey, 3.1)
test('a lost token stops every site', () => {
  const { violation } = check(ringToken, ring(2), { entries: 1, losses: 1 });
  expect(violation?.property).toBe('deadlock-freedom');
});
