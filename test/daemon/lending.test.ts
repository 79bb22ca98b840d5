/**
 * Two daemons that lend locks to their clients, and serve many clients that want one lock, over real sockets. What lending
 * promises in every order of events: test/client/lending.test.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectNet, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Client, connect } from '../../src/client/connect.ts';
import { FormOfDaemon } from '../../src/client/forms.ts';
import { PREAMBLE, writeFrame } from '../../src/client/frame-codec.ts';
import {
  type ClientMessage,
  type DaemonMessage,
  FRAMES_PROTOCOL,
} from '../../src/client/protocol.ts';
import { Random } from '../../src/core/random.ts';
import { Writer } from '../../src/core/wire.ts';
import { Daemon } from '../../src/daemon/daemon.ts';
import { EventLog } from '../../src/daemon/event-log.ts';
import { type Group, join as joinGroup } from '../../src/member/join.ts';
import { daemonAlone } from '../support/daemon-alone.ts';
import { until } from '../support/program.ts';

let folder: string;
let groups: Group[];
let daemons: Daemon[];
const clients: Client[] = [];

/** Two members, each with a daemon. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-lending-'));
  const at = (id: string) => `unix:${join(folder, `${id}.member`)}`;
  groups = await Promise.all([
    joinGroup({ self: 'a', listen: at('a'), peers: { b: at('b') } }),
    joinGroup({ self: 'b', listen: at('b'), peers: { a: at('a') } }),
  ]);
  daemons = await Promise.all(
    groups.map((group) =>
      Daemon.start({
        group,
        eventLog: new EventLog(pino({ level: 'silent' })),
        socket: join(folder, `${group.id}.sock`),
      }),
    ),
  );
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(daemons.map((daemon) => daemon.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function clientOf(member: string, settings: { readonly lend?: boolean } = {}) {
  const client = await connect({ socket: join(folder, `${member}.sock`), ...settings });
  clients.push(client);
  return client;
}

/** Takes the lock so often, and returns the fences. */
async function reacquire({ locks }: Client, times: number): Promise<bigint[]> {
  const fences: bigint[] = [];
  for (let i = 0; i < times; i++) {
    await locks.request('build', ({ fence }) => {
      fences.push(fence);
    });
  }
  return fences;
}
const granted = () => groups.reduce((sum, { backend }) => sum + backend.stats.granted, 0);
const ascending = (fences: readonly bigint[]) =>
  fences.every((fence, i) => i === 0 || fence > fences[i - 1]!);

describe('a client that takes a free lock again and again', () => {
  test('asks its daemon once in 65 times, and its fences grow', async () => {
    const client = await clientOf('a');
    const fences = await reacquire(client, 651);
    expect(ascending(fences)).toBe(true);
    expect(new Set(fences).size).toBe(651);
    // A pause of the test's process costs a message or two more.
    expect(granted()).toBeLessThan(200);
  });

  test('asks each time if it does not want to be lent locks', async () => {
    const client = await clientOf('a', { lend: false });
    await reacquire(client, 100);
    expect(granted()).toBe(100);
  });

  test('gives the lock back when it has not used it for a while', async () => {
    const client = await clientOf('a');
    await reacquire(client, 10);
    // The group may count it as held; the client knows better.
    expect((await client.locks.query()).held).toEqual([]);
    await until(async () => (await groups[1]!.backend.query()).held.length === 0);
  });

  test.each(['a', 'b'])('gives it to a client of %s that wants it', async (member) => {
    const [one, two] = [await clientOf('a'), await clientOf(member)];
    const fences: bigint[] = [];
    for (let turn = 0; turn < 10; turn++) {
      fences.push(...(await reacquire(one, 5)));
      fences.push(...(await reacquire(two, 5)));
    }
    expect(ascending(fences)).toBe(true);
  });

  test.each(['a', 'b'])('leaves it free for a try of a client of %s', async (member) => {
    const [one, two] = [await clientOf('a'), await clientOf(member)];
    await reacquire(one, 5);
    const held = await two.locks.tryAcquire('build');
    expect(held).not.toBeNull();
    expect(await one.locks.tryAcquire('build')).toBeNull();
    held!.release();
  });

  test.each(['a', 'b'])('is inside: a try of a client of %s is refused', async (member) => {
    const [one, two] = [await clientOf('a'), await clientOf(member)];
    await reacquire(one, 5);
    const held = await one.locks.acquire('build');
    expect(await two.locks.tryAcquire('build')).toBeNull();
    const entry = (await two.locks.query()).held.find(({ name }) => name === 'build');
    expect(entry?.fence).toBe(String(held.fence));
    held.release();
    expect((await two.locks.acquire('build')).fence).toBeGreaterThan(held.fence);
  });

  test('is inside, and loses the lock to a thief', async () => {
    const [one, two] = [await clientOf('a'), await clientOf('b')];
    await reacquire(one, 5);
    const held = await one.locks.acquire('build');
    const stolen = await two.locks.acquire('build', { steal: true });
    await until(async () => held.lost.aborted);
    expect(stolen.fence).toBeGreaterThan(held.fence);
    const next = one.locks.acquire('build');
    stolen.release();
    expect((await next).fence).toBeGreaterThan(stolen.fence);
  });

  test('dies: the lock is free, and the next fence is above all that were lent', async () => {
    const [one, two] = [await clientOf('a'), await clientOf('b')];
    const fences = await reacquire(one, 20);
    await one.close();
    const [next] = await reacquire(two, 1);
    expect(next).toBeGreaterThan(fences.at(-1)!);
  });

  test('asks in another mode: readers of other clients come in', async () => {
    const [one, two] = [await clientOf('a'), await clientOf('b')];
    await reacquire(one, 5);
    const shared = { mode: 'shared' } as const;
    const readers = [
      await one.locks.acquire('build', shared),
      await two.locks.acquire('build', shared),
    ];
    expect(new Set(readers.map(({ fence }) => fence)).size).toBe(2);
  });

  test('serves two callers of its own in their order', async () => {
    const client = await clientOf('a');
    await reacquire(client, 5);
    const order: number[] = [];
    const all = Array.from({ length: 20 }, (_, i) =>
      client.locks.request('build', async () => {
        order.push(i);
        await sleep(0);
      }),
    );
    await Promise.all(all);
    expect(order).toEqual([...order.keys()]);
  });
});

test('clients that write, try, read and die at random are never inside together, and their fences grow', async () => {
  const draw = new Random(1, 'lending');
  const inside = { writers: 0, readers: 0 };
  let [entries, latest, latestWriter] = [0, 0n, 0n];
  const stay = async ({ fence, mode }: { readonly fence: bigint; readonly mode: string }) => {
    entries++;
    const isWriter = mode === 'exclusive';
    expect(inside).toEqual({ writers: 0, readers: isWriter ? 0 : inside.readers });
    expect(fence).toBeGreaterThan(isWriter ? latest : latestWriter);
    if (fence > latest) latest = fence;
    if (isWriter) latestWriter = fence;
    inside[isWriter ? 'writers' : 'readers']++;
    if (draw.below(4) === 0) await sleep(draw.below(2));
    inside[isWriter ? 'writers' : 'readers']--;
  };
  const run = async (member: string) => {
    let client = await clientOf(member);
    for (let burst = 0; burst < 30; burst++) {
      for (let i = draw.below(20); i >= 0; i--) {
        const kind = draw.below(12);
        const options =
          kind === 0 ? { mode: 'shared' as const } : kind === 1 ? { ifAvailable: true } : {};
        await client.locks.request('build', options, (lock) => lock && stay(lock));
      }
      if (draw.below(6) === 0) {
        await client.close();
        client = await clientOf(member);
      }
      await sleep(draw.below(12));
    }
  };
  await Promise.all(['a', 'a', 'b', 'b'].map(run));
  // Some entries were by loans.
  expect(granted()).toBeLessThan(entries);
});

test('what is lent and idle does not use up the budget of its client', async () => {
  const alone = await daemonAlone({ limits: { maxRequestsPerClient: 10 } });
  const client = await connect({ socket: alone.socket });
  for (let i = 0; i < 60; i++) await client.locks.request(`lock ${i >> 1}`, () => {});
  await client.close();
  await alone.close();
});

test('requests of many clients for one lock reach the other members as few', async () => {
  const many = await Promise.all(
    Array.from({ length: 20 }, (_, i) => clientOf(i % 2 === 0 ? 'a' : 'b', { lend: false })),
  );
  const all = many.flatMap(({ locks }) =>
    Array.from({ length: 10 }, () => locks.request('build', async () => {})),
  );
  await Promise.all(all);
  expect(granted()).toBe(200);
  // Of one member up to 16 callers follow one another.
  const messages = groups.reduce((sum, { backend }) => sum + backend.stats.messages, 0);
  expect(messages).toBeLessThan(50);
});

/** A client that speaks the protocol as this test likes. */
async function rawClient() {
  const socket: Socket = connectNet({ path: join(folder, 'a.sock') });
  const heard: DaemonMessage[] = [];
  const form = new FormOfDaemon(100_000);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    form.read(chunk, chunk.length, (message) => heard.push(message) > 0);
  });
  const send = (...messages: readonly ClientMessage[]) => {
    const writer = new Writer();
    for (const message of messages) writeFrame(writer, message);
    socket.write(writer.take());
  };
  socket.write(PREAMBLE);
  send({ type: 'hello', protocol: FRAMES_PROTOCOL, as: 'raw' });
  const hears = async (type: DaemonMessage['type'], id?: number) => {
    await until(async () =>
      heard.some(
        (each) => each.type === type && (id === undefined || ('id' in each && each.id === id)),
      ),
    );
  };
  await hears('welcome');
  /** Takes the lock until it is lent, nearly always the second time. Returns the number of that request. */
  const borrow = async () => {
    for (let id = 1; ; id++) {
      send(ask(id, { mayLend: true }));
      const answers = () => heard.filter((each) => 'id' in each && each.id === id);
      await until(async () => answers().length > 0);
      if (answers()[0]!.type === 'lent') return id;
      send({ type: 'done', id });
    }
  };
  return { send, heard, hears, borrow, end: () => socket.destroy() };
}
const ask = (id: number, more: { readonly mayLend?: boolean } = {}): ClientMessage => ({
  type: 'ask',
  id,
  name: 'build',
  permits: 0,
  mode: 'exclusive',
  how: 'wait',
  ...more,
});

describe('the protocol', () => {
  test('lends nothing to a client that does not say that it can give it back', async () => {
    const raw = await rawClient();
    for (let id = 1; id <= 5; id++) {
      raw.send(ask(id));
      await raw.hears('granted', id);
      raw.send({ type: 'done', id });
    }
    raw.end();
  });

  test('a client cannot claim more re-entries than it was lent', async () => {
    const raw = await rawClient();
    raw.send({ type: 'using', id: 1, reentries: 65 });
    await raw.hears('refused');
  });

  test('a client that does not answer counts as inside, until its session ends', async () => {
    const raw = await rawClient();
    const id = await raw.borrow();
    const client = await clientOf('b');
    expect(await client.locks.tryAcquire('build')).toBeNull();
    await raw.hears('recall', id);
    const waits = client.locks.acquire('build');
    raw.end();
    (await waits).release();
  });

  test('and cannot keep the lock from a thief', async () => {
    const raw = await rawClient();
    const id = await raw.borrow();
    const client = await clientOf('b');
    (await client.locks.acquire('build', { steal: true })).release();
    await raw.hears('lost', id);
    // What it says of the lock from now on is without effect.
    raw.send({ type: 'using', id, reentries: 1 }, { type: 'done', id });
    (await client.locks.acquire('build')).release();
    raw.end();
  });
});
