/** Ricart–Agrawala: the decision table of section 2.2, and the remarks of sections 6.5, 7.1, 7.2.2 and 7.4. */
import { describe, expect, test } from 'vitest';
import { ricartAgrawala } from '../../../src/algorithms/ricart-agrawala.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number, ...options: string[]) =>
  makeWorld(ricartAgrawala, { nodes, options });

function run(nodes: number, options: string[], script: string, faults = '[]') {
  const entered: number[] = [];
  const result = simulate(ricartAgrawala, world(nodes, ...options), {
    ...{ delay: 'constant:5', workload: 'script', script, faults },
    trace: ({ enters, site }) => enters && entered.push(site),
  });
  expect(result.violations).toEqual([]);
  return { ...result, entered };
}

// "high priority nodes may be allowed to monopolize critical section processing until forced to increment
// their sequence numbers past the one chosen by a lower priority node" (6.5)
describe('delay-acting', () => {
  // Site 2 takes the number 3; site 0, which asks five times, takes 1, 2, 3, 4, 5.
  const script = ['0 request 2', ...Array(5).fill('1 request 0')].join('\n');
  test('site 0 goes in three times before a request of less priority with the number 3', () => {
    expect(run(3, ['delay-acting'], script).entered).toEqual([0, 0, 0, 2, 0, 0]);
  });
  test('without it, small increments alone let site 0 in once', () => {
    expect(run(3, ['increment=priority'], script).entered).toEqual([0, 2, 0, 0, 0, 0]);
  });
  test('a site that does not ask again replies after 50 ticks', () => {
    expect(run(3, ['delay-acting'], '0 request 2').waitingTime.max).toBe(5 + 50 + 5);
  });
  test('costs 2(N−1) messages per entry', () => {
    expect(run(3, ['delay-acting'], script).messages).toBe(6 * 4);
  });
  test('is safe, and serves by numbers, in every schedule of three sites', () => {
    const report = check(ricartAgrawala, world(3, 'delay-acting'), { entries: [2, 1, 1] });
    expect(report.violation).toBeNull();
    expect(report.verdict).toBe('proved');
    expect(report.properties).toContainEqual({ name: 'fcfs', verdict: 'proved' });
  });
  test('does not go with residues', () => {
    expect(() => world(3, 'delay-acting', 'bounded')).toThrow('leave out bounded');
  });
});

// "The comparison of node numbers should then be performed by comparing the values contained in NAMES." (7.1)
describe('names', () => {
  const once = '0 request 0\n0 request 1\n0 request 2';
  test('equal numbers are served by names: 1000, 2000, 3000 for sites 2, 1, 0', () => {
    expect(run(3, [], once).entered).toEqual([0, 1, 2]);
    expect(run(3, ['names'], once).entered).toEqual([2, 1, 0]);
  });
  test('go with a group that changes, and not with a medium that orders requests', () => {
    expect(run(4, ['names', 'membership'], '0 request 3\n0 request 0').entries).toBe(2);
    expect(() => world(3, 'names', 'broadcast-sequenced')).toThrow('leave out names');
  });
});

// "a new node obtains a list of participants from a nearby node and then sends a broadcast message asking all
// other nodes to include it on their list" (7.2.2)
describe('join-broadcast', () => {
  test('a newcomer to five sites sends one JOIN in place of four', () => {
    const joins = (...options: string[]) => run(5, options, '0 request 4').byType['JOIN'];
    expect([joins('membership'), joins('join-broadcast')]).toEqual([4, 1]);
  });
  test('is safe in every schedule of two newcomers and a member', () => {
    const report = check(ricartAgrawala, world(3, 'join-broadcast'), { entries: [1, 1, 1] });
    expect(report.violation).toBeNull();
    expect(report.verdict).toBe('proved');
  });
  test('does not go with a sponsor', () => {
    expect(() => world(3, 'join-broadcast', 'sponsor')).toThrow('take one');
  });
});

// "The timer should be restarted when a REPLY is received and cancelled when the critical section processing
// begins." (7.4)
describe('restart-timer', () => {
  const dead = '[{ "at": 0, "crash": 1 }]';
  test('six sites: a failure is found after one stay and a round trip, not after six stays', () => {
    const waits = (...options: string[]) => run(6, options, '1 request 0', dead).waitingTime.max;
    expect([waits('membership'), waits('restart-timer')]).toEqual([600 + 20, 100 + 10 + 20]);
  });
  test('three stays of 80 in a row: the last waits 180, and no member is probed', () => {
    const script = '0 request 1 stay 80\n0 request 2 stay 80\n0 request 0 stay 80';
    const { byType, waitingTime } = run(6, ['restart-timer'], script);
    expect(byType['ARE_YOU_THERE']).toBeUndefined();
    expect(waitingTime.max).toBe(180);
  });
});
