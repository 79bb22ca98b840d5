/** The page, its JSON, /metrics and /healthz. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { readable, short } from '../../src/daemon/html.ts';
import { page, sections } from '../../src/daemon/page.ts';
import type { DaemonStatus } from '../../src/daemon/status.ts';
import { daemonAlone } from '../support/daemon-alone.ts';
import { until } from '../support/program.ts';

let alone: Awaited<ReturnType<typeof daemonAlone>>;
let url: string;
beforeAll(async () => {
  alone = await daemonAlone({ dashboard: '127.0.0.1:0' });
  url = alone.daemon.page!;
});
afterAll(() => alone.close());

const get = async (path: string) => {
  const response = await fetch(url + path);
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  };
};
const metric = async (name: string): Promise<number> => {
  const { text } = await get('metrics');
  const line = text.split('\n').find((l) => l.startsWith(`latchkey_${name} `));
  return Number(line?.split(' ')[1]);
};

describe('over HTTP', () => {
  test('the page shows holders and waiting requests, and is one document without anything from elsewhere', async () => {
    const client = await connect({ socket: alone.socket, as: 'a <test>' });
    const held = await client.locks.acquire('build');
    const waits = client.locks.acquire('build');
    await until(async () => (await alone.group.backend.query()).pending.length === 1);
    const { status, type, text } = await get('');
    expect([status, type]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('<h3>build <small></small></h3>');
    expect(text).toContain('a/1 (a &lt;test&gt;)');
    expect(text).toContain(`>${held.fence}</span>`);
    expect(text).toContain('1 waits');
    expect(text).not.toMatch(/(src|href)="(?!data:|\/)/);
    await held.release();
    await (await waits).release();
    await client.close();
  });

  test('status.json is what latchkey status prints', async () => {
    const client = await connect({ socket: alone.socket });
    const { type, text } = await get('status.json');
    expect(type).toBe('application/json; charset=utf-8');
    const status = JSON.parse(text) as DaemonStatus;
    expect(status).toMatchObject({
      self: 'a',
      group: 'alone',
      waitsFor: [],
      held: [],
      pending: [],
    });
    expect(status.sessions).toHaveLength(1);
    expect(Object.keys(await client.status())).toEqual(Object.keys(status));
    await client.close();
  });

  test('/metrics counts what happens to requests', async () => {
    const before = await metric('wait_seconds_count');
    const client = await connect({ socket: alone.socket });
    const held = await client.locks.acquire('counted');
    expect(await metric('held')).toBe(1);
    const waits = client.locks.acquire('counted');
    await until(async () => (await metric('waiting')) === 1);
    expect(await client.locks.tryAcquire('counted')).toBeNull();
    await held.release();
    await (await waits).release();
    await until(async () => (await metric('held')) === 0);
    expect(await metric('wait_seconds_count')).toBe(before + 2);
    expect(await metric('hold_seconds_count')).toBeGreaterThanOrEqual(2);
    const { text, type } = await get('metrics');
    expect(type).toContain('text/plain; version=0.0.4');
    expect(text).toContain('latchkey_requests_total{outcome="busy"} 1');
    expect(text).toMatch(/latchkey_sessions 1\n/);
    expect(text).toMatch(/latchkey_view_members 1\n/);
    expect(text).toMatch(/latchkey_peer_refused_total\{reason="wrong-group"\} 0\n/);
    for (const line of text.split('\n')) expect(line).toMatch(/^$|^# |^latchkey_\w+(\{.*\})? /);
    await client.close();
  });

  test('/healthz, and what is not there', async () => {
    expect(await get('healthz')).toMatchObject({ status: 200, text: 'ok\n' });
    expect((await get('nowhere')).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  });

  test('/events sends the sections again and again, and each is one of the page', async () => {
    const { body } = await fetch(`${url}events`);
    const reader = body!.getReader();
    let text = '';
    while (text.split('\n\n').length < 3) {
      text += new TextDecoder().decode((await reader.read()).value);
    }
    await reader.cancel();
    const [first] = text.split('\n\n');
    const parts = JSON.parse(first!.replace(/^data: /, '')) as Record<string, string>;
    expect(Object.keys(parts)).toEqual(['overview', 'locks', 'members', 'clients', 'events']);
    const whole = (await get('')).text;
    for (const id of Object.keys(parts)) expect(whole).toContain(`<section id="${id}"`);
  });

  describe('a web site cannot read the page through a name of its own', () => {
    const statusFor = (page: string, host: string) =>
      new Promise((resolve, reject) => {
        request(`${page}status.json`, { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
    test.each([
      ['evil.example:7180', 421],
      ['localhost.evil.example', 421],
      ['localhost:7180', 200],
      ['127.0.0.1:7180', 200],
      ['[::1]:7180', 200],
    ])('Host: %s gets %d', async (host, expected) => {
      expect(await statusFor(url, host)).toBe(expected);
    });
    test('nor if the page listens everywhere; `hosts` adds names', async () => {
      const open = await daemonAlone({ dashboard: '0.0.0.0:0', hosts: ['Locks.example.com'] });
      const page = open.daemon.page!.replace('0.0.0.0', '127.0.0.1');
      expect(await statusFor(page, 'evil.example')).toBe(421);
      expect(await statusFor(page, 'locks.example.com:7180')).toBe(200);
      expect(await statusFor(page, '10.1.2.3')).toBe(200);
      await open.close();
    });
  });

  test('two thousand clients wait, and the page and another client are served', async () => {
    const holder = await connect({ socket: alone.socket });
    const held = await holder.locks.acquire('popular');
    const clients = await Promise.all(
      Array.from({ length: 2_000 }, () => connect({ socket: alone.socket })),
    );
    const waits = clients.map((client) => client.locks.acquire('popular'));
    await until(async () => (await metric('waiting')) === 2_000);
    const { body } = await fetch(`${url}events`);
    const reader = body!.getReader();
    await reader.read();
    // A page shows a survey that all readers share for a moment, so the first one may be of a moment before.
    await until(async () => (await get('')).text.includes('2,000 wait'));
    expect((await get('')).text).toContain('and 1,970 more');
    const other = await connect({ socket: alone.socket });
    await (await other.locks.acquire('unpopular')).release();
    await reader.cancel();
    await held.release();
    for (const wait of waits) await (await wait).release();
    await Promise.all([holder, other, ...clients].map((client) => client.close()));
    await until(async () => (await metric('sessions')) === 0);
  });
});

describe('as HTML', () => {
  const calm: DaemonStatus = {
    self: 'a',
    group: 'g',
    view: { epoch: 7, members: ['a', 'b', 'c'].map((id) => ({ id, incarnation: 1 })) },
    engine: { name: 'fixed', leaseLeftMs: null, storeReachable: null, suspected: [] },
    waitsFor: [],
    peers: [
      {
        id: 'b',
        connected: true,
        roundTripMs: 0.25,
        silentMs: 100,
        unreachableMs: null,
        queuedBytes: 0,
      },
      {
        id: 'c',
        connected: true,
        roundTripMs: null,
        silentMs: null,
        unreachableMs: null,
        queuedBytes: 0,
      },
    ],
    held: [],
    pending: [],
    unreachable: [],
    algorithms: [{ of: 'locks', match: '*', algorithm: 'raymond' }],
    entries: 4,
    messages: 6,
    refusals: {},
    refusedBy: {},
    sessions: [],
    events: [],
    upMs: 75_000,
    pid: 4711,
    deadlocks: [],
    counts: { held: 0, pending: 0, sessions: 0 },
    omitted: { held: 0, pending: 0, sessions: 0 },
    longestWaitMs: 0,
  };
  const entry = {
    permits: 0,
    mode: 'exclusive',
    clientId: 'a/1',
    member: 'a',
    forMs: 1500,
  } as const;

  test('all is well, or what is not', () => {
    const says = (status: Partial<DaemonStatus>) => sections({ ...calm, ...status })['overview'];
    expect(says({})).toContain('All 3 members in one view.');
    expect(says({})).toContain('<dd>1.50</dd>');
    expect(says({ waitsFor: ['c'] })).toContain('Without <b>c</b>: a lock whose algorithm needs');
    expect(says({ view: null })).toContain('There is no view yet');
    expect(says({ waitsFor: ['b'] })).toContain('Without <b>b</b>:');
  });
  test('since when a member is unreachable, however long before nothing was heard', () => {
    const gone = { id: 'c', connected: false, roundTripMs: null, silentMs: 14_900, queuedBytes: 0 };
    const says = (unreachableMs: number | null) =>
      sections({ ...calm, waitsFor: ['c'], peers: [{ ...gone, unreachableMs }] })['overview'];
    expect(says(1200)).toContain('Without <b>c, unreachable for 1.2 s</b>');
    expect(says(null)).toContain('Without <b>c, never reached</b>');
  });
  test('when a store that has no view yet may get one', () => {
    const engine = { name: 'postgres', leaseLeftMs: 7400, storeReachable: true, suspected: [] };
    const says = (more: object) =>
      sections({ ...calm, view: null, engine: { ...engine, ...more } })['overview'];
    expect(says({ firstViewInMs: 7600 })).toContain(
      'This member is in no view: the first view in this store in 7.6 s.',
    );
    expect(says({})).toContain('This member is in no view. Its requests wait');
  });
  test('the engine, the lease, and why a lock waits', () => {
    const suspected = [{ id: 'c', why: 'unreachable', forMs: 3200, viewInMs: 4800 }] as const;
    const engine = { name: 'postgres', leaseLeftMs: 7400, storeReachable: true, suspected };
    const pending = [{ ...entry, name: 'x', waitsFor: ['c'] }];
    const html = sections({ ...calm, engine, pending, waitsFor: ['c'] });
    const reason = 'c, unreachable for 3.2 s; a view without c in 4.8 s';
    expect(html['locks']).toContain(`for ${reason}`);
    expect(html['overview']).toContain(`Without <b>${reason}</b>`);
    expect(html['members']).toContain('engine postgres, lease 7.4 s left, the store answers');
    const away = { ...engine, leaseLeftMs: 0, storeReachable: false, suspected: [] };
    const alone = sections({ ...calm, engine: away, view: null });
    expect(alone['overview']).toContain('This member is in no view');
    expect(alone['members']).toContain('the store does not answer');
  });
  test('a lock without a known holder is free, or not known while a member is silent', () => {
    const pending = [{ ...entry, name: 'x' }];
    expect(sections({ ...calm, pending })['locks']).toContain('no process at the moment');
    const silent = sections({ ...calm, pending, unreachable: ['c'], waitsFor: ['c'] })['locks']!;
    expect(silent).toContain('not known: c does not answer');
    expect(silent).not.toContain('no process');
    const none = sections({ ...calm, unreachable: ['c'] })['locks']!;
    expect(none).toContain('what c holds is not known');
  });
  test('a deadlock is named', () => {
    const cycle = [
      { clientId: 'a/1', member: 'a', holds: 'A', waitsFor: 'B' },
      { clientId: 'b/1', member: 'b', holds: 'B', waitsFor: 'A' },
    ];
    const html = sections({ ...calm, deadlocks: [cycle] });
    expect(html['overview']).toContain('1 deadlock: callers wait for each other in a circle');
    expect(html['locks']).toContain('<b>a/1</b> holds A and waits for B; <b>b/1</b> holds B');
  });
  test('nothing that a name contains becomes a tag', () => {
    const evil = '<img src=x onerror=alert(1)>';
    const html = page({
      ...calm,
      self: evil,
      group: evil,
      peers: [
        {
          id: evil,
          connected: true,
          roundTripMs: 1,
          silentMs: 1,
          unreachableMs: null,
          queuedBytes: 0,
        },
      ],
      held: [{ ...entry, name: evil, clientId: evil }],
      pending: [{ ...entry, name: evil, clientId: evil, waitsFor: [evil] }],
      sessions: [{ clientId: evil, held: 1, waiting: 1 }],
      algorithms: [{ of: 'locks', match: evil, algorithm: evil }],
      events: [{ at: 0, level: 'info', event: 'x', text: evil }],
    });
    expect(html).not.toContain('<img');
    expect(html.split('&lt;img').length).toBeGreaterThan(10);
  });
  test('long lists are cut, and say so', () => {
    const held = Array.from({ length: 250 }, (_, i) => ({ ...entry, name: `lock ${i}` }));
    const pending = Array.from({ length: 50 }, () => ({ ...entry, name: 'lock 7' }));
    const html = sections({ ...calm, held, pending })['locks']!;
    expect(html).toContain('and 50 more locks in status.json');
    expect(html).toContain('and 20 more');
    expect(html.indexOf('lock 7 ')).toBeLessThan(html.indexOf('lock 0 '));
  });
  test('names and times as people read them', () => {
    expect(['build', 'a b', '', ' x', 'é😀', '\ud800', 'a\nb'].map(readable)).toEqual([
      'build',
      'a b',
      '""',
      '" x"',
      'é😀',
      '"\\ud800"',
      '"a\\nb"',
    ]);
    expect([5, 1500, 59_999, 61_000, 3_661_000].map(short)).toEqual([
      '5 ms',
      '1.5 s',
      '59 s',
      '1:01',
      '1:01:01',
    ]);
  });
});
