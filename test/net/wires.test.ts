/** Links over every transport, with real sockets and real time. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/net/clock.ts';
import { MemoryNetwork } from '../../src/net/memory.ts';
import { TcpWithShortcut } from '../../src/net/shortcut.ts';
import { tcp } from '../../src/net/tcp.ts';
import { tls } from '../../src/net/tls.ts';
import type { Transport } from '../../src/net/transport.ts';
import { unix } from '../../src/net/unix.ts';
import { certificates, opensslIsThere } from '../support/net-certificates.ts';
import { Killable } from '../support/net-killable.ts';
import { bytes, makePeer, type Peer } from '../support/net-peers.ts';
import { shortcutDirectory } from '../support/net-shortcut.ts';
import { until } from '../support/net-until.ts';

const directory = mkdtempSync(join(tmpdir(), 'latchkey-'));
afterAll(() => rmSync(directory, { recursive: true }));
const members = shortcutDirectory();

const sockets = () =>
  process.getActiveResourcesInfo().filter((kind) => /TCP|Pipe|TLS|Timeout|Immediate/.test(kind))
    .length;

const names = ['a', 'b', 'c'] as const;
type Name = (typeof names)[number];

const certificate = opensslIsThere
  ? certificates({ a: { cn: 'a' }, b: { cn: 'b' }, c: { cn: 'host', dns: 'c' }, d: { cn: 'd' } })
  : undefined;

interface Wire {
  /** A fresh network: the transport of each member, and where it may listen. */
  readonly make: () => (name: Name) => { readonly transport: Transport; readonly listen: string };
  readonly isThere?: boolean;
}
const onAnyPort = (transport: (name: Name) => Transport) => () => (name: Name) => ({
  transport: transport(name),
  listen: '127.0.0.1:0',
});
const wires: Readonly<Record<string, Wire>> = {
  memory: {
    make: () => {
      const network = new MemoryNetwork(systemClock);
      return (name) => ({ transport: network.host(name), listen: name });
    },
  },
  TCP: { make: onAnyPort(() => tcp) },
  'TCP with a shortcut': {
    make: onAnyPort(() => new TcpWithShortcut({ directory: members })),
  },
  'Unix sockets': {
    make: () => (name) => ({ transport: unix, listen: `unix:${join(directory, name)}` }),
  },
  TLS: { make: onAnyPort((name) => tls(certificate![name])), isThere: opensslIsThere },
};

describe.each(Object.entries(wires))('over %s', (_, { make, isThere = true }) => {
  let place: ReturnType<Wire['make']>;
  let before: number;
  const living = new Set<Peer>();
  const addresses = new Map<string, string>();

  beforeEach(() => {
    before = sockets();
    addresses.clear();
    if (isThere) place = make();
  });
  afterEach(async () => {
    await Promise.all([...living].map(({ links }) => links.close()));
    living.clear();
    await until(() => sockets() <= before);
    expect(readdirSync(directory)).toEqual([]);
  });

  /** Members are opened from the last name to the first: a dialing member must know the address. */
  async function start(name: Name, incarnation = 1, limits = {}) {
    const { transport, listen } = place(name);
    const killable = new Killable(transport);
    const peers = Object.fromEntries(
      names
        .filter((other) => other !== name)
        .map((other) => [other, addresses.get(other) ?? other]),
    );
    const at = addresses.get(name) ?? listen;
    const peer = makePeer({
      self: name,
      listen: at,
      peers,
      transport: killable,
      incarnation,
      limits,
    });
    living.add(peer);
    await peer.links.open();
    addresses.set(name, peer.links.address);
    return { ...peer, killable, peer };
  }
  async function group(limits = {}) {
    const c = await start('c', 1, limits);
    const b = await start('b', 1, limits);
    const a = await start('a', 1, limits);
    await until(() => [a, b, c].every((member) => member.heard.size === 2));
    return { a, b, c };
  }

  test.skipIf(!isThere)('three members exchange messages', async () => {
    const { a, b, c } = await group();
    const members = { a, b, c };
    for (let i = 0; i < 500; i++) {
      for (const from of names) {
        for (const to of names)
          if (from !== to) members[from].links.send(to, bytes(`${from} ${i}`));
      }
      if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const everything = (from: Name) => Array.from({ length: 500 }, (_, i) => `${from} ${i}`);
    const count = (member: typeof a) => [...member.heard.values()].flat().length;
    await until(() => count(a) + count(b) + count(c) === 3000);
    for (const me of names) {
      for (const from of names) {
        if (from !== me) expect(members[me].heard.get(from)).toEqual(everything(from));
      }
    }
  });

  test.skipIf(!isThere)('sessions survive the loss of their connections', async () => {
    const { a, c } = await group();
    for (let i = 0; i < 200; i++) {
      a.links.send('c', bytes(`${i}`));
      c.links.send('a', bytes(`${i}`));
      if (i % 20 === 10) (i % 40 === 10 ? a : c).killable.cut();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => a.heard.get('c')!.length === 200 && c.heard.get('a')!.length === 200);
    const all = Array.from({ length: 200 }, (_, i) => `${i}`);
    expect([a.heard.get('c'), c.heard.get('a')]).toEqual([all, all]);
    expect(a.recorded.filter((line) => line === 'begins c 1')).toHaveLength(1);
    expect(a.recorded.filter((line) => line === 'c up').length).toBeGreaterThan(1);
  });

  test.skipIf(!isThere)('a killed member that starts again gets new sessions', async () => {
    const { a, b, c } = await group();
    for (const name of ['c', 'a'] as const) {
      const killed = name === 'a' ? a : c;
      await killed.killable.kill();
      living.delete(killed.peer);
      void killed.links.close();
      await until(() => b.recorded.includes(`${name} down`));
      const reborn = await start(name, 2);
      await until(() => reborn.heard.size === 2 && b.recorded.includes(`begins ${name} 2`));
      reborn.links.send('b', bytes('I am back'));
      b.links.send(name, bytes('welcome'));
      await until(() => b.heard.get(name)!.length === 1 && reborn.heard.get('b')!.length === 1);
    }
  });

  test.skipIf(!isThere)('forty megabytes arrive, and then the peer is not congested', async () => {
    const { a, b } = await group();
    const megabyte = new Uint8Array(1_000_000);
    for (let i = 0; i < 40; i++) a.links.send('b', megabyte);
    expect(a.links.isCongested('b')).toBe(true);
    await until(() => b.heard.get('a')!.length === 40);
    await until(() => !a.links.isCongested('b'));
  });
});

describe.skipIf(!opensslIsThere)('a certificate', () => {
  test('admits the member that it names, and no other', async () => {
    const listen = '127.0.0.1:0';
    const common = { listen, limits: { backoffMaxMs: 50 } };
    const b = makePeer({
      ...common,
      self: 'b',
      peers: { a: 'x:1' },
      transport: tls(certificate!.b),
    });
    await b.links.open();
    const peers = { b: b.links.address };
    const impostor = makePeer({ ...common, self: 'a', peers, transport: tls(certificate!.d) });
    await impostor.links.open();
    await until(() => b.links.status().refusals['wrong-certificate'] > 0);
    await until(() => /"a" shows a certificate of "d"/.test(impostor.log[0]?.message ?? ''));
    expect(b.recorded).toEqual([]);
    await impostor.links.close();
    const a = makePeer({ ...common, self: 'a', peers, transport: tls(certificate!.a) });
    await a.links.open();
    await until(() => b.recorded.length === 2);
    await Promise.all([a.links.close(), b.links.close()]);
  });

  test('of a dialed process is checked, too', async () => {
    const listen = '127.0.0.1:0';
    const impostor = makePeer({
      listen,
      self: 'b',
      peers: { a: 'x:1' },
      transport: tls(certificate!.d),
    });
    await impostor.links.open();
    const peers = { b: impostor.links.address };
    const a = makePeer({ listen, self: 'a', peers, transport: tls(certificate!.a) });
    await a.links.open();
    await until(() => a.links.status().refusals['wrong-certificate'] > 0);
    expect(a.recorded).toEqual([]);
    await Promise.all([a.links.close(), impostor.links.close()]);
  });
});
