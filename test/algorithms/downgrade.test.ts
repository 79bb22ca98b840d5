/** A waiting writer downgrades to reading: every algorithm with readers can do that, in every form that runs live. */
import { describe, expect, test } from 'vitest';
import { catalogue, find } from '../../src/algorithms/catalogue.ts';
import { check } from '../../src/check/check.ts';
import type { AnyWorld, NodeId } from '../../src/core/algorithm.ts';
import { UsageError } from '../../src/core/errors.ts';
import { EVERYONE, Machine } from '../../src/core/machine.ts';
import type { AnyMessage } from '../../src/core/message.ts';
import { Random } from '../../src/core/random.ts';
import { makeWorld } from '../../src/topologies/world.ts';

const forms: readonly (readonly [id: string, ...options: string[]])[] = [
  ...catalogue.filter(({ modes }) => modes.includes('shared')).map(({ id }) => [id] as const),
  ...['broadcast', 'broadcast-replies', 'ring', 'ring-marked', 'increment=priority'].map(
    (option) => ['ricart-agrawala', option] as const,
  ),
];
const worldOf = ([id, ...options]: (typeof forms)[number], nodes: number) =>
  makeWorld(find(id), { nodes, options });
const both = { modes: ['exclusive', 'shared'], downgrade: true } as const;

interface Sent {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: AnyMessage;
}

/** Sites whose messages arrive when they are let, in the order of each link. */
class Stage {
  readonly inside = new Set<NodeId>();
  readonly #machine: Machine;
  readonly #states: unknown[];
  readonly #underWay: Sent[] = [];

  constructor(id: string, world: AnyWorld) {
    this.#machine = new Machine(find(id), world, () => 0);
    this.#states = Array.from({ length: world.n }, (_, me) => this.#machine.init(me));
  }

  do(me: NodeId, what: 'read' | 'write' | 'downgrade' | 'leave'): void {
    const my = this.#states[me];
    if (what === 'downgrade') this.#machine.downgrade(me, my);
    else if (what === 'leave') this.#machine.release(me, my);
    else this.#machine.request(me, my, what === 'read' ? 'shared' : 'exclusive');
    if (what === 'leave') this.inside.delete(me);
    this.#carryOut(me);
  }

  isAwaited(me: NodeId): boolean {
    return this.#machine.isAwaited(this.#states[me]);
  }

  /** So many of the messages under way, at most, from links that a random number chooses. */
  deliver(count: number, draw: Random): void {
    for (let i = 0; i < count && this.#underWay.length > 0; i++) {
      const { from, to } = this.#underWay[draw.below(this.#underWay.length)]!;
      const first = this.#underWay.findIndex((each) => each.from === from && each.to === to);
      const [arrived] = this.#underWay.splice(first, 1);
      this.#machine.receive(to, this.#states[to], from, arrived!.message);
      this.#carryOut(to);
    }
  }

  #carryOut(me: NodeId): void {
    const { site } = this.#machine;
    for (let i = 0; i < site.sends; i++) {
      const to = site.to[i] === EVERYONE ? site.others : [site.to[i]!];
      for (const j of to) this.#underWay.push({ from: me, to: j, message: site.messages[i]! });
    }
    if (site.entered) this.inside.add(me);
  }
}

describe.each(forms.map((form) => ({ name: form.join(', '), form })))('$name', ({ form }) => {
  const [id] = form;

  test('three sites, a downgrade at any moment: no reader is inside with a writer, and no request waits for ever', () => {
    expect(check(find(id), worldOf(form, 3), { ...both, entries: 1 })).toMatchObject({
      ...{ verdict: 'proved', links: 'fifo' },
    });
  });

  test('a writer that has downgraded blocks no reader, whatever is under way', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const draw = new Random(seed, id);
      const stage = new Stage(id, worldOf(form, 5));
      const [reads, writes, ...others] = shuffled([0, 1, 2, 3, 4], draw);
      stage.do(reads!, 'read');
      stage.deliver(Infinity, draw);
      stage.do(writes!, 'write');
      stage.deliver(draw.below(12), draw);
      stage.do(others[0]!, 'read');
      stage.deliver(draw.below(12), draw);
      if (stage.inside.has(writes!)) throw new Error('it writes while another reads');
      stage.do(writes!, 'downgrade');
      stage.deliver(draw.below(12), draw);
      stage.do(others[1]!, 'read');
      stage.deliver(Infinity, draw);
      const all = [reads, writes, others[0], others[1]];
      expect([...stage.inside].sort(), `seed ${seed}`).toEqual(all.sort());
      for (const me of stage.inside) expect(stage.isAwaited(me), `seed ${seed}`).toBe(false);
    }
  });

  test('readers inside know whether a writer waits', () => {
    const draw = new Random(1, id);
    const stage = new Stage(id, worldOf(form, 4));
    for (const me of [1, 2]) stage.do(me, 'read');
    stage.deliver(Infinity, draw);
    expect([1, 2].map((me) => stage.isAwaited(me))).toEqual([false, false]);
    stage.do(3, 'write');
    stage.deliver(Infinity, draw);
    expect([1, 2].map((me) => stage.isAwaited(me))).toContain(true);
    stage.do(1, 'leave');
    stage.do(2, 'leave');
    stage.deliver(Infinity, draw);
    expect([...stage.inside]).toEqual([3]);
  });
});

test.each([
  ['ricart-agrawala', 'membership=ask-all'],
  ['ricart-agrawala', 'broadcast-sequenced'],
  ['ricart-agrawala', 'bounded'],
] as const)('%s with %s cannot downgrade, and the checker says so', (id, option) => {
  expect(() => check(find(id), worldOf([id, option], 3), both)).toThrow(
    new UsageError('ricart-agrawala in this form cannot downgrade to reading: leave that out'),
  );
});

test('an algorithm without readers cannot downgrade', () => {
  expect(() => check(find('raymond'), worldOf(['raymond'], 3), { downgrade: true })).toThrow(
    new UsageError('raymond cannot downgrade to reading: leave that out'),
  );
});

test.each(['central', 'ricart-agrawala', 'carvalho-roucairol'])(
  '%s needs ordered links to downgrade: a DOWNGRADE of one request must not arrive during the next',
  (id) => {
    const report = check(find(id), worldOf([id], 2), { ...both, links: 'any' });
    expect(report.verdict).toBe('violated');
  },
);

function shuffled(list: readonly NodeId[], draw: Random): NodeId[] {
  const left = [...list];
  return list.map(() => left.splice(draw.below(left.length), 1)[0]!);
}
