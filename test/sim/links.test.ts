/** Messages under way: who may overtake whom, broadcasts, and what a trace says of it. */
import { describe, expect, test } from 'vitest';
import { ricartAgrawala } from '../../src/algorithms/ricart-agrawala.ts';
import type { Algorithm, AnyAlgorithm } from '../../src/core/algorithm.ts';
import type { Messages } from '../../src/core/message.ts';
import type { TraceStep } from '../../src/core/trace.ts';
import { type Settings, simulate } from '../../src/sim/index.ts';
import { makeWorld } from '../../src/topologies/world.ts';

function traceOf(algorithm: AnyAlgorithm, n: number, settings: Settings) {
  const steps: TraceStep[] = [];
  const trace: Settings['trace'] = (step) => steps.push(step);
  const result = simulate(algorithm, makeWorld(algorithm, { nodes: n }), { ...settings, trace });
  return { steps, result };
}

/** How many messages arrived after one that was sent later on the same channel. */
function overtaken(steps: readonly TraceStep[]): number {
  const last = new Map<string, number>();
  let count = 0;
  for (const step of steps) {
    if (step.event !== 'deliver') continue;
    const channel = `${step.from} ${step.site}`;
    const before = last.get(channel) ?? 0;
    if (step.id < before) count++;
    last.set(channel, Math.max(before, step.id));
  }
  return count;
}

const messages = { SAY: { n: 'int' } } as const satisfies Messages;
type State = { heard: number[] };

/** Everyone may enter at any time; each entry is announced to all. It is for counting, not for locking. */
const herald = (order?: 'total'): Algorithm<State, typeof messages> => ({
  id: 'herald',
  title: 'Herald',
  year: 2026,
  paper: 'none',
  family: 'permission',
  modes: ['exclusive'],
  k: true,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any',
  options: {},
  messages,
  claims: { messages: { formula: '1', bounds: () => ({ least: 1, most: 1 }) } },
  recovers: [],
  init: () => ({ heard: [] }),
  request(_, site) {
    site.broadcast({ type: 'SAY', n: site.me }, order);
    site.enter();
  },
  release() {},
  on: {
    SAY(my, _site, from, { n }) {
      expect(n).toBe(from);
      my.heard.push(n);
    },
  },
});

describe('links', () => {
  const settings: Settings = { workload: 'saturated', entries: 300 };

  for (const delay of ['constant:5', 'uniform:1,9', 'exponential:5', 'lognormal:5,9']) {
    test(`fifo: nothing is overtaken, ${delay}`, () => {
      for (const seed of [1, 2, 3]) {
        const run = traceOf(ricartAgrawala, 4, { ...settings, seed, delay, links: 'fifo' });
        expect(overtaken(run.steps)).toBe(0);
        expect(run.result.messagesPerEntry).toBe(6);
      }
    });
  }

  test('any: what takes less time overtakes', () => {
    const any = traceOf(ricartAgrawala, 4, { ...settings, delay: 'exponential:5', links: 'any' });
    expect(overtaken(any.steps)).toBeGreaterThan(10);
    const constant = traceOf(ricartAgrawala, 4, { ...settings, links: 'any' });
    expect(overtaken(constant.steps)).toBe(0);
  });

  test('the algorithm says which unless the caller does', () => {
    const lax: AnyAlgorithm = ricartAgrawala;
    const strict: AnyAlgorithm = { ...lax, links: 'fifo' };
    const { steps } = traceOf(strict, 4, { ...settings, delay: 'exponential:5' });
    expect(overtaken(steps)).toBe(0);
  });
});

describe('broadcasts', () => {
  test('are one message, which all others receive', () => {
    const world = { ...makeWorld(herald(), { nodes: 5 }), k: 5 };
    const result = simulate(herald(), world, { workload: 'once', delay: 'exponential:5' });
    expect(result.violations).toEqual([]);
    expect(result).toMatchObject({ messages: 5, messagesPerEntry: 1, byType: { SAY: 5 } });
    // 5 requests, 5 exits, and each of the 5 messages arrives at 4 sites.
    expect(result.events).toBe(30);
  });

  test('in total order reach all in one order, the sender too', () => {
    const algorithm = herald('total');
    const heard: number[][] = [];
    const trace: Settings['trace'] = ({ site, state }) => {
      heard[site] = (state as State).heard;
    };
    const world = { ...makeWorld(algorithm, { nodes: 5 }), k: 5 };
    const settings = {
      workload: 'saturated',
      entries: 100,
      delay: 'exponential:5',
      trace,
    } as const;
    const result = simulate(algorithm, world, settings);
    expect(result.messages).toBe(100);
    expect(heard[0]).toHaveLength(100);
    for (const site of [1, 2, 3, 4]) expect(heard[site]).toEqual(heard[0]);
  });

  test('without order need not', () => {
    const heard: number[][] = [];
    const trace: Settings['trace'] = ({ site, state }) => {
      heard[site] = (state as State).heard;
    };
    const world = { ...makeWorld(herald(), { nodes: 5 }), k: 5 };
    simulate(herald(), world, { workload: 'once', delay: 'exponential:5', trace });
    const seen = heard.map(
      (list, site) => list.filter((n) => n !== 4 && n !== 3).join() + (site > 2),
    );
    expect(new Set(seen).size).toBeGreaterThan(1);
  });
});

describe('a trace', () => {
  test('has every step, and every message twice: sent, and delivered', () => {
    const { steps, result } = traceOf(ricartAgrawala, 3, { workload: 'once' });
    expect(steps).toHaveLength(result.events);
    expect(steps.map(({ step }) => step)).toEqual(steps.map((_, i) => i + 1));
    const sent = steps.flatMap(({ sends }) => sends.map(({ id }) => id));
    const delivered = steps.flatMap((step) => (step.event === 'deliver' ? [step.id] : []));
    expect(sent).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    expect(delivered.toSorted((a, b) => a - b)).toEqual(sent);
    expect(steps.filter(({ enters }) => enters).map(({ site }) => site)).toEqual([0, 1, 2]);
    expect(steps.filter(({ event }) => event === 'exit').map(({ time }) => time)).toEqual([
      20, 35, 50,
    ]);
  });

  test('begins like this', () => {
    const { steps } = traceOf(herald(), 2, { workload: 'script', script: '3 request 1' });
    expect(JSON.stringify(steps[0])).toBe(
      '{"step":1,"time":3,"site":1,"event":"request","mode":"exclusive",' +
        '"sends":[{"id":1,"to":-1,"message":{"type":"SAY","n":1}}],"enters":true,"state":{"heard":[]}}',
    );
    expect(JSON.stringify(steps[1])).toBe(
      '{"step":2,"time":8,"site":0,"event":"deliver","from":1,"id":1,' +
        '"message":{"type":"SAY","n":1},"sends":[],"enters":false,"state":{"heard":[1]}}',
    );
    expect(JSON.stringify(steps[2])).toBe(
      '{"step":3,"time":13,"site":1,"event":"exit","sends":[],"enters":false,"state":{"heard":[]}}',
    );
  });

  test('keeps what was, whatever happens later', () => {
    const { steps } = traceOf(ricartAgrawala, 4, { entries: 50 });
    const later = traceOf(ricartAgrawala, 4, { entries: 50 }).steps.map((s) => JSON.stringify(s));
    expect(steps.map((s) => JSON.stringify(s))).toEqual(later);
    const states = new Set(steps.map(({ state }) => state));
    expect(states.size).toBe(steps.length);
  });
});
