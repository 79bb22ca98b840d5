/** What two members compare before they exchange messages, and what each side is told. */
import { afterEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../src/core/errors.ts';
import { kinds, uint32At } from '../../src/net/frames.ts';
import { encodeRefusal } from '../../src/net/hello.ts';
import type { Reason } from '../../src/net/refusals.ts';
import { tcp } from '../../src/net/tcp.ts';
import { tls } from '../../src/net/tls.ts';
import type { Transport } from '../../src/net/transport.ts';
import { certificates, opensslIsThere } from '../support/net-certificates.ts';
import { bytes, makePeer, type Peer } from '../support/net-peers.ts';
import { hello, RawClient } from '../support/net-raw-client.ts';
import { until } from '../support/net-until.ts';
import { World } from '../support/net-world.ts';

const peerOf = ({ links }: Peer, id: string) => links.status().peers.find((p) => p.id === id)!;
const counts = ({ links }: Peer, reason: Reason) => {
  const { refusals, refusedBy } = links.status();
  return { given: refusals[reason], received: refusedBy[reason] };
};
const logs = ({ log }: Peer) => log.map(({ message }) => message).join('\n');

describe('protocol versions', () => {
  const meet = async (ofA: readonly [number, number], ofB: readonly [number, number]) => {
    const world = new World();
    const range = ([least, most]: readonly [number, number]) => ({ versions: { least, most } });
    const [a, b] = [world.peer('a', ['b'], range(ofA)), world.peer('b', ['a'], range(ofB))];
    await world.opened(b, a);
    return { world, a, b };
  };

  test.each([
    [[1, 1], [1, 1], 1],
    [[1, 2], [2, 3], 2],
    [[1, 5], [1, 4], 4],
  ] as const)('%j and %j agree on version %d', async (ofA, ofB, version) => {
    const { world, a, b } = await meet(ofA, ofB);
    expect([peerOf(a, 'b').version, peerOf(b, 'a').version]).toEqual([version, version]);
    await world.closed(a, b);
  });

  test('without a common version both sides log what to do', async () => {
    const { world, a, b } = await meet([1, 2], [3, 4]);
    for (const side of [a, b]) {
      expect(logs(side)).toMatch(/speaks versions 1 to 2 of the protocol, and we speak 3 to 4/);
      expect(logs(side)).toMatch(/install the same version of Latchkey on all members/);
    }
    expect(counts(b, 'wrong-version').given).toBeGreaterThan(0);
    expect(counts(a, 'wrong-version').received).toBeGreaterThan(0);
    expect(a.recorded.concat(b.recorded)).toEqual([]);
    await world.closed(a, b);
  });
});

test('members whose messages are declared differently refuse each other, and both log what to do', async () => {
  const world = new World();
  const a = world.peer('a', ['b'], { declarations: 'old' });
  const b = world.peer('b', ['a'], { declarations: 'new' });
  await world.opened(b, a);
  for (const side of [a, b]) {
    expect(logs(side)).toMatch(/declares other messages than we do: install the same version/);
  }
  expect(counts(b, 'wrong-declarations').given).toBeGreaterThan(0);
  expect(a.recorded.concat(b.recorded)).toEqual([]);
  await world.closed(a, b);
});

describe('a member that the others do not list', () => {
  test.each([
    ['smaller', 'a', 'b'],
    ['greater', 'b', 'a'],
  ])(
    'is told so, with a %s name than theirs, and both sides count it',
    async (_, unlisted, other) => {
      const world = new World();
      const newcomer = world.peer(unlisted, [other]);
      const member = world.peer(other, []);
      await world.opened(member, newcomer);
      world.clock.advance(12_000);
      const detail = `"${unlisted}" is not among the peers of "${other}": all members must list the same names`;
      expect(logs(newcomer)).toContain(detail);
      expect(logs(member)).toContain(detail);
      expect(counts(newcomer, 'unknown-member').received).toBeGreaterThan(0);
      expect(counts(member, 'unknown-member').given).toBeGreaterThan(0);
      expect(peerOf(newcomer, other).trouble).toContain(detail);
      await world.closed(newcomer, member);
    },
  );

  test('is asked for again at growing pauses, and each reason is logged once', async () => {
    const world = new World();
    const newcomer = world.peer('b', ['a']);
    const member = world.peer('a', []);
    await world.opened(member, newcomer);
    world.clock.advance(600_000);
    const { received } = counts(newcomer, 'unknown-member');
    expect(received).toBeGreaterThan(5);
    expect(received).toBeLessThan(15);
    expect(newcomer.log.filter(({ message }) => /not among the peers/.test(message))).toHaveLength(
      1,
    );
    await world.closed(newcomer, member);
  });
});

test('a member that is listed with a wrong address learns that its peer cannot reach it', async () => {
  const world = new World();
  const a = world.peer('a', [], { peers: { b: 'elsewhere' } });
  const b = world.peer('b', ['a']);
  await world.opened(b, a);
  world.clock.advance(12_000);
  expect(logs(b)).toMatch(/a does not dial us: .*check that "a" can reach "b"/);
  expect(logs(a)).toMatch(/cannot reach b/);
  await world.closed(a, b);
});

describe('an incarnation far in the future', () => {
  const today = 1_900_000_000_000;
  const settings = { incarnation: today, wallTime: () => today + 1000 };

  test('is refused, so that the real member is not locked out', async () => {
    const world = new World();
    const b = world.peer('b', ['a'], settings);
    const impostor = world.peer('a', ['b'], { ...settings, incarnation: 2 ** 48 - 1 });
    await world.opened(b, impostor);
    expect(counts(b, 'implausible-incarnation').given).toBeGreaterThan(0);
    expect(logs(b)).toMatch(/starts more than a day after now: set the clocks/);
    expect(b.recorded).toEqual([]);
    world.crash('a', impostor);
    const real = world.peer('a', ['b'], settings);
    await world.opened(real);
    expect(b.recorded).toEqual([`begins a ${today}`, 'a up']);
    await world.closed(b, real);
  });

  test('is not believed of ourselves, neither in a HELLO nor in a REFUSED', async () => {
    const b = makePeer({
      ...{ self: 'b', listen: '127.0.0.1:0', peers: { a: 'x:1' }, transport: tcp },
      ...settings,
    });
    await b.links.open();
    const client = new RawClient(b.links.address);
    await client.says(hello({ incarnation: today, knows: 2 ** 48 - 1 })).closed();
    expect(client.refusal?.reason).toBe('implausible-incarnation');
    const refusal = {
      reason: 'superseded',
      detail: 'so it seems',
      incarnation: 2 ** 48 - 1,
    } as const;
    const liar = new RawClient(b.links.address);
    liar.says(hello({ incarnation: today }), encodeRefusal(refusal, true));
    await until(() => counts(b, 'implausible-incarnation').given === 2);
    expect(b.recorded).not.toContain(`superseded by ${2 ** 48 - 1}`);
    liar.socket.destroy();
    await b.links.close();
  });

  test('of less than a day is believed: clocks differ', async () => {
    const world = new World();
    const b = world.peer('b', ['a'], settings);
    const a = world.peer('a', ['b'], { ...settings, incarnation: today + 3_600_000 });
    await world.opened(b, a);
    expect(b.recorded).toEqual([`begins a ${today + 3_600_000}`, 'a up']);
    await world.closed(a, b);
  });
});

describe('a group secret', () => {
  const secret = 'correct horse battery staple';

  test('lets members connect, reconnect and resume their session', async () => {
    const world = new World();
    const [a, b] = [world.peer('a', ['b'], { secret }), world.peer('b', ['a'], { secret })];
    await world.opened(b, a);
    a.links.send('b', bytes('one'));
    world.network.cut('b');
    b.links.send('a', bytes('two'));
    world.clock.advance(2000);
    expect([a.heard.get('b'), b.heard.get('a')]).toEqual([['two'], ['one']]);
    expect(a.recorded[0]).toBe('begins b 1');
    await world.closed(a, b);
  });

  test.each([
    ['another secret', 'wrong horse battery staple', /"a" has another|"b" has another/],
    ['no secret', undefined, /"a" has no group secret, and we have one: give all members/],
  ])('refuses a member with %s, and both sides log it', async (_, other, message) => {
    const world = new World();
    const a = world.peer('a', ['b'], other === undefined ? {} : { secret: other });
    const b = world.peer('b', ['a'], { secret });
    await world.opened(b, a);
    expect(a.recorded.concat(b.recorded)).toEqual([]);
    const wrong = [counts(a, 'wrong-secret'), counts(b, 'wrong-secret')];
    expect(Math.max(...wrong.map(({ given }) => given))).toBeGreaterThan(0);
    expect(logs(a)).toMatch(message);
    expect(logs(b)).toMatch(message);
    await world.closed(a, b);
  });

  test('is asked for before a HELLO has any effect', async () => {
    const b = makePeer({
      ...{ self: 'b', listen: '127.0.0.1:0', peers: { a: 'x:1' }, transport: tcp },
      ...{ secret, limits: { handshakeMs: 200 } },
    });
    await b.links.open();
    const nonce = 'a'.repeat(64);
    const silent = await new RawClient(b.links.address).says(hello({ nonce, knows: 5 })).closed();
    expect(silent.answers).toEqual([kinds.HELLO, kinds.PROOF]);
    const proof = new Uint8Array(37).fill(7);
    proof.set([0, 0, 0, 33, kinds.PROOF]);
    const liar = new RawClient(b.links.address).says(hello({ nonce, knows: 5 }), proof);
    await liar.closed();
    expect(liar.refusal?.reason).toBe('wrong-secret');
    const mute = new RawClient(b.links.address).says(hello({ knows: 5 }));
    await mute.closed();
    expect(mute.refusal?.reason).toBe('wrong-secret');
    expect(b.recorded).toEqual([]);
    await b.links.close();
  });

  test('never travels, and no two proofs are the same', async () => {
    const seen: Buffer[] = [];
    const world = new World();
    const host = world.network.host('a');
    const recording: Transport = {
      ...host,
      dial(address, handler) {
        const { data } = handler;
        handler.data = (chunk, length) => {
          seen.push(Buffer.from(chunk.subarray(0, length)));
          data.call(handler, chunk, length);
        };
        return host.dial(address, handler);
      },
    };
    const a = world.peer('a', ['b'], { secret, transport: recording });
    const b = world.peer('b', ['a'], { secret });
    await world.opened(b, a);
    world.network.cut('b');
    world.clock.advance(2000);
    const proofs = seen.filter((chunk) => chunk[4] === kinds.PROOF && uint32At(chunk, 0) === 33);
    expect(new Set(proofs.map((proof) => proof.toString('hex'))).size).toBe(2);
    expect(Buffer.concat(seen).includes(secret)).toBe(false);
    await world.closed(a, b);
  });

  test.each(['superseded', 'evicted'] as const)(
    'keeps an impostor at the address of a peer from ending us as %s',
    async (reason) => {
      const world = new World();
      const a = world.peer('a', ['b'], { secret });
      await world.network.host('b').listen('b', {
        accept: () => ({
          established: (connection) => ({
            opened() {},
            data: () =>
              connection.write(encodeRefusal({ reason, detail: 'go', incarnation: 99 }, false)),
            drained() {},
            closed() {},
          }),
          failed() {},
          closed() {},
        }),
      });
      await world.opened(a);
      expect(a.recorded).toEqual([]);
      expect(counts(a, 'wrong-secret').given).toBeGreaterThan(0);
      await a.links.close();
    },
  );

  test('of a peer proves a refusal that ends a process', async () => {
    const world = new World();
    const [a, b] = [world.peer('a', ['b'], { secret }), world.peer('b', ['a'], { secret })];
    await world.opened(b, a);
    const later = world.peer('a', ['b'], { secret, incarnation: 2, listen: 'elsewhere' });
    await world.opened(later);
    world.clock.advance(5000);
    expect(a.recorded.at(-1)).toBe('superseded by 2');
    await world.closed(a, b, later);
  });

  test('must have sixteen characters', () => {
    expect(() => new World().peer('a', ['b'], { secret: 'short' })).toThrow(UsageError);
  });
});

describe.skipIf(!opensslIsThere)('over TLS, for which openssl makes the certificates', () => {
  const certificate = opensslIsThere
    ? certificates({ a: { cn: 'a' }, b: { cn: 'b' }, d: { cn: 'd' } })
    : undefined;
  const open: Peer[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map(({ links }) => links.close()));
  });

  test.each([
    ['d', ['wrong-certificate']],
    ['b', []],
  ] as const)('REFUSED with the certificate of %s is believed only of b', async (name, refused) => {
    const transport = tls(certificate![name]);
    const listener = await transport.listen('127.0.0.1:0', {
      accept: () => ({
        established: (connection) => ({
          opened() {},
          data: () =>
            connection.write(
              encodeRefusal({ reason: 'superseded', detail: 'go', incarnation: 99 }, false),
            ),
          drained() {},
          closed() {},
        }),
        failed() {},
        closed() {},
      }),
    });
    const a = makePeer({
      ...{ self: 'a', listen: '127.0.0.1:0', peers: { b: listener.address } },
      transport: tls(certificate!.a),
    });
    open.push(a);
    await a.links.open();
    const isBelieved = refused.length === 0;
    await until(() => a.recorded.length + counts(a, 'wrong-certificate').given > 0);
    expect(a.recorded).toEqual(isBelieved ? ['superseded by 99'] : []);
    await a.links.close();
    await listener.close();
  });
});
