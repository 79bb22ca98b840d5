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
