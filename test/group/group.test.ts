/** A group of three in simulated time: what its members' callers may rely on, without faults. */
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/core/errors.ts';
import { Reader, Writer } from '../../src/core/wire.ts';
import type { RequestSpec } from '../../src/group/backend.ts';
import type { LockMessage } from '../../src/group/codec.ts';
import { NoAnswerError } from '../../src/group/errors.ts';
import { controlWire } from '../../src/group/messages.ts';
import {
  GroupWorld,
  Judge,
  type GroupWorld as World,
  type WorldSettings,
} from '../support/group-world.ts';

function group(settings: Partial<WorldSettings> = {}): { world: World; judge: Judge } {
  const world = new GroupWorld({ seed: 1, ...settings });
  for (const id of world.ids) world.start(id);
  world.run(200);
  return { world, judge: new Judge(world) };
}
const spec = (more: Partial<RequestSpec> = {}): RequestSpec => ({
  name: 'x',
  permits: 0,
  mode: 'exclusive',
  how: 'wait',
  ...more,
});

describe('order', () => {
  test('the callers of a process are served in the order in which they ask', () => {
    const { world, judge } = group();
    const visits = Array.from({ length: 10 }, () => judge.visit('a', spec(), 10));
    world.run(240);
    const outcomes = visits.map(({ outcome }) => outcome).join(' ');
    expect(outcomes).toMatch(/^(out )+inside( waiting)+$/);
    world.run(5000);
    expect(visits.every(({ outcome }) => outcome === 'out')).toBe(true);
  });

  test('after so many turns of one process, the others get theirs', () => {
    for (const turns of [1, 3]) {
      const { world, judge } = group({ turns });
      const many = Array.from({ length: 12 }, () => judge.visit('a', spec(), 10));
      world.run(210);
      const other = judge.visit('b', spec(), 10);
      world.run(100_000);
      const order = [...many, other].sort((p, q) => (p.fence! < q.fence! ? -1 : 1));
      // Some turns were taken before b asked, and as many again may follow until it is heard.
      expect(order.indexOf(other)).toBeLessThanOrEqual(3 * turns);
    }
  });

  test('where all want it all the time, an entry takes one message', () => {
    const { world, judge } = group();
    const messages = () => world.ids.reduce((sum, id) => sum + world.at(id)!.stats.messages, 0);
    const reacquire = (id: string): void => {
      const visit = judge.visit(id, spec(), 5);
      // In the very turn in which it gives back, as `await` does.
      visit.onOut = () => reacquire(id);
    };
    for (const id of world.ids) reacquire(id);
    world.run(2000);
    const [served, sent] = [judge.served, messages()];
    world.run(10_000);
    expect(judge.served - served).toBeGreaterThan(300);
    // One may be under way at either end.
    expect(Math.abs(messages() - sent - (judge.served - served))).toBeLessThanOrEqual(1);
    expect(judge.faults).toEqual([]);
  });

  test('a member that asks again every time is expected to: its hand-over does not wait for its callers', () => {
    const { world, judge } = group();
    const messages = () => world.ids.reduce((sum, id) => sum + world.at(id)!.stats.messages, 0);
    const urgentSends: number[] = [];
    let isOver = false;
    const reacquire = (id: string): void => {
      const visit = judge.visit(id, spec(), 5);
      visit.onOut = () => {
        urgentSends.push(world.urgentSends);
        if (!isOver || id !== 'a') reacquire(id);
      };
    };
    for (const id of world.ids) reacquire(id);
    world.run(2000);
    urgentSends.length = 0;
    world.run(10_000);
    expect(urgentSends.length).toBeGreaterThan(300);
    // Each had left before its caller could say anything.
    expect(urgentSends).toEqual(urgentSends.map((_, i) => urgentSends[0]! + i));
    // And when it does not come back, that costs a message, once.
    isOver = true;
    const [served, sent] = [judge.served, messages()];
    world.run(20_000);
    expect(judge.served - served).toBeGreaterThan(300);
    const extra = messages() - sent - (judge.served - served);
    expect(extra).toBeGreaterThanOrEqual(0);
    expect(extra).toBeLessThanOrEqual(2);
    expect(judge.faults).toEqual([]);
  });

  test('locking again alone sends nothing', () => {
    const { world, judge } = group();
    judge.visit('a', spec(), 10);
    world.run(1000);
    const { messages } = world.at('a')!.stats;
    for (let i = 0; i < 50; i++) judge.visit('a', spec(), 1);
    world.run(2000);
    expect(judge.served).toBe(51);
    expect(world.at('a')!.stats.messages).toBe(messages);
  });
});

describe('modes and permits', () => {
  test('readers of all processes read together, and a writer waits for them', () => {
    const { world, judge } = group();
    const readers = world.ids.map((id) => judge.visit(id, spec({ mode: 'shared' }), 500));
    world.run(400);
    expect(readers.map(({ outcome }) => outcome)).toEqual(['inside', 'inside', 'inside']);
    const writer = judge.visit('a', spec(), 10);
    world.run(500);
    expect(writer.outcome).toBe('waiting');
    world.run(2000);
    expect(writer.outcome).toBe('out');
    expect(judge.faults).toEqual([]);
  });

  test.each([
    ['naimi-trehel', { algorithm: 'naimi-trehel' }],
    ['ricart-agrawala with bounded', { algorithm: 'ricart-agrawala', options: ['bounded'] }],
  ])('%s has no readers, and says so', (title, rule) => {
    const { judge } = group({ rules: { locks: [{ match: '*', ...rule }] } });
    const visit = judge.visit('a', spec({ mode: 'shared' }), 1);
    expect(visit.outcome).toBe('failed');
    expect(visit.error!.message).toContain(`"x" runs ${title}, which has no mode "shared" here`);
  });

  test.each(['raymond-k', 'srimani-reddy', 'lending-coordinator', 'kakugawa'])(
    '%s gives out exactly its permits',
    (algorithm) => {
      const { world, judge } = group({ rules: { semaphores: [{ match: '*', algorithm }] } });
      const visits = world.ids.flatMap((id) =>
        Array.from({ length: 3 }, () => judge.visit(id, spec({ permits: 4 }), 1000)),
      );
      world.run(900);
      const inside = visits.filter(({ outcome }) => outcome === 'inside');
      expect(inside.length).toBe(4);
      world.run(30_000);
      expect(visits.every(({ outcome }) => outcome === 'out')).toBe(true);
      expect(judge.faults).toEqual([]);
    },
  );

  test('a lock and a semaphore may share a name', () => {
    const { world, judge } = group();
    const visits = [spec(), spec({ permits: 1 })].map((w) => judge.visit('a', w, 1000));
    world.run(500);
    expect(visits.map(({ outcome }) => outcome)).toEqual(['inside', 'inside']);
  });

  test.each(['kakugawa', 'srimani-reddy', 'lending-coordinator', 'central', 'raymond-k'])(
    'with %s, a member that needs no other yields after some requests, to read messages',
    (algorithm) => {
      const { world } = group({ turns: 4, rules: { semaphores: [{ match: '*', algorithm }] } });
      const driver = world.at('a')!;
      const grants = new Map<number, number>();
      const reacquire = () => {
        const handle = driver.request(spec({ permits: 4 }), {
          granted: () => {
            grants.set(world.now, (grants.get(world.now) ?? 0) + 1);
            queue.push(() => {
              handle.release();
              if (grants.size < 200) reacquire();
            });
          },
          busy() {},
          failed() {},
          lost() {},
        });
      };
      const queue: (() => void)[] = [];
      reacquire();
      for (let now = world.now; now < 2000; now++) {
        // The caller releases and asks again within its turn.
        for (let i = 0; queue.length > 0 && i < 1000; i++) queue.shift()!();
        world.run(now + 1);
      }
      expect(grants.size).toBeGreaterThan(10);
      expect(Math.max(...grants.values())).toBeLessThanOrEqual(8);
    },
  );

  test.each(['lending-coordinator', 'central'])(
    'with %s, members whose callers always want a permit get equal shares',
    (algorithm) => {
      const { world, judge } = group({ rules: { semaphores: [{ match: '*', algorithm }] } });
      const shares = new Map(world.ids.map((id) => [id, 0]));
      const loop = (id: string) => {
        const visit = judge.visit(id, spec({ permits: 4 }), 50);
        visit.onOut = () => {
          shares.set(id, shares.get(id)! + 1);
          loop(id);
        };
      };
      for (const id of world.ids) for (let i = 0; i < 4; i++) loop(id);
      world.run(world.now + 20_000);
      const counts = [...shares.values()];
      expect(Math.min(...counts)).toBeGreaterThan(100);
      expect(Math.max(...counts) / Math.min(...counts)).toBeLessThan(1.1);
      expect(judge.faults).toEqual([]);
    },
  );

  test('semaphores of one name and different sizes are refused, wherever they are asked for', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const { world, judge } = group({ seed });
      const visits = world.ids.map((id, i) =>
        judge.visit(id, spec({ permits: 2 + (i % 2) }), 5000),
      );
      world.run(1500);
      const inside = visits.filter(({ outcome }) => outcome === 'inside');
      const failed = visits.filter(({ outcome }) => outcome === 'failed');
      expect(inside.length + failed.length, `seed ${seed}`).toBe(3);
      expect(new Set(inside.map((visit) => visit.spec.permits)).size).toBe(1);
      for (const { error } of failed) {
        expect(error!.message).toMatch(/"x" has (2 permits .* not 3|3 permits .* not 2)/);
      }
      const late = judge.visit('b', spec({ permits: 9 }), 1);
      world.run(2000);
      expect(late.error!.message).toMatch(/not 9: give all members the same number/);
    }
  });

  /** A permit of two is held at `a` while `b` crashes and restarts. */
  const heldAcrossAView = () => {
    const { world, judge } = group();
    const held = judge.visit('a', spec({ permits: 2 }), 60_000);
    world.run(500);
    world.crash('b');
    world.start('b');
    world.run(1500);
    return { world, judge, held };
  };

  test('a semaphore that is held across a view keeps its size', () => {
    const { world, judge, held } = heldAcrossAView();
    const other = judge.visit('c', spec({ permits: 3 }), 1);
    world.run(3000);
    expect([held.outcome, other.outcome]).toEqual(['inside', 'failed']);
  });

  test('a semaphore with a permit that is held across a view is busy for a try, at every member', () => {
    const { world, judge, held } = heldAcrossAView();
    const tries = world.ids.map((id) => judge.visit(id, spec({ permits: 2, how: 'try' }), 1));
    world.run(2000);
    expect(held.outcome).toBe('inside');
    expect(tries.map(({ outcome }) => outcome)).toEqual(['busy', 'busy', 'busy']);
  });
});

describe('now or not at all', () => {
  const now = (more: Partial<RequestSpec> = {}) => spec({ how: 'try', ...more });

  test('free: granted; held anywhere: busy, at once', () => {
    const { world, judge } = group();
    const first = judge.visit('a', now(), 300);
    world.run(300);
    expect(first.outcome).toBe('inside');
    const [here, there] = [judge.visit('a', now(), 1), judge.visit('b', now(), 1)];
    expect(here.outcome).toBe('busy');
    world.run(400);
    expect(there.outcome).toBe('busy');
    world.run(1000);
    const later = judge.visit('b', now(), 1);
    world.run(1200);
    expect(later.outcome).toBe('out');
  });

  test('of several that try at once, exactly one succeeds', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const { world, judge } = group({ seed });
      const visits = world.ids.map((id) => judge.visit(id, now(), 5000));
      world.run(1500);
      expect(visits.map(({ outcome }) => outcome).sort(), `seed ${seed}`).toEqual([
        'busy',
        'busy',
        'inside',
      ]);
    }
  });

  test('a reader that tries shares with readers, and not with a writer', () => {
    const { world, judge } = group();
    judge.visit('b', spec({ mode: 'shared' }), 1000);
    world.run(300);
    const reader = judge.visit('a', now({ mode: 'shared' }), 500);
    const writer = judge.visit('c', now(), 1);
    world.run(500);
    expect([reader.outcome, writer.outcome]).toEqual(['inside', 'busy']);
  });

  test('a reader that tries does not overtake a writer that waits elsewhere: it is told at once', () => {
    const { world, judge } = group();
    judge.visit('b', spec({ mode: 'shared' }), 9000);
    world.run(300);
    judge.visit('c', spec(), 1);
    world.run(400);
    const reader = judge.visit('a', now({ mode: 'shared' }), 1);
    world.run(600);
    expect(reader.outcome).toBe('busy');
  });

  test('a shared request does not join readers of its own process while a writer waits elsewhere, be it a try or not', () => {
    const { world, judge } = group();
    judge.visit('b', spec({ mode: 'shared' }), 1000);
    world.run(300);
    const writer = judge.visit('c', spec(), 1);
    world.run(400);
    const tries = judge.visit('b', now({ mode: 'shared' }), 1);
    world.run(600);
    expect(tries.outcome).toBe('busy');
    const waits = judge.visit('b', spec({ mode: 'shared' }), 1);
    world.run(700);
    expect(waits.outcome).toBe('waiting');
    world.run(3000);
    expect([writer.outcome, waits.outcome]).toEqual(['out', 'out']);
  });

  test('a try of one mode is not answered by what was asked for another', () => {
    // One that has no copy to read with must ask for permission, be it only to read.
    const locks = [{ match: '*', algorithm: 'carvalho-roucairol' }];
    const { world, judge } = group({ rules: { locks } });
    judge.visit('b', spec({ mode: 'shared' }), 1000);
    world.run(300);
    const reader = judge.visit('a', now({ mode: 'shared' }), 500, 1);
    const writer = judge.visit('a', now(), 1);
    world.run(700);
    expect([reader.outcome, writer.outcome]).toEqual(['cancelled', 'busy']);
  });

  test('one that is refused leaves no place in the line behind', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const { world, judge } = group({ seed });
      judge.visit('a', spec(), 500);
      world.run(300);
      const before = world.at('b')!.stats.messages;
      const late = judge.visit('b', now(), 1);
      world.run(400);
      expect(late.outcome).toBe('busy');
      // What the algorithm sent; to ask around is none of its business.
      expect(world.at('b')!.stats.messages - before, `seed ${seed}`).toBe(0);
    }
  });

  test('a permit that is left is given, and one too many is not', () => {
    const { world, judge } = group();
    const held = [
      judge.visit('a', spec({ permits: 3 }), 9000),
      judge.visit('b', spec({ permits: 3 }), 9000),
    ];
    world.run(500);
    expect(held.map(({ outcome }) => outcome)).toEqual(['inside', 'inside']);
    const third = judge.visit('c', now({ permits: 3 }), 9000);
    world.run(1000);
    const fourth = judge.visit('c', now({ permits: 3 }), 1);
    world.run(1500);
    expect([third.outcome, fourth.outcome]).toEqual(['inside', 'busy']);
  });

  test('a try that a silent member leaves undecided fails, and names the member', () => {
    const { world, judge } = group();
    world.crash('b');
    const visit = judge.visit('a', now({ name: 'never used' }), 1);
    world.run(1000);
    expect(visit.outcome).toBe('waiting');
    world.run(3000);
    expect(visit.outcome).toBe('failed');
    expect(visit.error).toBeInstanceOf(NoAnswerError);
    expect(visit.error!.message).toMatch(/"never used" is free is unknown: no answer from b/);
  });
});

describe('requests of one process are decided in the order in which they were made', () => {
  test('a steal takes a free lock from the request before it, which is told', () => {
    for (const id of ['a', 'b', 'c']) {
      const { world, judge } = group();
      const first = judge.visit(id, spec(), 60_000);
      const thief = judge.visit(id, spec({ how: 'steal' }), 60_000);
      world.run(1000);
      expect([first.outcome, thief.outcome], id).toEqual(['lost', 'inside']);
      expect(first.error!.message).toContain('was stolen by');
      expect(judge.faults).toEqual([]);
    }
  });

  test('a steal overtakes the request before it if another process holds the lock', () => {
    const { world, judge } = group();
    const holder = judge.visit('a', spec(), 60_000);
    world.run(500);
    const first = judge.visit('b', spec(), 10);
    const thief = judge.visit('b', spec({ how: 'steal' }), 1000);
    world.run(1000);
    expect([holder, first, thief].map(({ outcome }) => outcome)).toEqual([
      'lost',
      'waiting',
      'inside',
    ]);
    world.run(3000);
    expect([first.outcome, thief.outcome]).toEqual(['out', 'out']);
  });

  test('requests that wait for the view to begin are granted in order, across names', () => {
    const world = new GroupWorld({ seed: 1, members: 2 });
    const judge = new Judge(world);
    world.start('a');
    const names = ['x', 'y', 'z', 'x', 'y', 'z'];
    const visits = names.map((name) => judge.visit('a', spec({ name, mode: 'shared' }), 60_000));
    world.run(100);
    expect(visits.every(({ outcome }) => outcome === 'waiting')).toBe(true);
    // With the other member gone for good, nothing but the order of asking decides.
    world.start('b');
    world.leave('b');
    world.run(5000);
    const fences = visits.map(({ fence }) => fence!);
    expect([...fences].sort((a, b) => (a < b ? -1 : 1))).toEqual(fences);
  });
});

describe('fences', () => {
  test('a fence counts from the beginning of its view, however long the process has run', () => {
    const { world, judge } = group();
    const before = judge.visit('a', spec(), 10);
    world.run(400);
    // Three thousand steps a second, for a year.
    world.at('a')!.node.clock = 1e11;
    world.crash('b');
    world.start('b');
    world.run(1400);
    const second = judge.visit('a', spec(), 10);
    world.run(2000);
    for (const id of world.ids) world.crash(id);
    world.run(2010);
    for (const id of world.ids) world.start(id);
    world.run(4000);
    const third = judge.visit('a', spec(), 10);
    world.run(5000);
    expect(before.fence! < second.fence!).toBe(true);
    expect(second.fence! < third.fence!).toBe(true);
    expect(judge.faults).toEqual([]);
  });

  test('a clock that no member can have is not believed', () => {
    const { world, judge } = group();
    judge.visit('b', spec(), 10);
    world.run(400);
    const node = world.at('a')!.node;
    const { clock } = node;
    const lie = { ...lockMessage(world), clock: 2 ** 51 };
    world.at('a')!.step({ type: 'message', from: 'b', message: lie });
    expect(node.clock).toBe(clock);
    expect(node.stats.malformed).toBe(1);
  });
});

const lockMessage = (world: World): LockMessage => ({
  type: 'lock',
  epoch: world.at('a')!.view!.epoch,
  name: 'x',
  permits: 0,
  fromSlot: 0,
  toSlot: 0,
  clock: 1,
  message: { type: 'REQUEST' },
});

describe('giving up', () => {
  test('a cancelled wait leaves nothing behind', async () => {
    const { world, judge } = group();
    judge.visit('a', spec(), 500);
    world.run(300);
    const cancelled = judge.visit('b', spec(), 100, 50);
    const behind = judge.visit('c', spec(), 100);
    world.run(360);
    expect(cancelled.outcome).toBe('cancelled');
    const survey = world.at('a')!.query();
    world.run(2000);
    expect((await survey).pending.map(({ member }) => member)).toEqual(['c']);
    expect(behind.outcome).toBe('out');
  });
});

describe('stealing', () => {
  test('every holder loses the lock, the thief is next, and waiting requests keep their order', () => {
    const { world, judge } = group();
    const held = judge.visit('a', spec(), 9000);
    world.run(300);
    const waiting = judge.visit('b', spec(), 100);
    world.run(400);
    const thief = judge.visit('c', spec({ how: 'steal' }), 1000);
    world.run(600);
    expect([held, waiting, thief].map(({ outcome }) => outcome)).toEqual([
      'lost',
      'waiting',
      'inside',
    ]);
    expect(held.error!.name).toBe('StolenError');
    world.run(3000);
    expect([waiting, thief].map(({ outcome }) => outcome)).toEqual(['out', 'out']);
    expect(thief.fence! > held.fence!).toBe(true);
    expect(waiting.fence! > thief.fence!).toBe(true);
    expect(judge.faults).toEqual([]);
  });

  test('from readers, from oneself, and from a thief', () => {
    const { world, judge } = group();
    const readers = world.ids.map((id) => judge.visit(id, spec({ mode: 'shared' }), 9000));
    world.run(400);
    const first = judge.visit('a', spec({ how: 'steal' }), 9000);
    world.run(600);
    expect(readers.map(({ outcome }) => outcome)).toEqual(['lost', 'lost', 'lost']);
    expect(first.outcome).toBe('inside');
    const second = judge.visit('a', spec({ how: 'steal' }), 9000);
    expect([first.outcome, second.outcome]).toEqual(['lost', 'inside']);
    const last = judge.visit('b', spec({ how: 'steal' }), 10);
    world.run(2000);
    expect([second.outcome, last.outcome]).toEqual(['lost', 'out']);
    expect(judge.faults).toEqual([]);
  });
});

describe('a survey of holders and waiting requests', () => {
  test('has all members, with fences, times and the members that a request waits for', async () => {
    const { world, judge } = group();
    judge.visit('a', spec(), 9000);
    world.run(300);
    judge.visit('b', spec({ name: 'x' }), 1);
    world.run(800);
    const survey = world.at('c')!.query();
    world.run(900);
    const { held, pending, unreachable } = await survey;
    expect(held).toMatchObject([{ name: 'x', member: 'a', mode: 'exclusive' }]);
    expect(BigInt(held[0]!.fence!)).toBeGreaterThan(0n);
    expect(held[0]!.forMs).toBeGreaterThan(400);
    expect(pending).toMatchObject([{ name: 'x', member: 'b', waitsFor: ['a'] }]);
    expect(unreachable).toEqual([]);
  });

  test('a member that does not answer is named', async () => {
    const { world } = group();
    world.crash('b');
    const survey = world.at('a')!.query();
    world.run(3000);
    expect((await survey).unreachable).toEqual(['b']);
  });
});

describe('many names', () => {
  test('what sleeps wakes as it was: still without a message', () => {
    const { world, judge } = group();
    const visitAll = () => {
      for (let i = 0; i < 20; i++) judge.visit('a', spec({ name: `idle ${i}` }), 1);
    };
    // A member that asks twice in a row keeps the token.
    visitAll();
    world.run(1000);
    visitAll();
    world.run(30_000);
    const { messages } = world.at('a')!.stats;
    visitAll();
    world.run(31_000);
    expect(judge.served).toBe(60);
    expect(world.at('a')!.stats.messages).toBe(messages);
    const elsewhere = Array.from({ length: 20 }, (_, i) =>
      judge.visit('b', spec({ name: `idle ${i}` }), 1),
    );
    world.run(40_000);
    expect(elsewhere.every(({ outcome }) => outcome === 'out')).toBe(true);
  });
});

describe('names of which no other member has heard', () => {
  const names = Array.from({ length: 60 }, (_, i) => `new ${i}`);
  test('are forgotten when they are idle, and later serve every member, with growing fences', () => {
    const { world, judge } = group();
    for (const name of names) judge.visit('a', spec({ name }), 1);
    world.run(1000);
    const { locks } = world.at('a')!.node;
    expect(names.every((name) => locks.knows(name, 0))).toBe(true);
    world.run(30_000);
    const kept = names.filter((name) => locks.knows(name, 0));
    // Of three members one has the first token of each name.
    expect(kept.length).toBeLessThan(50);
    expect(kept.length).toBeGreaterThan(30);
    for (const id of ['b', 'a', 'c']) {
      for (const name of names) judge.visit(id, spec({ name }), 1);
    }
    world.run(60_000);
    expect(judge.faults).toEqual([]);
    expect(judge.served).toBe(4 * names.length);
  });
});

describe('much at once', () => {
  test('thousands of locks, with names of any length, are told at a new view and in a survey', async () => {
    const { world, judge } = group();
    const names = Array.from({ length: 3000 }, (_, i) =>
      `${i}`.padEnd(i % 300 === 0 ? 60_000 : 10, '漢'),
    );
    for (const name of names) judge.visit('a', spec({ name }), 1e9);
    world.run(1000);
    expect(judge.served).toBe(3000);
    world.crash('b');
    world.start('b');
    world.run(2000);
    const blocked = judge.visit('b', spec({ name: names[300]! }), 1);
    const survey = world.at('b')!.query();
    world.run(4000);
    expect(world.largestMessage).toBeLessThan(512 * 1024);
    expect(blocked.outcome).toBe('waiting');
    expect((await survey).held.length).toBe(3000);
  });

  test('a name that fits into no message is refused', () => {
    const { judge } = group();
    const visit = judge.visit('a', spec({ name: 'x'.repeat(65_537) }), 1);
    expect([visit.outcome, visit.error!.message]).toEqual([
      'failed',
      expect.stringMatching(/at most 65536 characters/),
    ]);
  });
});

test('a peer that says more of a view to come than is kept is not listened to any more', () => {
  const { world, judge } = group();
  const held = judge.visit('a', spec(), 1000);
  world.run(100);
  const writer = new Writer();
  writer.byte(2); // for the member
  const epoch = world.at('a')!.view!.epoch + 1;
  controlWire.write(writer, { type: 'STEAL', epoch, name: 'x', permits: 0 });
  const bytes = writer.take();
  const say = (times: number) => {
    for (let i = 0; i < times; i++) world.at('a')!.receive('b', new Reader(bytes));
  };
  say(100_000);
  expect(world.log.some((line) => line.includes('a rejects b'))).toBe(false);
  say(2);
  expect(world.log.filter((line) => line.includes('a rejects b'))).toHaveLength(1);
  // The member that is well goes on.
  expect(held.outcome).toBe('inside');
  expect(world.at('a')!.node.future.all).toEqual([]);
});

test('a peer that speaks of another view of the same epoch is rejected, and no member ends', () => {
  const { world, judge } = group();
  const held = judge.visit('a', spec(), 1000);
  world.run(300);
  const { epoch } = world.at('a')!.view!;
  const lie = { type: 'STATE', epoch, members: [], part: 0, isLast: true, holds: [] } as const;
  world.at('a')!.step({ type: 'message', from: 'b', message: { type: 'member', message: lie } });
  expect(world.log.some((line) => line.includes('a rejects b'))).toBe(true);
  expect(held.outcome).toBe('inside');
});

describe('rules', () => {
  const made =
    (algorithm: string, options: string[] = [], what: 'locks' | 'semaphores' = 'locks') =>
    () =>
      group({ rules: { [what]: [{ match: '*', algorithm, options }] } });

  test('a rule that cannot be is refused, with the way out', () => {
    expect(made('raymnd')).toThrow(UsageError);
    expect(made('raymnd')).toThrow(/did you mean "raymond"/);
    expect(made('ricart-agrawala', ['implicit-reply'])).toThrow(/needs a bound on how long/);
    expect(made('raymond', [], 'semaphores')).toThrow(/raymond has no permits/);
    const plane = () =>
      group({ rules: { locks: [{ match: '*', algorithm: 'maekawa', topology: 'fpp' }] } });
    expect(plane).toThrow(/maekawa would not run if members left, and 2 of 3 remained: fpp has/);
  });

  test('the first pattern that matches counts', () => {
    const { world, judge } = group({
      rules: {
        locks: [
          { match: 'a.b*', algorithm: 'ricart-agrawala' },
          { match: 'a*', algorithm: 'raymond' },
        ],
      },
    });
    for (const [name, outcome] of [
      ['a.b', 'waiting'],
      ['axb', 'failed'],
      ['b', 'waiting'],
    ] as const) {
      const visit = judge.visit('a', spec({ name, mode: 'shared' }), 1);
      expect([name, visit.outcome]).toEqual([name, outcome]);
    }
    world.run(1000);
  });
});
