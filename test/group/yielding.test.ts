/** When a member that takes a free lock again and again looks for messages of the others. */
import { expect, test } from 'vitest';
import { fixed } from '../../src/engines/fixed.ts';
import { DEFAULT_RULES } from '../../src/group/lock-algorithm.ts';
import { GroupNode } from '../../src/group/node.ts';
import { Request } from '../../src/group/request.ts';

const self = { id: 'a', incarnation: 1_800_000_000_000 };

/** How many requests are granted before the member yields, if each takes so many milliseconds. */
function grantedInARow(settings: { turns: number; yieldAfter?: number }, takesMs: number): number {
  const node = new GroupNode({ self, peers: [], rules: DEFAULT_RULES, ...settings }, fixed());
  node.now = self.incarnation;
  node.step({ type: 'start' });
  for (let granted = 0; granted < 1000; granted++) {
    node.effects.clear();
    const spec = { name: 'x', permits: 0, mode: 'exclusive', how: 'wait' } as const;
    const request = new Request(spec, 'a', null);
    node.step({ type: 'request', request });
    if (request.stage !== 'held') {
      expect([...node.effects.timersSet].map(({ name }) => name)).toEqual(['yield']);
      return granted;
    }
    node.now += takesMs;
    node.step({ type: 'release', request });
  }
  return Infinity;
}

test('after `turns` requests, if these took a millisecond', () => {
  expect(grantedInARow({ turns: 4, yieldAfter: 16 }, 0.25)).toBe(4);
});

test('after `yieldAfter` requests, if these took no time', () => {
  expect(grantedInARow({ turns: 4, yieldAfter: 16 }, 0)).toBe(16);
});

test('after `turns` requests, where `yieldAfter` is not set', () => {
  expect(grantedInARow({ turns: 4 }, 0)).toBe(4);
});

test.each([
  ['each request, for a millisecond, if another member has asked in the last 10 ms', 9, 1, 1],
  ['`turns` requests, until it has read, if the last message is older', 10, 4, 'soon'],
] as const)('after %s', (_, passedMs, served, after) => {
  const node = new GroupNode({ self, peers: [], rules: DEFAULT_RULES, turns: 4 }, fixed());
  node.now = self.incarnation;
  node.step({ type: 'start' });
  const ask = () => {
    const spec = { name: 'x', permits: 0, mode: 'exclusive', how: 'wait' } as const;
    const request = new Request(spec, 'a', null);
    node.step({ type: 'request', request });
    if (request.stage === 'held') node.step({ type: 'release', request });
    return request.stage === 'over';
  };
  ask();
  node.locks.inUse('x', 0)!.yielding.heard();
  node.now += passedMs;
  node.effects.clear();
  let granted = 0;
  while (ask()) granted++;
  expect(granted).toBe(served);
  expect([...node.effects.timersSet].map((timer) => [timer.name, timer.after])).toContainEqual([
    'yield',
    after,
  ]);
});
