/** `join`: the settings it refuses, what members must agree on, and what a member knows of the others. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../src/core/errors.ts';
import { fixed } from '../../src/engines/fixed.ts';
import { digestOf } from '../../src/member/digest.ts';
import { join } from '../../src/member/join.ts';
import type { JoinSettings } from '../../src/member/join-settings.ts';
import { members } from '../support/members.ts';
import { until } from '../support/program.ts';

describe('settings that cannot be are refused before a socket is opened', () => {
  const well = { self: 'a', listen: '127.0.0.1:0', peers: {} };
  test.each([
    [undefined, '`join` takes settings'],
    [{ listen: '127.0.0.1:0', peers: {} }, '`join` needs `self`'],
    [{ ...well, self: '' }, '`join` needs `self`'],
    [{ ...well, self: 7 }, '`join` needs `self`'],
    [{ self: 'a', listen: '127.0.0.1:0' }, '`join` needs `peers`'],
    [{ ...well, peers: ['b'] }, '`join` needs `peers`'],
    [{ ...well, self: 'a'.repeat(256) }, '`self` has at most 255 characters, got 256'],
    [{ ...well, locks: 'x' }, '`locks` takes a list of rules'],
    [{ ...well, locks: [null] }, 'got null'],
    [{ ...well, locks: [{ match: 5, algorithm: 'raymond' }] }, 'got {"match":5'],
    [{ ...well, semaphores: [{ match: 'x' }] }, '`semaphores` takes a list of rules'],
    [{ ...well, secret: 5 }, '`secret` takes a text, got 5'],
    [{ ...well, insecure: 'no' }, '`insecure` takes true or false, got "no"'],
    [{ ...well, shortcut: 'off' }, '`shortcut` takes true or false, got "off"'],
    [{ ...well, tls: 'on' }, '`tls` takes { ca, cert, key }, got "on"'],
    [{ ...well, tls: {} }, '`tls.ca` takes a text in PEM: got undefined'],
    [{ ...well, tls: { ca: 'x', cert: 'y', key: 'z' } }, '`tls.ca` takes a text in PEM: '],
    [{ ...well, log: 5 }, '`log` takes a function, got 5'],
    [
      { self: 'a', listen: 'localhost:7101', peers: { b: 'localhost:7101' } },
      '"a" and "b" have the same address, got localhost:7101 for both: give each member its own',
    ],
    [{ ...well, peers: { b: 7102 } }, '`peers` takes an address for each name, got 7102 for "b"'],
    [{ ...well, peers: { b: 'nowhere' } }, 'expected an address'],
    [{ ...well, peers: { a: '127.0.0.1:1' } }, '`peers` are the other members'],
    [{ self: 'a', peers: {} }, '`join` needs `listen`'],
    [{ ...well, group: '' }, '`group` takes a text'],
    [{ ...well, turns: 0 }, '`turns` takes a whole number'],
  ])('%j', async (settings, message) => {
    const handles = () => process.getActiveResourcesInfo().filter((name) => /Wrap$/.test(name));
    const before = handles();
    const joining = join(settings as unknown as JoinSettings);
    await expect(joining).rejects.toThrow(message);
    await expect(joining).rejects.toBeInstanceOf(UsageError);
    expect(handles()).toEqual(before);
  });
});

describe('the digest of a configuration', () => {
  const agreed = { members: ['a', 'b'], rules: { locks: [], semaphores: [] }, engine: 'fixed' };
  const rule = { match: 'x', algorithm: 'raymond', options: ['greedy', 'recovery'] };
  const withRules = (...locks: object[]) =>
    digestOf({ ...agreed, rules: { locks: locks as never, semaphores: [] } });

  test('is the same for the same configuration, however it is written', () => {
    expect(digestOf({ ...agreed, members: ['b', 'a'] })).toBe(digestOf(agreed));
    const reordered = { options: ['recovery', 'greedy'], algorithm: 'raymond', match: 'x' };
    expect(withRules(reordered)).toBe(withRules(rule));
    const empty = { match: 'x', algorithm: 'raymond', options: [], topology: undefined };
    expect(withRules(empty)).toBe(withRules({ match: 'x', algorithm: 'raymond' }));
    expect(withRules({ match: '*', algorithm: 'directory-token' })).toBe(digestOf(agreed));
    const all = { match: '*', algorithm: 'raymond' };
    expect(withRules(all, rule)).toBe(withRules(all));
  });
  test('is another for another configuration', () => {
    const digests = [
      digestOf(agreed),
      digestOf({ ...agreed, members: ['a', 'c'] }),
      digestOf({ ...agreed, engine: 'other' }),
      withRules(rule),
      withRules({ ...rule, match: 'y' }),
      withRules({ ...rule, topology: 'star' }),
      withRules({ ...rule, options: ['greedy'] }),
      withRules(rule, { ...rule, match: 'z' }),
      withRules({ ...rule, match: 'z' }, rule),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });
  test('lets a default engine and an explicit `fixed()` be members of one group', async () => {
    const group = await members(['a', 'b'], 'tcp', (id) => (id === 'a' ? { engine: fixed() } : {}));
    const held = await group.groups['b']!.locks.acquire('x', { timeoutMs: 10_000 });
    await held.release();
    await group.stop();
  });
});

describe('while a member does not answer', () => {
  test('the status of the others says that requests may wait for it', async () => {
    const group = await members(['a', 'b', 'c']);
    await group.groups['a']!.locks.request('x', () => {});
    // Its sockets end without a word, as those of a process that was killed.
    const { backend } = group.groups['c']!;
    await group.groups['c']!.locks.acquire('x');
    backend.end(new Error('killed'));
    const a = group.groups['a']!;
    await until(() => a.memberStatus().waitsFor.includes('c'));
    const status = await a.status();
    expect(status.waitsFor).toEqual(['c']);
    expect(status.unreachable).toEqual(['c']);
    await group.stop();
  });

  test('no request waits for one that has left, or that an operator calls gone', async () => {
    const { groups, stop } = await members(['a', 'b', 'c']);
    const a = groups['a']!;
    await a.locks.request('x', () => {});
    await groups['b']!.leave();
    await until(() => a.memberStatus().view?.members.length === 2);
    expect(a.memberStatus().peers.find(({ id }) => id === 'b')).toMatchObject({ connected: false });
    expect(a.memberStatus().waitsFor).toEqual([]);
    groups['c']!.backend.end(new Error('killed'));
    await until(() => a.memberStatus().waitsFor.includes('c'));
    a.forget('c');
    await until(() => a.memberStatus().view?.members.length === 1);
    expect((await a.status()).waitsFor).toEqual([]);
    await stop();
  });
});

describe('a member that its peer does not list', () => {
  test('and that peer both count the refusal', async () => {
    const [a, u] = ['127.0.0.1:0', '127.0.0.1:0'];
    const peer = await join({ self: 'a', listen: a, peers: {} });
    const unlisted = await join({ self: 'u', listen: u, peers: { a: peer.address } });
    await until(() => unlisted.memberStatus().refusedBy['unknown-member']! > 0);
    expect(peer.memberStatus().refusals['unknown-member']).toBeGreaterThan(0);
    await unlisted.leave();
    await peer.leave();
  });
});

describe('the Unix socket of a member', () => {
  const mask = process.umask();
  afterEach(() => {
    process.umask(mask);
  });
  test('is for this user alone, whatever the umask is', async () => {
    const folder = mkdtempSync(pathOf(tmpdir(), 'latchkey-'));
    const path = pathOf(folder, 'a');
    process.umask(0);
    const group = await join({ self: 'a', listen: `unix:${path}`, peers: {} });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(process.umask()).toBe(0);
    await group.leave();
    rmSync(folder, { recursive: true });
  });
});
