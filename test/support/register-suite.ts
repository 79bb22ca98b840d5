/** What every register is held to: the contract in src/engines/register.ts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Register } from '../../src/engines/register.ts';

/** A store, and what a test may do to it. */
export interface StoreUnderTest {
  /** A new client of the store. */
  open(): Promise<Register> | Register;
  /** The store answers nothing from now on, and does again after `thaw`. */
  freeze(): Promise<void> | void;
  thaw(): Promise<void> | void;
}

let groups = 0;

/** The tests use keys of their own: several may run against one server. */
export function registerSuite(name: string, store: () => StoreUnderTest): void {
  describe(`the register ${name} keeps the contract`, () => {
    const key = (rest = 'a') => `suite-${process.pid}-${++groups}/${rest}`;
    const open = async (): Promise<Register> => {
      const register = await store().open();
      onTestFinished(() => register.close());
      return register;
    };
    const valueAt = async (register: Register, at: string) =>
      (await register.read(at)).records.find((record) => record.key === at)?.value;

    test('a key that does not exist is created once', async () => {
      const register = await open();
      const at = key();
      const first = await register.compareAndSet(at, null, 'one');
      expect(first).toMatchObject({ outcome: 'done', revision: expect.any(String) });
      expect((await register.compareAndSet(at, null, 'two')).outcome).toBe('conflict');
      expect((await register.read(at)).records).toEqual([
        { key: at, value: 'one', revision: first.revision },
      ]);
    });

    test('only the latest revision can be replaced', async () => {
      const register = await open();
      const at = key();
      const first = await register.compareAndSet(at, null, 'one');
      const second = await register.compareAndSet(at, first.revision!, 'two');
      expect(second.outcome).toBe('done');
      expect(second.revision).not.toBe(first.revision);
      expect((await register.compareAndSet(at, first.revision!, 'three')).outcome).toBe('conflict');
      expect(await valueAt(register, at)).toBe('two');
      const third = await register.compareAndSet(at, second.revision!, 'three');
      expect(third.outcome).toBe('done');
    });

    test('of many clients that set one key at once exactly one succeeds', async () => {
      const clients = await Promise.all(Array.from({ length: 5 }, open));
      const at = key();
      let { revision } = await clients[0]!.compareAndSet(at, null, 'start');
      for (let round = 0; round < 10; round++) {
        const results = await Promise.all(
          clients.map((client, i) => client.compareAndSet(at, revision!, `${round} ${i}`)),
        );
        expect(results.map(({ outcome }) => outcome).sort()).toEqual([
          ...['conflict', 'conflict', 'conflict', 'conflict', 'done'],
        ]);
        const winner = results.findIndex(({ outcome }) => outcome === 'done');
        expect(await valueAt(clients[0]!, at)).toBe(`${round} ${winner}`);
        revision = results[winner]!.revision;
      }
    });

    test('a deleted key can be created again, and its old revisions stay void', async () => {
      const register = await open();
      const at = key();
      const first = await register.compareAndSet(at, null, 'one');
      expect((await register.compareAndSet(at, 'nonsense', null)).outcome).toBe('conflict');
      expect((await register.compareAndSet(at, first.revision!, null)).outcome).toBe('done');
      expect((await register.read(at)).records).toEqual([]);
      expect((await register.compareAndSet(at, first.revision!, 'two')).outcome).toBe('conflict');
      const second = await register.compareAndSet(at, null, 'three');
      expect(second.outcome).toBe('done');
      expect(second.revision).not.toBe(first.revision);
      expect((await register.compareAndSet(at, first.revision!, 'four')).outcome).toBe('conflict');
      expect((await register.compareAndSet(at, first.revision!, null)).outcome).toBe('conflict');
      expect(await valueAt(register, at)).toBe('three');
    });

    test('a read returns all keys that begin alike, and no others', async () => {
      const register = await open();
      const all = key('');
      const names = ['view', 'm/a', "m/a.b!~*'()", 'm/%2F%20%C3%A4', 'm/-', 'm/A'];
      for (const one of names) await register.compareAndSet(all + one, null, one);
      await register.compareAndSet(key('view'), null, 'of another group');
      const { records } = await register.read(all);
      expect(records.map(({ key: at, value }) => [at, value]).sort()).toEqual(
        names.map((one) => [all + one, one]).sort(),
      );
      expect((await register.read(`${all}none`)).records).toEqual([]);
    });

    test('a value may be long, and have any letters', async () => {
      const register = await open();
      const at = key();
      const value = `${'x'.repeat(50_000)}"'\\äöü€😀\n`;
      expect((await register.compareAndSet(at, null, value)).outcome).toBe('done');
      expect(await valueAt(register, at)).toBe(value);
    });

    test('a watch hints at changes of other clients until it is stopped', async () => {
      const [watcher, writer] = [await open(), await open()];
      const all = key('');
      let hints = 0;
      const stop = watcher.watch(`${all}view`, () => hints++);
      await until(async () => {
        // A watch may take a while to begin.
        await changed(writer, `${all}view`);
        return hints > 0;
      });
      await sleep(100);
      hints = 0;
      await changed(writer, `${all}m/a`);
      await sleep(200);
      expect(hints).toBe(0);
      await changed(writer, `${all}view`);
      await until(() => hints > 0);
      stop();
      await sleep(100);
      hints = 0;
      await changed(writer, `${all}view`);
      await sleep(200);
      expect(hints).toBe(0);
    });

    test('all clients of a store see one identity, with every answer', async () => {
      const [one, other] = [await open(), await open()];
      const identity = await one.identity();
      expect(identity).not.toBe('');
      expect(await other.identity()).toBe(identity);
      const at = key();
      expect((await one.read(at)).identity).toBe(identity);
      expect((await one.compareAndSet(at, null, 'x')).identity).toBe(identity);
      expect((await other.compareAndSet(at, null, 'x')).identity).toBe(identity);
    });

    test('while the store does not answer, calls end all the same, and none claims to be done', async () => {
      const register = await open();
      const at = key();
      const { revision } = await register.compareAndSet(at, null, 'one');
      await store().freeze();
      try {
        const [set, read] = await Promise.all([
          register.compareAndSet(at, revision!, 'two'),
          register.read(at).catch((error: unknown) => error),
        ]);
        expect(set).toEqual({ outcome: 'unknown' });
        expect(read).toBeInstanceOf(Error);
      } finally {
        await store().thaw();
      }
      await until(async () => ['one', 'two'].includes((await valueAt(register, at)) ?? ''));
      const { records } = await register.read(at);
      const next = await register.compareAndSet(at, records[0]!.revision, 'three');
      // What was sent before may have been carried out only now.
      expect(['done', 'conflict']).toContain(next.outcome);
      await until(async () => {
        const now = (await register.read(at)).records[0]!;
        return (await register.compareAndSet(at, now.revision, 'four')).outcome === 'done';
      });
      expect(await valueAt(register, at)).toBe('four');
    });

    test('a closed register claims nothing', async () => {
      const register = await store().open();
      const at = key();
      await register.compareAndSet(at, null, 'one');
      await register.close();
      await expect(register.read(at)).rejects.toThrow();
      const late = await register.compareAndSet(at, null, 'two').catch((error: unknown) => error);
      if (!(late instanceof Error)) expect(late).toEqual({ outcome: 'unknown' });
      await register.close();
    });
  });
}

async function changed(register: Register, at: string): Promise<void> {
  const { records } = await register.read(at);
  const last = records.find(({ key }) => key === at);
  await register.compareAndSet(at, last?.revision ?? null, `${Math.random()}`);
}

export async function until(holds: () => boolean | Promise<boolean>, ms = 15_000): Promise<void> {
  for (const end = Date.now() + ms; ; await sleep(20)) {
    if (await Promise.resolve(holds()).catch(() => false)) return;
    if (Date.now() > end) throw new Error('it did not come true in time');
  }
}
