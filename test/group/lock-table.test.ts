/** The table of locks under more new names than it can keep in use. */
import { expect, test } from 'vitest';
import { fixed } from '../../src/engines/fixed.ts';
import type { Timer } from '../../src/group/effects.ts';
import { DEFAULT_RULES } from '../../src/group/lock-algorithm.ts';
import { GroupNode } from '../../src/group/node.ts';
import { Request } from '../../src/group/request.ts';

const TURN_MS = 500;
const NAMES_PER_TURN = 650;

test('sweeps keep up with new names, even if a turn of the process takes half a second', () => {
  const self = { id: 'a', incarnation: 1_800_000_000_000 };
  const node = new GroupNode({ self, peers: [], rules: DEFAULT_RULES, turns: 16 }, fixed());
  let timers: { readonly timer: Timer; readonly due: number }[] = [];
  const step = (event: Parameters<GroupNode['step']>[0]) => {
    node.step(event);
    for (const timer of node.effects.timersSet) {
      timers.push({ timer, due: node.now + (typeof timer.after === 'number' ? timer.after : 0) });
    }
    node.effects.clear();
  };
  node.now = self.incarnation;
  step({ type: 'start' });
  let most = 0;
  for (let turn = 0; turn < 300; turn++) {
    node.now += TURN_MS;
    for (let i = 0; i < NAMES_PER_TURN; i++) {
      const spec = { name: `${turn} ${i}`, permits: 0, mode: 'exclusive', how: 'wait' } as const;
      const request = new Request(spec, 'a', null);
      step({ type: 'request', request });
      step({ type: 'release', request });
    }
    const due = timers.filter((one) => one.due <= node.now);
    timers = timers.filter((one) => one.due > node.now);
    for (const { timer } of due) step({ type: 'timer', timer });
    most = Math.max(most, node.locks.size);
  }
  expect(node.stats.granted).toBe(300 * NAMES_PER_TURN);
  expect(most).toBeLessThan(30_000);
});
