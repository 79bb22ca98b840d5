import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvariantViolation } from '../../src/core/assert.ts';
import { UsageError } from '../../src/core/errors.ts';
import { kinds } from '../../src/net/frames.ts';
import type { Transport } from '../../src/net/transport.ts';
import { bytes, type Peer } from '../support/net-peers.ts';
import { World } from '../support/net-world.ts';

const peerOf = ({ links }: Peer, id: string) => links.status().peers.find((p) => p.id === id)!;

describe('a session', () => {
  test('begins at both ends, in whatever order the members start', async () => {
    for (const order of [0, 1]) {
      const world = new World();
      const [a, b] = [world.peer('a', ['b']), world.peer('b', ['a'], { incarnation: 7 })];
      await world.opened(order === 0 ? a : b);
      await world.opened(order === 0 ? b : a);
      expect(a.recorded).toEqual(['begins b 7', 'b up']);
      expect(b.recorded).toEqual(['begins a 1', 'a up']);
      await world.closed(a, b);
    }
  });

  test('carries messages of any size, also those sent in `begins`', async () => {
    const world = new World();
    const b = world.peer('b', ['a']);
    const begins = (peer: string) => a.links.send(peer, bytes('first'));
    const a: Peer = world.peer('a', ['b'], {}, { begins });
    await world.opened(b, a);
    const sizes = [0, 1, 1000, 65_519, 65_520, 200_000, 1024 * 1024 - 13];
    for (const size of sizes) a.links.send('b', bytes('x'.repeat(size)));
    expect(() => a.links.send('b', new Uint8Array(1024 * 1024 - 12))).toThrow(InvariantViolation);
    world.clock.advance(1000);
    expect(b.heard.get('a')!.map((word) => word.length)).toEqual([5, ...sizes]);
    const sentBytes = 5 + sizes.reduce((sum, size) => sum + size);
    expect(peerOf(a, 'b')).toMatchObject({ connected: true, sentMessages: 8, sentBytes });
    expect(peerOf(b, 'a')).toMatchObject({ receivedMessages: 8, receivedBytes: sentBytes });
    await world.closed(a, b);
  });

  test('survives the loss of its connection', async () => {
    const world = new World();
    const [a, b] = [world.peer('a', ['b']), world.peer('b', ['a'])];
    await world.opened(b, a);
    world.network.isolate('b', true);
    world.clock.advance(10);
    for (const word of ['one', 'two']) a.links.send('b', bytes(word));
    b.links.send('a', bytes('three'));
    world.clock.advance(5000);
    expect(peerOf(a, 'b')).toMatchObject({ connected: false, trouble: 'no process listens at b' });
    expect(peerOf(a, 'b').queuedBytes).toBe(2 * 20);
    expect(b.heard.get('a')).toEqual([]);
    world.network.isolate('b', false);
    world.clock.advance(2000);
    expect(b.heard.get('a')).toEqual(['one', 'two']);
    expect(a.heard.get('b')).toEqual(['three']);
    expect(a.recorded).toEqual(['begins b 1', 'b up', 'b down', 'b up']);
    expect(b.recorded).toEqual(['begins a 1', 'a up', 'a down', 'a up']);
    await world.closed(a, b);
  });

  test('ends with the process: the next process gets a new session without old messages', async () => {
    for (const dies of ['a', 'b'] as const) {
      const stays = dies === 'a' ? 'b' : 'a';
      const world = new World();
      const peers = { a: world.peer('a', ['b']), b: world.peer('b', ['a']) };
      await world.opened(peers.b, peers.a);
      world.crash(dies, peers[dies]);
      world.clock.advance(10);
      peers[stays].links.send(dies, bytes('lost'));
      const reborn = world.peer(dies, [stays], { incarnation: 2 });
      await world.opened(reborn);
      peers[stays].links.send(dies, bytes('new'));
      world.clock.advance(100);
      expect(reborn.heard.get(stays)).toEqual(['new']);
      const [down, up] = [`${dies} down`, `${dies} up`];
      expect(peers[stays].recorded).toEqual([`begins ${dies} 1`, up, down, `begins ${dies} 2`, up]);
      await world.closed(peers[stays], reborn);
    }
  });

  test('a new process replaces one whose connection still looks open', async () => {
    const world = new World();
    const [a, b] = [world.peer('a', ['b']), world.peer('b', ['a'])];
    await world.opened(b, a);
    const later = world.peer('a', ['b'], { incarnation: 2, listen: 'elsewhere' });
    await world.opened(later);
    expect(b.recorded).toEqual(['begins a 1', 'a up', 'a down', 'begins a 2', 'a up']);
    // The earlier process is told, and does not dial again.
    world.clock.advance(5000);
    expect(a.recorded).toEqual(['begins b 1', 'b up', 'b down', 'superseded by 2']);
    expect(b.links.status().refusals).toMatchObject({ superseded: 1 });
    expect(later.recorded).toEqual(['begins b 1', 'b up']);
    await world.closed(a, b, later);
  });

  test('a process that is dialed learns that it is superseded, too', async () => {
    const world = new World();
    let where = 'b';
    const host = world.network.host('a');
    const dial: Transport['dial'] = (_, handler) => host.dial(where, handler);
    const a = world.peer('a', ['b'], { transport: { ...host, dial } });
    const paused = world.peer('b', ['a']);
    await world.opened(paused, a);
    // While the host of b is cut off, b runs elsewhere; then the address leads to the first one again.
    world.network.isolate('b', true);
    const elsewhere = world.network.host('elsewhere');
    const later = world.peer('b', ['a'], { incarnation: 2, transport: elsewhere, listen: 'b2' });
    where = 'b2';
    await world.opened(later);
    expect(a.recorded.slice(-2)).toEqual(['begins b 2', 'b up']);
    where = 'b';
    world.network.isolate('b', false);
    world.network.cut('elsewhere');
    world.clock.advance(5000);
    expect(paused.recorded.at(-1)).toBe('superseded by 2');
    await world.closed(a, paused, later);
  });

  test('a message sent before it begins is dropped, and a message to an unknown peer is an error', async () => {
    const world = new World();
    const [a, b] = [world.peer('a', ['b']), world.peer('b', ['a'])];
    await a.links.open();
    a.links.send('b', bytes('too early'));
    expect(peerOf(a, 'b').sentMessages).toBe(0);
    await world.opened(b);
    expect(b.heard.get('a')).toEqual([]);
    expect(() => a.links.send('c', bytes(''))).toThrow(InvariantViolation);
    await world.closed(a, b);
  });
});

describe('under network faults', () => {
  interface Trouble {
    readonly what: 'say' | 'cut' | 'isolate' | 'join' | 'crash' | 'wait';
    readonly who: number;
    readonly ms: number;
  }
  const trouble: fc.Arbitrary<Trouble> = fc.record({
    what: fc.constantFrom('say', 'say', 'say', 'say', 'wait', 'cut', 'isolate', 'join', 'crash'),
    who: fc.nat({ max: 2 }),
    ms: fc.nat({ max: 200 }),
  });

  test('three members receive each message exactly once and in order within each session', async () => {
    const ids = ['a', 'b', 'c'];
    let reconnects = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(trouble, { minLength: 20, maxLength: 80, size: 'max' }),
        async (seed, troubles) => {
          const world = new World(seed, (random) => random.below(30));
          // Sent in each session, by sender, receiver and the incarnations of both.
          const said = new Map<string, string[]>();
          const incarnations = [1, 1, 1];
          const begun = new Map<string, number>();
          const make = (who: number): Peer => {
            const mine = incarnations[who]!;
            const others = ids.filter((id) => id !== ids[who]);
            const begins = (peer: string, theirs: number) => {
              begun.set(`${ids[who]} ${peer}`, theirs);
              said.set(`${ids[who]} ${mine} ${peer} ${theirs}`, []);
            };
            return world.peer(ids[who]!, others, { incarnation: mine }, { begins });
          };
          const peers = ids.map((_, who) => make(who));
          let word = 0;
          const say = (who: number) => {
            for (const to of ids) {
              const theirs = begun.get(`${ids[who]} ${to}`);
              if (theirs === undefined) continue;
              const text = `${word++}`.padEnd(word % 100);
              peers[who]!.links.send(to, bytes(text));
              said.get(`${ids[who]} ${incarnations[who]} ${to} ${theirs}`)!.push(text);
            }
          };
          /** The messages received in the present sessions are a prefix of the messages sent there. */
          const judge = (isAtRest: boolean) => {
            for (const [who, { heard }] of peers.entries()) {
              for (const [from, words] of heard) {
                const theirs = begun.get(`${ids[who]} ${from}`);
                const session = `${from} ${theirs} ${ids[who]} ${incarnations[who]}`;
                const all = said.get(session) ?? [];
                expect(words).toEqual(isAtRest ? all : all.slice(0, words.length));
              }
            }
          };
          for (const { links } of peers) await links.open();
          for (const { what, who, ms } of troubles) {
            if (what === 'say') say(who);
            else if (what === 'cut') world.network.cut(ids[who]);
            else if (what === 'isolate') world.network.isolate(ids[who]!, true);
            else if (what === 'join') world.network.isolate(ids[who]!, false);
            else if (what === 'crash') {
              world.crash(ids[who]!, peers[who]!);
              for (const id of ids) begun.delete(`${ids[who]} ${id}`);
              incarnations[who]!++;
              peers[who] = make(who);
              await peers[who]!.links.open();
            }
            world.clock.advance(ms);
            judge(false);
          }
          for (const id of ids) world.network.isolate(id, false);
          world.clock.advance(10_000);
          for (const who of [0, 1, 2]) say(who);
          world.clock.advance(2000);
          judge(true);
          for (const { links, recorded } of peers) {
            expect(links.status().peers.map((p) => [p.connected, p.queuedBytes])).toEqual([
              [true, 0],
              [true, 0],
            ]);
            reconnects += recorded.filter((line) => line.endsWith('up')).length - 2;
          }
          await world.closed(...peers);
        },
      ),
      { numRuns: 60 },
    );
    expect(reconnects).toBeGreaterThan(50);
  });
});

describe('the messages of one turn', () => {
  test('leave in one write, whether they are sent in answer to messages or not', async () => {
    const world = new World();
    const writes: number[] = [];
    const host = world.network.host('a');
    const counting: Transport = {
      ...host,
      dial(address, handler) {
        const connection = host.dial(address, handler);
        const { write } = connection;
        connection.write = (sent) => {
          writes.push(sent.length);
          return write.call(connection, sent);
        };
        return connection;
      },
    };
    const message = () => {
      for (let i = 0; i < 3; i++) a.links.send('b', bytes('answer'));
    };
    const a: Peer = world.peer('a', ['b'], { transport: counting }, { message });
    const b = world.peer('b', ['a']);
    await world.opened(b, a);
    writes.length = 0;
    for (let i = 0; i < 10; i++) a.links.send('b', bytes('hello'));
    expect(writes).toEqual([]);
    world.clock.advance(0);
    expect(writes).toEqual([10 * 22]);
    for (let i = 0; i < 10; i++) b.links.send('a', bytes('?'));
    world.clock.advance(2);
    expect(writes).toEqual([10 * 22, 30 * 23]);
    // A callback at the end of the turn sends in the same write, and so does a callback that it adds.
    a.links.send('b', bytes('hello'));
    a.links.atEndOfTurn(() => {
      a.links.send('b', bytes('hello'));
      a.links.atEndOfTurn(() => a.links.send('b', bytes('hello')));
    });
    world.clock.advance(0);
    expect(writes.at(-1)).toBe(3 * 22);
    // An urgent message does not wait for the end of the turn: one for each received chunk.
    const sendUrgently = () => a.links.urgently(() => a.links.send('b', bytes('hello')));
    for (const first of [[22], []]) {
      writes.length = 0;
      for (let i = 0; i < 3; i++) sendUrgently();
      expect(writes).toEqual(first);
      world.clock.advance(0);
      expect(writes.reduce((sum, size) => sum + size)).toBe(3 * 22);
      expect(writes).toHaveLength(first.length + 1);
    }
    b.links.send('a', bytes('?'));
    world.clock.advance(2);
    writes.length = 0;
    sendUrgently();
    expect(writes).toEqual([22]);
    await world.closed(a, b);
  });
});

describe('acknowledgements', () => {
  test('are carried by messages, and sent alone only after many messages or with a heartbeat', async () => {
    const world = new World();
    let alone = 0;
    const host = world.network.host('a');
    const watched: Transport = {
      ...host,
      dial(address, handler) {
        const { data } = handler;
        handler.data = (chunk) => {
          if (chunk[4] === kinds.ACK) alone++;
          data.call(handler, chunk);
        };
        return host.dial(address, handler);
      },
    };
    const a = world.peer('a', ['b'], { transport: watched });
    const b: Peer = world.peer('b', ['a']);
    await world.opened(b, a);
    // 100 messages at a time have 2,400 bytes: more than a peer keeps unacknowledged.
    for (let i = 0; i < 2560; i++) {
      a.links.send('b', bytes('one way'));
      if (i % 100 === 0) world.clock.advance(1);
    }
    world.clock.advance(10);
    expect(alone).toBeGreaterThanOrEqual(5);
    expect(alone).toBeLessThanOrEqual(26);
    world.clock.advance(1100);
    alone = 0;
    a.links.send('b', bytes('the last'));
    world.clock.advance(30);
    expect([alone, peerOf(a, 'b').queuedBytes > 0]).toEqual([0, true]);
    world.clock.advance(1100);
    expect([alone, peerOf(a, 'b').queuedBytes]).toEqual([1, 0]);
    for (let i = 0; i < 100; i++) {
      a.links.send('b', bytes('ping'));
      world.clock.advance(2);
      b.links.send('a', bytes('pong'));
      world.clock.advance(2);
    }
    expect(alone).toBe(1);
    await world.closed(a, b);
  });
});

describe('a peer that does not read', () => {
  test('gets no more bytes than the transport accepts', async () => {
    const world = new World();
    let waits = false;
    let most = 0;
    let untold = 0;
    const host = world.network.host('a');
    const watched: Transport = {
      ...host,
      dial(address, handler) {
        const { drained } = handler;
        handler.drained = () => {
          waits = false;
          untold = 0;
          drained.call(handler);
        };
        const connection = host.dial(address, handler);
        const { write } = connection;
        connection.write = (sent) => {
          expect(waits, 'nothing is written before the transport has drained').toBe(false);
          untold += sent.length;
          most = Math.max(most, untold);
          waits = !write.call(connection, sent);
          return !waits;
        };
        return connection;
      },
    };
    const a = world.peer('a', ['b'], { transport: watched });
    const b = world.peer('b', ['a']);
    await world.opened(b, a);
    untold = 0;
    for (let i = 0; i < 3000; i++) a.links.send('b', new Uint8Array(1000));
    world.clock.advance(1000);
    expect(b.heard.get('a')).toHaveLength(3000);
    expect(most).toBeLessThan(3 * 65_536);
    await world.closed(a, b);
  });
});

describe('heartbeats', () => {
  test('measure the round trip, and keep an idle connection open', async () => {
    const world = new World(1, () => 3);
    const [a, b] = [world.peer('a', ['b']), world.peer('b', ['a'])];
    await world.opened(b, a);
    world.clock.advance(60_000);
    expect(a.recorded).toEqual(['begins b 1', 'b up']);
    expect(peerOf(a, 'b').roundTripMs).toBe(6);
    expect(peerOf(a, 'b').silentMs).toBeLessThan(17_000);
    await world.closed(a, b);
  });

  test('are rare on an idle connection, and rarer on a busy one', async () => {
    const world = new World(1, () => 3);
    let pings = 0;
    const host = world.network.host('a');
    const counting: Transport = {
      ...host,
      dial(address, handler) {
        const count = (bytes: Uint8Array) => {
          if (bytes[4] === kinds.PING) pings++;
        };
        const { data } = handler;
        handler.data = (chunk) => {
          count(chunk);
          data.call(handler, chunk);
        };
        const connection = host.dial(address, handler);
        const { write } = connection;
        connection.write = (bytes) => {
          count(bytes);
          return write.call(connection, bytes);
        };
        return connection;
      },
    };
    const [a, b] = [world.peer('a', ['b'], { transport: counting }), world.peer('b', ['a'])];
    await b.links.open();
    world.clock.advance(500);
    await world.opened(a);
    world.clock.advance(2000);
    pings = 0;
    world.clock.advance(60_000);
    // After ten seconds without a message the connection is idle: one exchange in fifteen seconds.
    expect(pings).toBeGreaterThanOrEqual(3);
    expect(pings).toBeLessThanOrEqual(20);
    pings = 0;
    world.clock.advance(600_000);
    expect(pings).toBeGreaterThanOrEqual(35);
    expect(pings).toBeLessThanOrEqual(45);
    expect(a.recorded).toEqual(['begins b 1', 'b up']);
    pings = 0;
    for (let i = 0; i < 600; i++) {
      a.links.send('b', bytes('busy'));
      b.links.send('a', bytes('busy'));
      world.clock.advance(100);
    }
    expect(pings).toBeLessThanOrEqual(13);
    expect(peerOf(b, 'a').roundTripMs).toBe(6);
    await world.closed(a, b);
  });

  test('detect that the other end is silent', async () => {
    const world = new World();
    const [a, b] = [world.peer('a', ['b']), world.peer('b', ['a'])];
    await world.opened(b, a);
    // The other end has vanished without closing its connections.
    world.network.freeze('b', true);
    world.clock.advance(4000);
    expect(peerOf(a, 'b').connected).toBe(true);
    world.clock.advance(3000);
    expect(peerOf(a, 'b').connected).toBe(false);
    expect(a.links.status().refusals.silent).toBeGreaterThanOrEqual(1);
    world.network.freeze('b', false);
    world.clock.advance(7000);
    a.links.send('b', bytes('still the same session'));
    world.clock.advance(100);
    expect(b.heard.get('a')).toEqual(['still the same session']);
    expect(a.recorded.filter((line) => line.startsWith('begins'))).toEqual(['begins b 1']);
    await world.closed(a, b);
  });

  test('say since when a peer is unreachable, also if nothing was heard for long before', async () => {
    const world = new World();
    const [a, b] = [world.peer('a', ['b']), world.peer('b', ['a'])];
    expect(peerOf(a, 'b').unreachableMs).toBeUndefined();
    await world.opened(b, a);
    world.clock.advance(60_000);
    while (peerOf(a, 'b').silentMs! < 12_000) world.clock.advance(50);
    expect(peerOf(a, 'b').unreachableMs).toBeUndefined();
    world.crash('b', b);
    world.clock.advance(700);
    expect(peerOf(a, 'b')).toMatchObject({ connected: false });
    expect(peerOf(a, 'b').silentMs).toBeGreaterThan(12_000);
    expect(peerOf(a, 'b').unreachableMs).toBeGreaterThan(600);
    expect(peerOf(a, 'b').unreachableMs).toBeLessThan(800);
    await world.closed(a);
  });

  test('count silence from the first ping that was not answered', async () => {
    const world = new World();
    const [a, b] = [world.peer('a', ['b']), world.peer('b', ['a'])];
    await world.opened(b, a);
    world.network.freeze('b', true);
    let ms = 0;
    for (; peerOf(a, 'b').connected; ms += 100) world.clock.advance(100);
    expect(peerOf(a, 'b').unreachableMs).toBeGreaterThan(3000);
    expect(peerOf(a, 'b').unreachableMs).toBeLessThanOrEqual(ms);
    world.network.freeze('b', false);
    world.clock.advance(7000);
    expect(peerOf(a, 'b')).toMatchObject({ connected: true, unreachableMs: undefined });
    await world.closed(a, b);
  });

  test('detect silence on an idle connection in twenty seconds, and in six once a message waits', async () => {
    for (const [hasMessage, lasts, ends] of [
      [false, 15_000, 21_000],
      [true, 3000, 7000],
    ] as const) {
      const world = new World();
      const [a, b] = [world.peer('a', ['b']), world.peer('b', ['a'])];
      await world.opened(b, a);
      world.clock.advance(60_000);
      // Both have just heard each other.
      while (peerOf(a, 'b').silentMs! > 100) world.clock.advance(50);
      world.network.freeze('b', true);
      if (hasMessage) a.links.send('b', bytes('are you there'));
      world.clock.advance(lasts);
      expect(peerOf(a, 'b').connected).toBe(true);
      world.clock.advance(ends - lasts);
      expect(peerOf(a, 'b').connected).toBe(false);
      world.network.freeze('b', false);
      world.clock.advance(3000);
      await world.closed(a, b);
    }
  });

  test('do not close connections after a pause of this process itself', async () => {
    const world = new World();
    let offset = 0;
    const { clock } = world;
    const jumping = {
      now: () => clock.now() + offset,
      later: clock.later.bind(clock),
      soon: clock.soon.bind(clock),
      afterReading: clock.afterReading.bind(clock),
    };
    const a = world.peer('a', ['b'], { clock: jumping });
    const b = world.peer('b', ['a']);
    await world.opened(b, a);
    offset = 20_000;
    world.clock.advance(3000);
    expect(a.recorded).toEqual(['begins b 1', 'b up']);
    expect(a.links.status().refusals.silent).toBe(0);
    await world.closed(a, b);
  });
});

describe('closing', () => {
  test('writes the remaining messages, says goodbye, and frees all resources', async () => {
    const world = new World(1, () => 20);
    const [a, b] = [world.peer('a', ['b']), world.peer('b', ['a'])];
    await world.opened(b, a);
    for (let i = 0; i < 1000; i++) a.links.send('b', new Uint8Array(1000));
    const closed = a.links.close();
    expect(a.links.close()).toBe(closed);
    world.clock.advance(2000);
    await closed;
    expect(b.heard.get('a')).toHaveLength(1000);
    expect(b.recorded).toEqual(['begins a 1', 'a up', 'a down']);
    expect(b.log.at(-1)?.message).toBe('lost the connection with a: it said goodbye');
    expect(a.recorded).toEqual(['begins b 1', 'b up', 'b congested']);
    await world.closed(b);
  });

  test('does not wait for ever for a peer that does not read', async () => {
    const world = new World();
    const [a, b] = [world.peer('a', ['b']), world.peer('b', ['a'])];
    await world.opened(b, a);
    world.network.freeze('b', true);
    for (let i = 0; i < 1000; i++) a.links.send('b', new Uint8Array(1000));
    world.clock.advance(1);
    const closed = a.links.close();
    world.clock.advance(1100);
    await closed;
    world.network.freeze('b', false);
    await world.closed(b);
  });

  test('works before opening, and while dialing', async () => {
    const world = new World();
    const [a, b] = [world.peer('a', ['b']), world.peer('b', ['a'])];
    await a.links.close();
    await b.links.open();
    await world.closed(b);
    const dialing = world.peer('a', ['b']);
    await dialing.links.open();
    await world.closed(dialing);
  });
});

describe('half-open connections', () => {
  test('are limited for each address: a flood from one address evicts only its own', async () => {
    const world = new World();
    const limits = { maxHalfOpen: 20, maxHalfOpenPerAddress: 5 };
    const b = world.peer('b', ['a'], { limits });
    await world.opened(b);
    const closed: string[] = [];
    const connectTo = (host: string) =>
      world.network.host(host).dial('b', {
        opened: () => {},
        data: () => {},
        drained: () => {},
        closed: () => closed.push(host),
      });
    connectTo('patient');
    for (let i = 0; i < 100; i++) connectTo('flood');
    world.clock.advance(10);
    expect(b.links.status().halfOpen).toBe(6);
    expect(closed).toEqual(Array(95).fill('flood'));
    // All addresses together are limited, too: the oldest connection is evicted.
    for (let i = 0; i < 15; i++) connectTo(`host ${i}`);
    world.clock.advance(10);
    expect(b.links.status().halfOpen).toBe(20);
    expect(closed.at(-1)).toBe('patient');
    expect(b.links.status().refusals['too-many-connections']).toBe(96);
    world.clock.advance(5000);
    expect(b.links.status()).toMatchObject({ halfOpen: 0, refusals: { timeout: 20 } });
    await world.closed(b);
  });
});

test('half-open connections of one address are counted correctly after one completed its handshake and closed', async () => {
  const world = new World();
  const b = world.peer('b', ['a'], { limits: { maxHalfOpenPerAddress: 1 } });
  const a = world.peer('a', ['b']);
  await world.opened(b, a);
  const connectTo = () =>
    world.network
      .host('a')
      .dial('b', { opened: () => {}, data: () => {}, drained: () => {}, closed: () => {} });
  connectTo();
  world.clock.advance(10);
  void a.links.close();
  world.clock.advance(100);
  expect(peerOf(b, 'a').connected).toBe(false);
  connectTo();
  world.clock.advance(10);
  expect(b.links.status().halfOpen).toBe(1);
  world.clock.advance(5000);
  await world.closed(b);
});

describe('a dialed process', () => {
  test('must be the intended member', async () => {
    const world = new World();
    const a = world.peer('a', ['b', 'c'], { peers: { b: 'c', c: 'c' } });
    const c = world.peer('c', ['a', 'b']);
    await world.opened(c, a);
    expect(peerOf(a, 'b')).toMatchObject({ connected: false });
    expect(peerOf(a, 'b').trouble).toMatch(/b refuses us: not-addressed/);
    expect(c.links.status().refusals['not-addressed']).toBeGreaterThan(0);
    expect(peerOf(a, 'c').connected).toBe(true);
    await world.closed(a, c);
  });

  test('must have a valid address', async () => {
    const world = new World();
    const transport = {
      ...world.network.host('a'),
      dial: () => {
        throw new UsageError('expected an address');
      },
    };
    const a = world.peer('a', ['b'], { transport });
    await expect(a.links.open()).rejects.toThrow(UsageError);
    await world.closed(a);
  });
});

test('settings that are not valid are refused', () => {
  const world = new World();
  expect(() => world.peer('a', ['a'])).toThrow(UsageError);
  expect(() => world.peer('a', ['b'], { incarnation: 0 })).toThrow(/from 1 to 2\^48/);
  expect(() => world.peer('a', ['b'], { limits: { heartbeatMs: 0 } })).toThrow(/heartbeatMs/);
});
