/** `/live`: what a member tells the lab about a lock, as it happens. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import type { LiveFrame, LiveStatus, LiveSteps } from '../../src/daemon/live-protocol.ts';
import { LiveTap, MOST_STEPS } from '../../src/daemon/live-tap.ts';
import { daemonAlone } from '../support/daemon-alone.ts';
import { until } from '../support/program.ts';

let alone: Awaited<ReturnType<typeof daemonAlone>>;
beforeAll(async () => {
  alone = await daemonAlone({ dashboard: '127.0.0.1:0' });
});
afterAll(() => alone.close());

interface Told {
  readonly type: string;
  readonly value: unknown;
}

/** The events of a stream, as they come; `end` closes it. */
function listen(path: string): { readonly told: Told[]; readonly end: () => void } {
  const told: Told[] = [];
  const stream = request(new URL(path, alone.daemon.page), (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const events = (text + chunk).split('\n\n');
      text = events.pop()!;
      for (const event of events) {
        const [, type, data] = /^event: (\w+)\ndata: (.*)$/s.exec(event)!;
        told.push({ type: type!, value: JSON.parse(data!) });
      }
    });
  });
  stream.on('error', () => {});
  stream.end();
  return { told, end: () => stream.destroy() };
}
const ofType = <T>(told: readonly Told[], type: string): T[] =>
  told.filter((event) => event.type === type).map(({ value }) => value as T);
const stepsOf = (told: readonly Told[]) =>
  ofType<LiveSteps>(told, 'steps').flatMap(({ steps }) => steps);

describe('/live', () => {
  test('tells members, holders, and waiting requests with the longest first', async () => {
    const client = await connect({ socket: alone.socket, as: 'holder' });
    const held = await client.locks.acquire('status');
    const first = client.locks.acquire('status');
    await new Promise((resolve) => setTimeout(resolve, 20));
    const second = client.locks.acquire('status');
    await until(async () => (await alone.group.backend.query()).pending.length === 2);
    const { told, end } = listen('/live');
    await until(() =>
      ofType<LiveStatus>(told, 'status').some(({ pending }) => pending.length === 2),
    );
    const status = ofType<LiveStatus>(told, 'status').at(-1)!;
    expect(status).toMatchObject({ self: 'a', group: 'alone', watched: ['a'] });
    expect(status.members).toMatchObject([{ id: 'a', isInView: true, isConnected: true }]);
    expect(status.held.map(({ name }) => name)).toEqual(['status']);
    expect(status.pending[0]!.forMs).toBeGreaterThanOrEqual(status.pending[1]!.forMs);
    end();
    held.release();
    (await first).release();
    (await second).release();
    await client.close();
  });

  test('tells the steps of a lock: how it is served, its states, and its grants', async () => {
    const { told, end } = listen('/live?lock=watched');
    await until(() => ofType<LiveFrame>(told, 'frame').length === 1);
    expect(ofType<LiveFrame>(told, 'frame')[0]).toMatchObject({
      ...{ name: 'watched', permits: 0, algorithm: 'directory-token', nodes: 1, members: ['a'] },
    });
    const client = await connect({ socket: alone.socket, as: 'worker' });
    const held = await client.locks.acquire('watched');
    await until(() => stepsOf(told).some(({ enters }) => enters));
    held.release();
    await until(() => stepsOf(told).at(-1)?.phase === 0);
    const steps = stepsOf(told);
    expect(steps[0]).toMatchObject({ event: 'start', phase: 0, tokens: 1 });
    const entry = steps.find(({ enters }) => enters)!;
    expect(entry).toMatchObject({ event: 'request', phase: 2, tokens: 1 });
    expect(entry.grants).toEqual([expect.stringContaining('worker')]);
    expect(entry.state).toMatchObject({ stage: 'inside' });
    end();
    await client.close();
  });

  test('tells nothing of other locks', async () => {
    const { told, end } = listen('/live?lock=quiet&own');
    await until(() => stepsOf(told).length === 1);
    await alone.group.locks.request('loud', async () => {});
    await alone.group.locks.request('quiet', async () => {});
    await until(() => stepsOf(told).some(({ enters }) => enters));
    // Of the quiet one its first state, one entry and one exit; with `own`, nothing of members.
    expect(stepsOf(told).filter(({ enters }) => enters)).toHaveLength(1);
    expect(ofType(told, 'status')).toEqual([]);
    end();
  });

  test('of an event of another lock only the name is looked at', async () => {
    const { backend, locks } = alone.group;
    const stop = new LiveTap(backend).watch(
      { name: 'aside', permits: 0 },
      { frame: () => {}, steps: () => {}, failed: () => {} },
    );
    const { locks: table } = backend.node;
    const inUse = table.inUse.bind(table);
    let lookups = 0;
    table.inUse = (name, permits) => {
      if (name === 'aside') lookups++;
      return inUse(name, permits);
    };
    for (let i = 0; i < 50; i++) await locks.request('loud', () => {});
    expect(lookups).toBe(0);
    await locks.request('aside', () => {});
    expect(lookups).toBeGreaterThan(0);
    table.inUse = inUse;
    stop();
  });

  test('callers that follow one another inside are counted, and take no step of the algorithm', async () => {
    const { backend, locks } = alone.group;
    const told: LiveSteps[] = [];
    const stop = new LiveTap(backend).watch(
      { name: 'turns', permits: 0 },
      { frame: () => {}, steps: (json) => told.push(JSON.parse(json)), failed: () => {} },
    );
    const held = await locks.acquire('turns');
    const waiting = Array.from({ length: 5 }, () => locks.request('turns', () => {}));
    held.release();
    await Promise.all(waiting);
    await until(() => told.some(({ steps }) => steps.some(({ event }) => event === 'exit')));
    stop();
    const entered = told.flatMap(({ steps }) => steps).filter(({ enters }) => enters).length;
    const counted = told.reduce((sum, { left }) => sum + left.entries, 0);
    expect(entered).toBeGreaterThanOrEqual(1);
    expect(entered + counted).toBe(6);
  });

  test('the driver has no observer before the first page watches, and after the last has gone', async () => {
    const { backend } = alone.group;
    await until(() => backend.observer === null);
    const streams = [listen('/live?lock=x'), listen('/live?lock=y')];
    await until(() => backend.observer !== null);
    for (const { end } of streams) end();
    await until(() => backend.observer === null);
  });

  test('beyond the limit steps are counted, and not told', async () => {
    const { backend, locks } = alone.group;
    const tap = new LiveTap(backend);
    let [told, left, pauses] = [0, 0, 0];
    const seconds = new Set<number>();
    const stop = tap.watch(
      { name: 'busy', permits: 0 },
      {
        frame: () => {},
        steps: (json) => {
          const batch = JSON.parse(json) as LiveSteps;
          told += batch.steps.length;
          left += batch.left.entries;
          if (batch.pausedAt !== undefined) pauses++;
          for (const { at } of batch.steps) seconds.add(Math.floor(at / 1000));
        },
        failed: (error) => {
          throw error;
        },
      },
    );
    for (let i = 0; i < 20_000; i++) await locks.request('busy', () => {});
    // Requests for another lock are not counted as entries to this one.
    for (let i = 0; i < 5_000; i++) await locks.request('other', () => {});
    // The room is used up, and then the driver has no observer until the next second.
    await until(() => left > 10_000);
    stop();
    expect(left).toBeLessThanOrEqual(20_000);
    // A page that is told nothing more must know that more happens.
    expect(pauses).toBeGreaterThan(0);
    // The limit begins anew with a second, and a batch may be on its way when it does.
    expect(told).toBeLessThanOrEqual(MOST_STEPS * (seconds.size + 1) + 1);
    expect(backend.observer).toBe(null);
  });

  test('an error in what watches ends the watching, and the member goes on', async () => {
    const { backend, locks } = alone.group;
    const tap = new LiveTap(backend);
    const failed: Error[] = [];
    const stop = tap.watch(
      { name: 'broken', permits: 0 },
      { frame: () => {}, steps: () => {}, failed: (error) => failed.push(error) },
    );
    const { locks: table } = backend.node;
    const inUse = table.inUse.bind(table);
    table.inUse = (name, permits) => {
      if (new Error().stack!.includes('live-tap')) throw new Error('it broke');
      return inUse(name, permits);
    };
    await locks.request('broken', () => {});
    table.inUse = inUse;
    expect(failed.map(({ message }) => message)).toEqual(['it broke']);
    expect(backend.observer).toBe(null);
    stop();
    expect(await locks.request('broken', () => 'served')).toBe('served');
  });
});
