/** The engine `leased`, one fault at a time: what docs/safety.md promises for each. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Malformed, Reader, readAll } from '../../src/core/wire.ts';
import { leased } from '../../src/engines/leased.ts';
import { Keys, readMember, readView } from '../../src/engines/leased-records.ts';
import { LockModel } from '../support/leased-model.ts';
import { LEASE, LeasedWorld } from '../support/leased-world.ts';

const parts = { leased, LockModel };

/** A world in which these are members of one view. */
function worldOf(ids: readonly string[], seed = 1) {
  const world = new LeasedWorld(seed, parts);
  const processes = ids.map((id) => world.start(id));
  world.run(2 * LEASE);
  expect(world.disagreement()).toBeNull();
  return { world, processes };
}

/** Runs until then or until it holds; returns after how long that was. */
function runUntil(world: LeasedWorld, ms: number, holds: () => boolean): number {
  const from = world.now;
  while (world.now < from + ms && !holds()) world.run(world.now + LEASE / 100);
  return world.now - from;
}

const members = (process: { view: { members: readonly { id: string }[] } | null }) =>
  process.view?.members.map(({ id }) => id).join('') ?? null;

describe('leased: crashes and departures', () => {
  test('a crashed member is left out after W and a few round trips, whatever the clocks', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const { world, processes } = worldOf(['a', 'b', 'c'], seed);
      world.run(world.now + seed);
      world.crash(processes[seed % 3]!);
      const took = runUntil(world, 3 * LEASE, () => world.disagreement() === null);
      // The slowest clock takes W/0.9, and it may have seen the last renewal W/10 late.
      expect(took, `seed ${seed}`).toBeLessThan(1.35 * LEASE);
      expect(world.violations).toEqual([]);
      expect(processes.reduce((sum, { suspensions }) => sum + suspensions, 0)).toBe(0);
    }
  });

  test('no member waits for a member that leaves', () => {
    const { world, processes } = worldOf(['a', 'b', 'c']);
    world.leave(processes[0]!);
    const took = runUntil(world, LEASE, () => world.disagreement() === null);
    expect(took).toBeLessThan(LEASE / 5);
  });

  test('twenty processes that start together are admitted in few views, and one stays when they leave', () => {
    const ids = Array.from({ length: 20 }, (_, i) => `m${String(i).padStart(2, '0')}`);
    const { world, processes } = worldOf(ids.slice(0, 1));
    const before = world.log.filter((line) => line.includes('is written')).length;
    for (const id of ids.slice(1)) world.start(id);
    const took = runUntil(world, 5 * LEASE, () => world.disagreement() === null);
    expect(took).toBeLessThan(2 * LEASE);
    const views = world.log.filter((line) => line.includes('is written')).length - before;
    expect(views).toBeLessThanOrEqual(5);
    for (const process of world.processes.slice(1)) world.leave(process);
    runUntil(world, 5 * LEASE, () => members(processes[0]!) === 'm00');
    expect(members(processes[0]!)).toBe('m00');
    expect(processes[0]!.suspensions).toBe(0);
    expect(world.violations).toEqual([]);
  });

  test('the record of a process that never comes back is deleted', () => {
    const { world, processes } = worldOf(['a', 'b']);
    world.crash(processes[1]!);
    world.run(world.now + 4 * LEASE);
    const { member } = new Keys('g');
    const has = (id: string) =>
      world.store.read('').records.some(({ key }) => key === member.call(new Keys('g'), id));
    expect(has('b')).toBe(true);
    world.run(world.now + 15 * LEASE);
    expect([has('a'), has('b')]).toEqual([true, false]);
    world.start('b');
    world.run(world.now + 2 * LEASE);
    expect(world.disagreement()).toBeNull();
  });
});

test('leased: an epoch grows by the milliseconds since the last one, though all wall clocks were set back', () => {
  for (let seed = 1; seed <= 10; seed++) {
    const { world, processes } = worldOf(['a', 'b'], seed);
    const { epoch } = processes[0]!.view!;
    for (const process of processes) Object.assign(process, { skew: process.skew - 3_600_000 });
    world.run(world.now + 10 * LEASE);
    world.leave(processes[1]!);
    runUntil(world, 2 * LEASE, () => members(processes[0]!) === 'a');
    // The slowest clock runs at 0.9 of real time. A fence has room for that many entries: see fence.ts.
    expect(processes[0]!.view!.epoch - epoch, `seed ${seed}`).toBeGreaterThan(9 * LEASE);
    expect(world.violations).toEqual([]);
  }
});

describe('leased: a second process of one name', () => {
  test('is admitted only after the right of the first has ended, which does not know of it', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const { world, processes } = worldOf(['a', 'b'], seed);
      // It has just renewed its lease, sees nothing of what follows, and may act again after the pause.
      world.pause(processes[0]!, 3 * LEASE);
      const second = world.start('a');
      const took = runUntil(world, 3 * LEASE, () => members(second) === 'ab');
      expect(took, `seed ${seed}`).toBeGreaterThan(0.6 * LEASE);
      expect(took, `seed ${seed}`).toBeLessThan(2 * LEASE);
      world.run(world.now + 4 * LEASE);
      expect(processes[0]!.stopped?.message).toMatch(/^another process is a now/);
      expect(world.violations).toEqual([]);
    }
  });
});

describe('leased: leases', () => {
  test('a process with another lease than the members is stopped, and begins when they have left', () => {
    const { world, processes } = worldOf(['a', 'b']);
    const other = world.start('c', 2 * LEASE);
    world.run(world.now + LEASE);
    expect(other.stopped?.message).toMatch(
      /^leaseMs is 2000 here and 1000 at [ab]: give all members the same$/,
    );
    expect(members(processes[0]!)).toBe('ab');
    for (const process of processes) world.leave(process);
    world.run(world.now + 2 * LEASE);
    const next = world.start('d', 2 * LEASE);
    // The record of c looks alive until it has not changed for 0.8 of its lease.
    runUntil(world, 3 * LEASE, () => members(next) === 'd');
    expect(members(next)).toBe('d');
    expect(world.violations).toEqual([]);
  });

  test('members that died with a longer lease are waited for as long as that', () => {
    const { world, processes } = worldOf(['a', 'b']);
    for (const process of processes) world.crash(process);
    const next = world.start('d', LEASE / 2);
    const took = runUntil(world, 4 * LEASE, () => members(next) === 'd');
    expect(took).toBeGreaterThan(LEASE / 1.1);
    expect(world.violations).toEqual([]);
  });
});

describe('leased: networks', () => {
  test('where one direction of one link is cut, the later of the two is left out within 2 W, and comes back', () => {
    const { world, processes } = worldOf(['a', 'b', 'c']);
    const [a, b, c] = processes as [
      (typeof processes)[0],
      (typeof processes)[0],
      (typeof processes)[0],
    ];
    world.cut('b', 'a', 10 * LEASE);
    const rest = () => [members(a!), members(c!)].includes('ac') || members(b!) === 'bc';
    expect(runUntil(world, 4 * LEASE, rest)).toBeLessThan(2 * LEASE);
    world.run(world.now + LEASE);
    const views = [a, b, c].map((process) => members(process!));
    // One of the two is out, and the third is with the other.
    expect([
      ['ac', null, 'ac'],
      [null, 'bc', 'bc'],
    ]).toContainEqual(views);
    world.heal();
    world.run(world.now + 9 * LEASE);
    expect(world.disagreement()).toBeNull();
    expect(world.violations).toEqual([]);
  });

  test('a member that reaches the store but no other member is left out within 2 W', () => {
    const { world, processes } = worldOf(['a', 'b', 'c']);
    for (const other of ['a', 'c']) {
      world.cut('b', other, 10 * LEASE);
      world.cut(other, 'b', 10 * LEASE);
    }
    const took = runUntil(world, 4 * LEASE, () => members(processes[0]!) === 'ac');
    expect(took).toBeLessThan(2 * LEASE);
    expect([members(processes[1]!), members(processes[2]!)]).toEqual([null, 'ac']);
    expect(world.violations).toEqual([]);
  });

  test('a member that does not reach the store stops acting before the others go on without it', () => {
    const { world, processes } = worldOf(['a', 'b', 'c']);
    world.cut('b', 'store', 10 * LEASE);
    world.cut('store', 'b', 10 * LEASE);
    runUntil(world, 3 * LEASE, () => members(processes[0]!) === 'ac');
    expect(members(processes[1]!)).toBeNull();
    expect(processes[1]!.suspensions).toBe(1);
    expect(world.violations).toEqual([]);
  });
});

describe('leased: stores', () => {
  test('a store that is away for half of W is not noticed', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { world, processes } = worldOf(['a', 'b', 'c'], seed);
      const epoch = processes[0]!.view!.epoch;
      world.run(world.now + 7 * seed);
      world.freezeStore(0.5 * LEASE);
      world.run(world.now + 3 * LEASE);
      expect(processes.map(({ suspensions }) => suspensions)).toEqual([0, 0, 0]);
      expect(processes[0]!.view!.epoch).toBe(epoch);
    }
  });

  test.each(['frozen', 'dead'])(
    'a store that is %s for all of a right but one beat, one retry and a few round trips costs no lock',
    (how) => {
      // The fastest clock runs at 1.1: (0.8 W − 0.1 W − 0.025 W − 0.03 W) / 1.1.
      const awayMs = 0.585 * LEASE;
      for (let seed = 1; seed <= 100; seed++) {
        const { world, processes } = worldOf(['a', 'b', 'c'], seed);
        world.run(world.now + 7 * seed);
        if (how === 'frozen') world.freezeStore(awayMs);
        else world.killStore(awayMs);
        world.run(world.now + 3 * LEASE);
        const suspensions = processes.map((process) => process.suspensions);
        expect(suspensions, `seed ${seed}`).toEqual([0, 0, 0]);
        expect(world.violations).toEqual([]);
      }
    },
  );

  test('a store that is away for longer suspends all, and they come back by themselves', () => {
    const { world, processes } = worldOf(['a', 'b', 'c']);
    world.freezeStore(3 * LEASE);
    world.run(world.now + 2 * LEASE);
    expect(processes.map(members)).toEqual([null, null, null]);
    const took = runUntil(world, 4 * LEASE, () => world.disagreement() === null);
    // It thaws after another lease.
    expect(took).toBeLessThan(2 * LEASE);
    expect(world.violations).toEqual([]);
  });

  test('a store that rolled back has all wait for W, and later epochs are higher', () => {
    const { world, processes } = worldOf(['a', 'b', 'c']);
    const { epoch } = processes[0]!.view!;
    world.rollBack(40);
    world.run(world.now + 0.5 * LEASE);
    expect(processes.map(members)).toEqual([null, null, null]);
    runUntil(world, 4 * LEASE, () => world.disagreement() === null);
    expect(processes[0]!.view!.epoch).toBeGreaterThan(epoch);
    expect(world.violations).toEqual([]);
  });

  test('a rollback that the store does not show is noticed by processes that have heard of a later epoch', () => {
    const { world, processes } = worldOf(['a', 'b', 'c']);
    const writes = world.log.length;
    world.crash(processes[2]!);
    runUntil(world, 3 * LEASE, () => members(processes[0]!) === 'ab');
    world.run(world.now + 20);
    const { epoch } = processes[0]!.view!;
    expect(world.log.length).toBeGreaterThan(writes);
    // To before the view without c, but after the one with it.
    world.rollBack(12, false);
    world.run(world.now + LEASE);
    expect(processes[0]!.suspensions + processes[1]!.suspensions).toBe(2);
    runUntil(world, 6 * LEASE, () => world.disagreement() === null);
    expect(members(processes[0]!)).toBe('ab');
    expect(processes[0]!.view!.epoch).toBeGreaterThan(epoch);
  });

  test('two primaries make two groups, which is why docs/safety.md demands one', () => {
    const { world, processes } = worldOf(['a', 'b']);
    world.storeOf.set('b', world.store.split());
    world.cut('a', 'b', 10 * LEASE);
    world.cut('b', 'a', 10 * LEASE);
    world.run(world.now + 4 * LEASE);
    expect(processes.map(members)).toEqual(['a', 'b']);
    expect(world.violations.length).toBeGreaterThan(0);
  });
});

describe('leased: its code', () => {
  test('knows no clock, no chance and no machine', () => {
    const impure =
      /from 'node:|\bDate\b|\bMath\.random\b|\bperformance\b|\bset(Timeout|Interval|Immediate)\b|\bprocess\.|\bconsole\b/;
    const files = readdirSync('src/engines').filter((file) =>
      /^(leased.*|contract|register)\.ts$/.test(file),
    );
    expect(files.length).toBeGreaterThan(8);
    for (const file of files) {
      const text = readFileSync(`src/engines/${file}`, 'utf8');
      const code = text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*/g, '');
      expect(code, file).not.toMatch(impure);
      expect(code, file).not.toMatch(/from '[^.]/);
    }
  });

  test('its state is plain data: an engine goes on from what it saved', () => {
    const { world, processes } = worldOf(['a', 'b', 'c']);
    for (const { engine } of processes) {
      const saved = engine.save();
      expect(JSON.parse(JSON.stringify(saved))).toEqual(saved);
      engine.load(saved);
      expect(engine.save()).toEqual(saved);
    }
    world.crash(processes[0]!);
    world.run(world.now + 2 * LEASE);
    expect(world.disagreement()).toBeNull();
  });

  test('refuses messages and ignores records that make no sense', () => {
    const { world, processes } = worldOf(['a', 'b']);
    const { wire } = processes[0]!.engine;
    expect(() => readAll(wire, new Reader(new Uint8Array([1, 2, 3])))).toThrow(Malformed);
    for (const text of ['', 'null', '{}', '{"format":1}', '[', '{"format":2,"epoch":1}']) {
      expect([readMember(text), readView(text)]).toEqual([null, null]);
    }
    world.store.compareAndSet('g/m/z', null, 'nonsense');
    world.store.compareAndSet('g/m/%', null, 'nonsense');
    world.run(world.now + LEASE);
    expect(world.disagreement()).toBeNull();
  });

  test('names the members that it waits for, and why', () => {
    const { world, processes } = worldOf(['a', 'b', 'c']);
    expect(processes[0]!.engine.status()).toMatchObject({ storeReachable: true, suspected: [] });
    expect(processes[0]!.engine.status().leaseLeftMs).toBeGreaterThan(LEASE / 2);
    world.crash(processes[1]!);
    const suspected = () => processes[0]!.engine.status().suspected;
    // Long before it is fenced, it is said when a view without it is to be expected.
    runUntil(world, LEASE / 2, () => suspected().length > 0);
    const [first] = suspected();
    expect(first).toMatchObject({ id: 'b', why: 'not renewed' });
    expect(first!.viewInMs).toBe(LEASE - first!.forMs);
    expect(first!.viewInMs).toBeGreaterThan(LEASE / 2);
    runUntil(world, 2 * LEASE, () => suspected().some(({ why }) => why === 'fenced'));
    expect(suspected()).toEqual([
      { id: 'b', why: 'fenced', forMs: expect.any(Number), viewInMs: expect.any(Number) },
    ]);
    expect(suspected()[0]!.viewInMs).toBeLessThan(LEASE / 4);
    expect(processes[0]!.engine.waitsFor()).toEqual(['b']);
  });

  test('says when the first view in a store may be written, and no longer once there is one', () => {
    const world = new LeasedWorld(1, parts);
    const process = world.start('a');
    runUntil(world, LEASE, () => process.engine.status().firstViewInMs !== undefined);
    const first = process.engine.status().firstViewInMs!;
    expect(first).toBeGreaterThan(LEASE / 2);
    world.run(world.now + LEASE / 2);
    expect(members(process)).toBeNull();
    expect(process.engine.status().firstViewInMs).toBeLessThan(first - LEASE / 4);
    runUntil(world, LEASE, () => members(process) === 'a');
    expect(members(process)).toBe('a');
    // A store that lost its data may have lost a view with it.
    expect(process.engine.status().firstViewInMs).toBeUndefined();
    world.rollBack(100);
    runUntil(world, LEASE, () => members(process) === null);
    expect(process.engine.status().firstViewInMs).toBeGreaterThan(LEASE / 2);
  });

  test('suspects no member that lives, neither while all is well nor while the store is silent', () => {
    const { world, processes } = worldOf(['a', 'b', 'c']);
    const suspicions = () => processes.flatMap(({ engine }) => engine.status().suspected);
    const suspectedWithin = (ms: number) => {
      runUntil(world, ms, () => suspicions().length > 0);
      return suspicions();
    };
    expect(suspectedWithin(5 * LEASE)).toEqual([]);
    world.freezeStore(LEASE / 2);
    expect(suspectedWithin(LEASE / 2)).toEqual([]);
  });
});
