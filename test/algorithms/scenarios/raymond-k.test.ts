import { expect, test } from 'vitest';
import { raymondK } from '../../../src/algorithms/raymond-k.ts';
import { ricartAgrawala } from '../../../src/algorithms/ricart-agrawala.ts';
import { check } from '../../../src/check/check.ts';
import { claimsMissed, simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const unit = { delay: 'constant:1', cs: 1 } as const;
const four = makeWorld(raymondK, { nodes: 4, k: 2 });

test('four sites, k = 2: one alone pays 6 messages, all four at once 24', () => {
  const solo = { ...unit, workload: 'script', script: '0 request 1' } as const;
  expect(simulate(raymondK, four, solo).messages).toBe(6);
  expect(simulate(raymondK, four, { ...unit, workload: 'once' }).messages).toBe(24);
});

test('two are inside at once, and never three', () => {
  let inside = 0;
  let most = 0;
  simulate(raymondK, four, {
    workload: 'saturated',
    entries: 200,
    trace({ enters, event }) {
      inside += (enters ? 1 : 0) - (event === 'exit' ? 1 : 0);
      most = Math.max(most, inside);
    },
  });
  expect(most).toBe(2);
});

test('a site that does not wait for all REPLYs may get several as one: from 2N−k−1 messages on', () => {
  const world = makeWorld(raymondK, { nodes: 6, k: 4 });
  const settings = { workload: 'saturated', entries: 600, delay: 'exponential:5' } as const;
  const { messagesPerEntry } = simulate(raymondK, world, settings);
  expect(messagesPerEntry).toBeGreaterThanOrEqual(2 * 6 - 4 - 1);
  expect(messagesPerEntry).toBeLessThan(2 * 5);
});

test('with k = 1 it is Ricart and Agrawala’s', () => {
  const settings = { workload: 'saturated', entries: 100 } as const;
  const { messages, waitingTime } = simulate(raymondK, makeWorld(raymondK, { nodes: 5 }), settings);
  const ra = simulate(ricartAgrawala, makeWorld(ricartAgrawala, { nodes: 5 }), settings);
  expect({ messages, waitingTime }).toEqual({ messages: ra.messages, waitingTime: ra.waitingTime });
});

test('a REPLY to an old request does not let a site in with too many', () => {
  // Forgetting what is owed from before is the mistake one would make.
  const forgetful: typeof raymondK = {
    ...raymondK,
    request(my, site, mode) {
      my.missing.fill(0);
      raymondK.request(my, site, mode);
    },
  };
  const world = makeWorld(forgetful, { nodes: 3, k: 2 });
  expect(check(forgetful, world, { entries: [2, 1, 1] }).verdict).toBe('violated');
});

// "This can occur many times while i is still executing its CS. When this happens, node i sends a
// reply message which contains the number of replies deferred" (the survey, section 6).
test('one long stay, while another comes and goes: one REPLY for all that was deferred', () => {
  const counts: number[] = [];
  const { messages } = simulate(raymondK, makeWorld(raymondK, { nodes: 3, k: 2 }), {
    ...unit,
    workload: 'script',
    script: '0 request 0 stay 500\n50 request 1\n100 request 1\n150 request 1',
    trace: ({ sends }) => {
      for (const { message } of sends) counts.push((message as { count?: number }).count ?? 0);
    },
  });
  // Site 0: 2 REQUESTs, 2 REPLYs. Site 1, three times: 2 REQUESTs, and the REPLY of site 2. Then one.
  expect([messages, counts.at(-1)]).toEqual([4 + 9 + 1, 3]);
});

test.each([1, 2, 3, 5])('2N−k−1 to 2(N−1) messages per entry, whatever the load: k = %i', (k) => {
  const world = makeWorld(raymondK, { nodes: 6, k });
  for (const workload of ['once', 'saturated', 'poisson', 'solo'] as const) {
    for (const seed of [1, 2, 3]) {
      const settings = { workload, seed, entries: 200, delay: 'exponential:5' };
      const result = simulate(raymondK, world, settings);
      expect(result.violations).toEqual([]);
      expect(claimsMissed(raymondK, world, settings, result)).toEqual([]);
    }
  }
});

test.each([
  [2, [2, 2, 1], 786_530],
  [3, [1, 1, 1], 26_683],
  [2, [1, 1, 1, 0], 113_696],
])('safe and live in every schedule, k = %i, %j entries: %i states', (k, entries, states) => {
  const world = makeWorld(raymondK, { nodes: entries.length, k });
  const report = check(raymondK, world, { entries });
  expect(report.violation).toBeNull();
  expect(report).toMatchObject({ verdict: 'proved', states });
});
