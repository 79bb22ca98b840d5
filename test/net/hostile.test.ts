/** Peers that mean harm, or are broken: refused, counted, and without effect on the others. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ackFrame, kinds } from '../../src/net/frames.ts';
import type { Reason } from '../../src/net/refusals.ts';
import { tcp } from '../../src/net/tcp.ts';
import { bytes, makePeer, type Peer } from '../support/net-peers.ts';
import { hello, message, nonsense, Stranger } from '../support/net-stranger.ts';
import { until } from '../support/net-until.ts';

const limits = { handshakeMs: 300, backoffMinMs: 5, backoffMaxMs: 50, maxHalfOpen: 64 };
// b is dialled by a and 0; c is dialled by b. Here a is a stranger or real, and 0 always real.
let b: Peer;
let zero: Peer;

const count = (reason: Reason): number => b.links.status().refusals[reason];
const stranger = (): Stranger => new Stranger(b.links.address);

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
  // Whatever happened, the others are served as before.
  const heard = b.heard.get('0')!.length;
  zero.links.send('b', bytes('still here'));
  await until(() => b.heard.get('0')!.length === heard + 1);
  expect(zero.diary).toEqual(['begins b 1', 'b up']);
  await Promise.all([zero.links.close(), b.links.close()]);
});

describe('at the door', () => {
  test.each<[string, Reason, Uint8Array]>([
    ['another group', 'wrong-group', hello({ group: 'other' })],
    ['another configuration', 'wrong-digest', hello({ digest: 'other' })],
    ['nobody we know', 'unknown-member', hello({ from: 'mallory' })],
    ['someone named like a part of every object', 'unknown-member', hello({ from: '__proto__' })],
    ['one who looks for someone else', 'not-addressed', hello({ to: 'c' })],
    ['one whom we should dial', 'wrong-direction', hello({ from: 'c' })],
    ['another version', 'wrong-version', bytes('LATCHKEY\u0007 whatever comes next')],
  ])('%s is told why it is refused', async (_, reason, words) => {
    const guest = await stranger().says(words).closed();
    expect(guest.refusal?.reason).toBe(reason);
    expect(count(reason)).toBe(1);
    expect(b.log.some((entry) => entry.reason === reason)).toBe(true);
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
  ])('%s is cut off without a word', async (_, reason, words) => {
    const guest = await stranger()
      .says(...words)
      .closed();
    expect(guest.answers).toEqual([]);
    expect(count(reason)).toBe(1);
    expect(b.links.status().halfOpen).toBe(0);
  });

  test('words that come byte by byte are as good as others', async () => {
    const guest = stranger();
    guest.socket.setNoDelay(true);
    for (const byte of [...hello({ incarnation: 5 }), ...message(1, 0, bytes('slow'))]) {
      guest.says(new Uint8Array([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => b.heard.get('a')?.length === 1);
    expect(b.heard.get('a')).toEqual(['slow']);
    guest.socket.destroy();
  });

  test('a process of before is told which one came after it', async () => {
    const later = stranger().says(hello({ incarnation: 9 }));
    await until(() => b.heard.has('a'));
    const earlier = await stranger()
      .says(hello({ incarnation: 8 }))
      .closed();
    expect(earlier.refusal).toMatchObject({ reason: 'superseded', incarnation: 9 });
    expect(count('superseded')).toBe(1);
    expect(later.isClosed).toBe(false);
    later.socket.destroy();
  });
});

describe('one that was let in', () => {
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
  ])('and sends %s is cut off, and told why', async (_, reason, words) => {
    const guest = stranger().says(hello(), message(1, 0, bytes('first')), words);
    await guest.closed();
    expect(guest.answers).toEqual([kinds.HELLO, kinds.REFUSED]);
    expect(guest.refusal?.reason).toBe(reason);
    expect(count(reason)).toBe(1);
    expect(b.heard.get('a')).toEqual(['first']);
    expect(b.diary.slice(-3)).toEqual(['begins a 1', 'a up', 'a down']);
  });

  test('replays what was said: it is heard once', async () => {
    const said = [hello(), message(1, 0, bytes('one')), message(2, 0, bytes('two'))];
    const first = stranger().says(...said);
    await until(() => b.heard.get('a')?.length === 2);
    const again = stranger().says(
      ...said,
      message(2, 0, bytes('two')),
      message(3, 0, bytes('three')),
    );
    await until(() => b.heard.get('a')!.length === 3);
    expect(b.heard.get('a')).toEqual(['one', 'two', 'three']);
    // The newer connection replaces the older.
    await until(() => first.isClosed);
    // Once something was acknowledged, who starts over is no longer believed.
    b.links.send('a', bytes('hi'));
    again.says(ackFrame(1));
    await until(() => b.links.status().peers.find(({ id }) => id === 'a')!.queuedBytes === 0);
    const late = await stranger()
      .says(...said)
      .closed();
    expect(late.refusal?.reason).toBe('impossible-ack');
    expect(again.isClosed).toBe(false);
    again.socket.destroy();
  });

  test('answers what was not asked: we do not believe its times', async () => {
    const guest = stranger().says(hello(), nonsense(kinds.PONG, 8), message(1, 0, bytes('x')));
    await until(() => b.heard.get('a')?.length === 1);
    const { roundTripMs } = b.links.status().peers.find(({ id }) => id === 'a')!;
    expect(roundTripMs).toBeUndefined();
    guest.socket.destroy();
  });

  test('does not read what it asks for: our memory does not fill with answers', async () => {
    const guest = stranger().says(hello());
    await until(() => b.heard.has('a'));
    guest.socket.pause();
    const pings = Buffer.concat(Array.from({ length: 10_000 }, () => nonsense(kinds.PING, 8)));
    const before = process.memoryUsage();
    for (let i = 0; i < 100; i++) {
      guest.says(pings);
      await new Promise((resolve) => setImmediate(resolve));
    }
    guest.says(message(1, 0, bytes('all asked')));
    await until(() => b.heard.get('a')!.length === 1);
    const after = process.memoryUsage();
    // A million answers of 13 bytes, each an object, would be some hundred megabytes.
    expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(60e6);
    guest.socket.destroy();
  });
});

test('ten thousand connections: the porch stays small, and peers get through', async () => {
  let most = 0;
  let cut = 0;
  const open = new Set<Stranger>();
  const before = process.memoryUsage();
  for (let made = 0; made < 10_000; ) {
    for (let i = 0; i < 100; i++, made++) {
      const guest = stranger();
      // Most say nothing, some a little, some nonsense.
      if (made % 7 === 1) guest.says(hello().subarray(0, made % 50));
      if (made % 7 === 2) guest.says(bytes('nonsense'));
      open.add(guest);
    }
    await until(() => {
      for (const guest of open) if (guest.isClosed && open.delete(guest)) cut++;
      most = Math.max(most, b.links.status().halfOpen);
      return open.size <= 100;
    });
    if (made === 5000) {
      // In the middle of it, a real peer comes for the first time.
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
    for (const guest of open) if (guest.isClosed && open.delete(guest)) cut++;
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
  // Nor do ten thousand lines reach the log.
  expect(b.log.length).toBeLessThan(100);
});
