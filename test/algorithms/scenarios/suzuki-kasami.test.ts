import { describe, expect, test } from 'vitest';
import { suzukiKasami } from '../../../src/algorithms/suzuki-kasami.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number, ...options: string[]) => makeWorld(suzukiKasami, { nodes, options });
const unit = { delay: 'constant:1', cs: 10 } as const;

// "The algorithm requires N messages exchanges for each mutual exclusion invocation or 0 messages if
// the requesting node is holding an idle token." (survey)
test('of five, one that lacks the token pays five messages, the holder none', () => {
  const ask = (script: string) =>
    simulate(suzukiKasami, world(5), { ...unit, workload: 'script', script }).byType;
  expect(ask('0 request 1')).toEqual({ REQUEST: 4, PRIVILEGE: 1 });
  expect(ask('0 request 0')).toEqual({});
});

test('all five at once: twenty messages, in ascending order', () => {
  const order: number[] = [];
  const { byType } = simulate(suzukiKasami, world(5), {
    ...unit,
    workload: 'once',
    trace: ({ site, enters }) => {
      if (enters) order.push(site);
    },
  });
  expect(byType).toEqual({ REQUEST: 16, PRIVILEGE: 4 });
  expect(order).toEqual([0, 1, 2, 3, 4]);
});

describe('bounded', () => {
  // "The modified algorithm requires L*N + (N-1) message exchages for L mutual exclusion entries"
  // (survey); of one site, and those of its entries that cost messages.
  test('three sites, L = 2, turn about: 21 messages as ever, and 6 ACKs', () => {
    const turns = [1, 0, 1, 0, 1, 0, 1].map((site, i) => `${100 * i} request ${site}`);
    const { byType } = simulate(suzukiKasami, world(3, 'bounded=2'), {
      ...{ ...unit, workload: 'script', script: turns.join('\n') },
    });
    // Site 1 asks four times, two rounds; site 0 three times, one round.
    expect(byType).toEqual({ REQUEST: 14, PRIVILEGE: 7, ACK: 2 * 2 + 2 * 1 });
  });

  test('no number reaches 2L', () => {
    const most = (option: string[]) => {
      let number = 0;
      simulate(suzukiKasami, world(4, ...option), {
        ...{ workload: 'saturated', entries: 200 },
        trace: ({ state }) => {
          number = Math.max(number, ...(state as { asked: number[] }).asked);
        },
      });
      return number;
    };
    expect([most([]), most(['bounded=3']), most(['bounded=1'])]).toEqual([50, 5, 1]);
  });

  // With bounded numbers there are finitely many states, however often sites ask: this is all runs.
  test.each([
    [2, 1, 120],
    [2, 2, 156],
    [2, 3, 200],
    [3, 1, 171_744],
  ])('%i sites that ask without end, L = %i: proved, %i states', (nodes, L, states) => {
    const report = check(suzukiKasami, world(nodes, `bounded=${L}`), {
      entries: Number.POSITIVE_INFINITY,
    });
    expect([report.violation, report.verdict, report.states]).toEqual([null, 'proved', states]);
  });

  test.each([1, 2, 3])('four sites, five entries each, L = %i, in random schedules', (L) => {
    const random = { schedules: 400, seed: L };
    const report = check(suzukiKasami, world(4, `bounded=${L}`), { entries: 5, random });
    expect(report.violation).toBeNull();
  });

  test('without the acknowledgements it fails', () => {
    const hasty: typeof suzukiKasami = {
      ...suzukiKasami,
      request(my, site, mode) {
        suzukiKasami.request(my, site, mode);
        my.missing = 0;
      },
      on: { ...suzukiKasami.on, ACK: () => {} },
    };
    const report = check(hasty, world(3, 'bounded=1'), { entries: 3 });
    expect(report.violation?.property).toBe('assertion');
    expect(report.violation?.why).toContain('the token comes only to a site that asked for it');
    expect(report.depth).toBe(9);
  });

  test('L is 1 or more', () => {
    expect(() => world(3, 'bounded=0')).toThrow('option bounded of suzuki-kasami takes');
  });
});
