import { expect, test } from 'vitest';
import { neilsenMizuno } from '../../../src/algorithms/neilsen-mizuno.ts';
import { check } from '../../../src/check/check.ts';
import type { TraceStep } from '../../../src/core/trace.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number, topology: string) => makeWorld(neilsenMizuno, { nodes, topology });
const run = (nodes: number, topology: string, script: string) => {
  const steps: TraceStep[] = [];
  const result = simulate(neilsenMizuno, world(nodes, topology), {
    delay: 'constant:1',
    cs: 1,
    workload: 'script',
    script,
    trace: (step) => steps.push(step),
  });
  return { ...result, steps };
};

// "In a star topology the upper bound is 3." (survey, Neilsen-Mizuno)
test('a star of five: a leaf pays two while the hub holds the token, three after another leaf', () => {
  expect(run(5, 'star', '0 request 1').messages).toBe(2);
  expect(run(5, 'star', '0 request 1\n100 request 2').messages).toBe(2 + 3);
  expect(run(5, 'star', '0 request 0').messages).toBe(0);
});

// "For a linear topology, the upper bound is N."
test('a line of six: the far end pays six', () => {
  expect(run(6, 'line', '0 request 5').byType).toEqual({ REQUEST: 5, PRIVILEGE: 1 });
});

// The survey lets sites "communicate only with their neighbors", which is true of REQUESTs alone.
test('the token goes straight to its next user', () => {
  const { steps } = run(5, 'star', '0 request 1 stay 50\n10 request 2');
  const passed = steps.flatMap(({ site, sends }) =>
    sends.filter(({ message }) => message.type === 'PRIVILEGE').map(({ to }) => [site, to]),
  );
  expect(passed).toEqual([
    [0, 1],
    [1, 2],
  ]);
});

// "The queue of pending requests can be deduced by following the state of NEXT in each node, starting
// at the node holding the token."
test('followed from the site that is inside, NEXT is the queue', () => {
  const script = '0 request 0 stay 90\n10 request 3\n20 request 1\n30 request 4\n40 request 2';
  const { steps } = run(5, 'binary', script);
  const next = new Map<number, number>();
  for (const { site, time, state } of steps) {
    if (time < 80) next.set(site, (state as { next: number }).next);
  }
  const queue: number[] = [];
  for (let i = next.get(0) ?? null; i !== null; i = next.get(i) ?? null) queue.push(i);
  expect(queue).toEqual([3, 1, 4, 2]);
});

test.each([
  ['star', 3, 140],
  ['star', 4, 1420],
  ['line', 4, 1400],
])('%s of %i: no site starves, however often all ask, in %i states', (topology, n, states) => {
  const report = check(neilsenMizuno, world(n, topology), { entries: Number.POSITIVE_INFINITY });
  expect(report.verdict).toBe('proved');
  expect(report.states).toBe(states);
});

test('a lost token stops every site', () => {
  const { violation } = check(neilsenMizuno, world(2, 'line'), { entries: 1, losses: 1 });
  expect(violation?.property).toBe('deadlock-freedom');
});
