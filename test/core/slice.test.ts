/** The causes of a violation, and the slice of a trace that keeps only them. */
import { describe, expect, test } from 'vitest';
import { find } from '../../src/algorithms/catalogue.ts';
import { check } from '../../src/check/check.ts';
import { Rerun } from '../../src/check/replay/rerun.ts';
import { replay } from '../../src/check/replay.ts';
import type { Trace } from '../../src/core/formats/native.ts';
import { causesOf } from '../../src/core/formats/slice.ts';
import type { TraceEvent, TraceHeader, TraceStep } from '../../src/core/trace.ts';
import { makeWorld } from '../../src/topologies/world.ts';

const lamport = find('lamport');
const world = makeWorld(lamport, { nodes: 4 });
const header: TraceHeader = {
  ...{ latchkey: 'trace', version: 1, source: 'check', algorithm: 'lamport', nodes: 4, k: 1 },
  ...{ links: 'any', topology: 'complete', options: [] },
};

/** Takes these steps on the algorithm itself; a delivery is named by the sender and the type. */
function trace(...events: string[]): TraceStep[] {
  const rerun = new Rerun(lamport, world, header);
  return events.map((text, i): TraceStep => {
    const [site, what, from, type] = text.split(' ');
    let event: TraceEvent = { event: 'request', mode: 'exclusive' };
    if (what === 'gets') {
      const { id, message } = rerun.traceState
        .inFlightTo(Number(site))
        .find((l) => l.from === Number(from) && l.message.type === type)!;
      event = { event: 'deliver', from: Number(from), id, message };
    }
    const outcome = rerun.outcomes(Number(site), event).next().value!;
    const { sends, enters, state } = outcome;
    const step = { ...event, step: i + 1, time: i + 1, site: Number(site), sends, enters, state };
    rerun.take(step, outcome);
    return step;
  });
}
const numbers = (steps: readonly TraceStep[]) => steps.map(({ step }) => step);
const wrong = (property: string, steps: TraceStep[]): Trace => ({
  header: { ...header, violation: { property, why: '' } },
  steps,
});

describe('the causes of a violation', () => {
  const steps = trace(
    '0 asks', //          1
    '3 asks', //          2: nobody hears of it but 2, and 2 has no part either
    '2 gets 3 REQUEST', // 3
    '1 asks', //          4
    '1 gets 0 REQUEST', // 5
    '2 gets 0 REQUEST', // 6: after 3, on the same site
    '0 gets 1 REQUEST', // 7
  );
  test('causes are earlier steps of the same site, the sendings of its deliveries, and their causes', () => {
    expect(numbers(causesOf(wrong('assertion', steps)))).toEqual([1, 4, 7]);
    expect(numbers(causesOf(wrong('assertion', steps.slice(0, 6))))).toEqual([1, 2, 3, 6]);
  });
  test('a violation of several sites has the causes of all of them', () => {
    expect(numbers(causesOf(wrong('fcfs', steps)))).toEqual([1, 2, 4, 5, 7]);
  });
  test('a deadlock, or an unknown property, has every step as a cause', () => {
    for (const property of ['deadlock-freedom', 'starvation-freedom', 'token-uniqueness', 'odd']) {
      expect(causesOf(wrong(property, steps))).toEqual(steps);
    }
    expect(causesOf({ header, steps })).toEqual(steps);
  });
});

describe('the slice of a counterexample', () => {
  const small = makeWorld(lamport, { nodes: 3 });
  const random = { schedules: 2000, seed: 2 };
  const { trace: found, violation } = check(lamport, small, { links: 'any', random });
  const whole: Trace = {
    header: { ...header, nodes: 3, violation: violation! },
    steps: found!,
  };
  const steps = causesOf(whole);
  test('it begins and ends with the same steps, in the same order', () => {
    expect(steps.at(-1)).toEqual(whole.steps.at(-1));
    expect(numbers(steps)).toEqual([...numbers(steps)].sort((a, b) => a - b));
  });
  test('it is itself a run with the same violation', () => {
    // The numbers of steps and of messages are given out anew.
    const ids = new Map<number, number>();
    const renumbered = steps.map((step, i) => {
      const sends = step.sends.map((send) => {
        ids.set(send.id, ids.size + 1);
        return { ...send, id: ids.get(send.id)! };
      });
      const id = 'id' in step ? { id: ids.get(step.id)! } : {};
      return { ...step, ...id, sends, step: i + 1, time: i + 1 } as TraceStep;
    });
    const replayed = replay(lamport, small, { header: whole.header, steps: renumbered });
    expect(replayed).toMatchObject({ divergence: null, confirmed: true });
  });
});
