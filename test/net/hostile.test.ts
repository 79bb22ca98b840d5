/** Hostile and broken peers are refused and counted, and have no effect on other peers. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ackFrame, kinds } from '../../src/net/frames.ts';
import type { Reason } from '../../src/net/refusals.ts';
import { tcp } from '../../src/net/tcp.ts';
import { bytes, makePeer, type Peer } from '../support/net-peers.ts';
import { hello, message, nonsense, RawClient } from '../support/net-raw-client.ts';
import { until } from '../support/net-until.ts';

const limits = { handshakeMs: 300, backoffMinMs: 5, backoffMaxMs: 50, maxHalfOpen: 64 };
// Members a and 0 dial b, and b dials c. In most tests a is a raw client; 0 is always a real member.
let b: Peer;
let zero: Peer;

const count = (reason: Reason): number => b.links.status().refusals[reason];
const rawClient = (): RawClient => new RawClient(b.links.address);

beforeEach(async () => {
  const peers = { '0': 'x:1', a: 'x:1', c: '127.0.0.1:9' };
  b = makePeer({ self: 'b', listen: '127.0.0.1:0', peers, transport: tcp, limits });
  await b.links.open();
  const others = { a: 'x:1', b: b.links.address, c: 'x:1' };
  zero = makePeer({
    self: '0',
    listen: '127.0.0.1:0',
    peers: { b: others.b },
    transport: tcp,
    limits,
  });
  await zero.links.open();
  await until(() => zero.heard.size === 1 && b.heard.has('0'));
});

afterEach(async () => {
  // The other members are served as before.
  const heard = b.heard.get('0')!.length;
  zero.links.send('b', bytes('still here'));
  await until(() => b.heard.get('0')!.length === heard + 1);
  expect(zero.recorded).toEqual(['begins b 1', 'b up']);
  await Promise.all([zero.links.close(), b.links.close()]);
});

describe('during the handshake', () => {
  test.each<[string, Reason, Uint8Array]>([
    ['another group', 'wrong-group', hello({ group: 'other' })],
    ['another configuration', 'wrong-digest', hello({ digest: 'other' })],
    ['an unknown member', 'unknown-member', hello({ from: 'mallory' })],
    [
      'a member named like a property of every object',
      'unknown-member',
      hello({ from: '__proto__' }),
    ],
    ['a client that wants another member', 'not-addressed', hello({ to: 'c' })],
    ['a member that we should dial', 'wrong-direction', hello({ from: 'c' })],
    ['another version', 'wrong-version', bytes('LATCHKEY\u0007 whatever comes next')],
  ])('%s is refused with a reason', async (_, reason, words) => {
    const client = await rawClient().says(words).closed();
    expect(client.refusal?.reason).toBe(reason);
    expect(count(reason)).toBe(1);
    expect(b.log.some((entry) => entry.reason === reason)).toBe(true);
  });

  test('without a secret, a stranger that knows the group and the name of a member is taken for that member', async () => {
    const client = rawClient().says(hello(), message(1, 0, bytes('I am a')));
    await until(() => b.heard.get('a')?.length === 1);
    await until(() => client.answers.includes(kinds.HELLO));
    expect(client.refusal).toBeUndefined();
    client.socket.destroy();
  });

  test.each<[string, Reason, readonly Uint8Array[]]>([
    ['a browser', 'wrong-magic', [bytes('GET / HTTP/1.1\r\n\r\n')]],
    ['a TLS client', 'wrong-magic', [new Uint8Array([22, 3, 1, 2, 0, 1])]],
    ['random bytes', 'wrong-magic', [Uint8Array.from({ length: 5000 }, (_, i) => (i * 97) & 255)]],
    ['a huge length', 'too-large', [bytes('LATCHKEY\u0001'), new Uint8Array([255, 255, 255, 255])]],
    ['a HELLO too long', 'too-large', [hello({ from: 'a'.repeat(20_000) })]],
    ['no JSON', 'malformed', [bytes('LATCHKEY\u0001'), nonsense(kinds.HELLO, 30)]],
    ['a HELLO of wrong types', 'malformed', [hello({ incarnation: '1' as unknown as number })]],
    ['a HELLO of too large numbers', 'malformed', [hello({ received: 2 ** 60 })]],
    ['a HELLO of negative numbers', 'malformed', [hello({ knows: -1 })]],
    ['a message before HELLO', 'malformed', [bytes('LATCHKEY\u0001'), message(1, 0, bytes('x'))]],
    ['half a HELLO', 'timeout', [hello().subarray(0, 40)]],
    ['nothing', 'timeout', []],
  ])('%s is cut off without an answer', async (_, reason, words) => {
    const client = await rawClient()
      .says(...words)
      .closed();
    expect(client.answers).toEqual([]);
    expect(count(reason)).toBe(1);
    expect(b.links.status().halfOpen).toBe(0);
  });

  test('a handshake that arrives byte by byte is accepted', async () => {
    const client = rawClient();
    client.socket.setNoDelay(true);
    for (const byte of [...hello({ incarnation: 5 }), ...message(1, 0, bytes('slow'))]) {
      client.says(new Uint8Array([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => b.heard.get('a')?.length === 1);
    expect(b.heard.get('a')).toEqual(['slow']);
    client.socket.destroy();
  });

  test('an earlier process is told the later incarnation', async () => {
    const later = rawClient().says(hello({ incarnation: 9 }));
    await until(() => b.heard.has('a'));
    const earlier = await rawClient()
      .says(hello({ incarnation: 8 }))
      .closed();
    expect(earlier.refusal).toMatchObject({ reason: 'superseded', incarnation: 9 });
    expect(count('superseded')).toBe(1);
    expect(later.isClosed).toBe(false);
    later.socket.destroy();
  });
});

describe('a connected peer', () => {
  test.each<[string, Reason, Uint8Array]>([
    ['a gap', 'gap', message(3, 0, bytes('third'))],
    ['an acknowledgement of what was never sent', 'impossible-ack', ackFrame(1)],
    ['the same, with a message', 'impossible-ack', message(2, 7, bytes('second'))],
    ['a huge length', 'too-large', new Uint8Array([0, 16, 0, 1])],
    ['an empty frame', 'malformed', new Uint8Array([0, 0, 0, 0])],
    ['a kind that does not exist', 'malformed', nonsense(99, 5)],
    ['a second HELLO', 'malformed', hello().subarray(9)],
    ['a PING of the wrong size', 'malformed', nonsense(kinds.PING, 7)],
    ['a message cut short', 'malformed', nonsense(kinds.MESSAGE, 11)],
    ['a REFUSED that is none', 'malformed', nonsense(kinds.REFUSED, 20)],
  ])('that sends %s is cut off with a reason', async (_, reason, words) => {
    const client = rawClient().says(hello(), message(1, 0, bytes('first')), words);
    await client.closed();
    expect(client.answers).toEqual([kinds.HELLO, kinds.REFUSED]);
    expect(client.refusal?.reason).toBe(reason);
    expect(count(reason)).toBe(1);
    expect(b.heard.get('a')).toEqual(['first']);
    expect(b.recorded.slice(-3)).toEqual(['begins a 1', 'a up', 'a down']);
  });

  test('that replays its messages is heard once', async () => {
    const said = [hello(), message(1, 0, bytes('one')), message(2, 0, bytes('two'))];
    const first = rawClient().says(...said);
    await until(() => b.heard.get('a')?.length === 2);
    const second = rawClient().says(
      ...said,
      message(2, 0, bytes('two')),
      message(3, 0, bytes('three')),
    );
    await until(() => b.heard.get('a')!.length === 3);
    expect(b.heard.get('a')).toEqual(['one', 'two', 'three']);
    // The newer connection replaces the older.
    await until(() => first.isClosed);
    // After an acknowledgement, a replay from the beginning is refused.
    b.links.send('a', bytes('hi'));
    await until(() => second.answers.includes(kinds.MESSAGE));
    second.says(ackFrame(1));
    await until(() => b.links.status().peers.find(({ id }) => id === 'a')!.queuedBytes === 0);
    const late = await rawClient()
      .says(...said)
      .closed();
    expect(late.refusal?.reason).toBe('impossible-ack');
    expect(second.isClosed).toBe(false);
    second.socket.destroy();
  });

  test('that sends an unasked PONG does not change the round-trip time', async () => {
    const client = rawClient().says(hello(), nonsense(kinds.PONG, 8), message(1, 0, bytes('x')));
    await until(() => b.heard.get('a')?.length === 1);
    const { roundTripMs } = b.links.status().peers.find(({ id }) => id === 'a')!;
    expect(roundTripMs).toBeUndefined();
    client.socket.destroy();
  });

  test('that does not read the PONGs it asks for does not fill our memory', async () => {
    const client = rawClient().says(hello());
    await until(() => b.heard.has('a'));
    client.socket.pause();
    const pings = Buffer.concat(Array.from({ length: 10_000 }, () => nonsense(kinds.PING, 8)));
    const before = process.memoryUsage();
    for (let i = 0; i < 100; i++) {
      client.says(pings);
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.says(message(1, 0, bytes('all asked')));
    await until(() => b.heard.get('a')!.length === 1);
    const after = process.memoryUsage();
    // A million answers of 13 bytes, each an object, would be some hundred megabytes.
    expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(60e6);
    client.socket.destroy();
  });
});

test('of ten thousand connections few are half-open at once, and members get through', async () => {
  let most = 0;
  let cut = 0;
  const open = new Set<RawClient>();
  const before = process.memoryUsage();
  for (let made = 0; made < 10_000; ) {
    for (let i = 0; i < 100; i++, made++) {
      const client = rawClient();
      // Most send nothing, some a part of a HELLO, some garbage.
      if (made % 7 === 1) client.says(hello().subarray(0, made % 50));
      if (made % 7 === 2) client.says(bytes('nonsense'));
      open.add(client);
    }
    await until(() => {
      for (const client of open) if (client.isClosed && open.delete(client)) cut++;
      most = Math.max(most, b.links.status().halfOpen);
      return open.size <= 100;
    });
    if (made === 5000) {
      // In the middle of the flood, a real member connects for the first time.
      const a = makePeer({
        self: 'a',
        listen: '127.0.0.1:0',
        peers: { b: b.links.address },
        transport: tcp,
        limits,
      });
      await a.links.open();
      await until(() => a.heard.has('b'));
      a.links.send('b', bytes('through the crowd'));
      await until(() => b.heard.get('a')?.length === 1);
      await a.links.close();
    }
    zero.links.send('b', bytes('meanwhile'));
  }
  await until(() => {
    for (const client of open) if (client.isClosed && open.delete(client)) cut++;
    return open.size === 0;
  });
  expect(cut).toBe(10_000);
  expect(most).toBeGreaterThan(10);
  expect(most).toBeLessThanOrEqual(64);
  const counted = count('too-many-connections') + count('timeout') + count('wrong-magic');
  expect(counted).toBe(10_000);
  await until(() => b.heard.get('0')!.length === 100);
  const after = process.memoryUsage();
  expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(100e6);
  // The log stays short.
  expect(b.log.length).toBeLessThan(100);
});
