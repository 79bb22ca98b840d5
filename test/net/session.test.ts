import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LENGTH_BYTES, Splitter } from '../../src/net/frames.ts';
import { Session } from '../../src/net/session.ts';
import { bytes, text } from '../support/net-peers.ts';

/** One of two processes, and its side of the connection. */
class Side {
  readonly session: Session;
  other: Side | undefined;
  /** How many messages were heard: each is looked at as it comes. */
  heard = 0;
  readonly said: string[] = [];
  /** Written, and not yet read by the other side. */
  wire: Uint8Array[] = [];
  splitter = new Splitter(1 << 20);
  /** What was said on each connection: how much we had received at its beginning, and our frames. */
  readonly connections = [{ received: 0, frames: [] as Uint8Array[] }];

  constructor(mine: number, theirs: number) {
    this.session = new Session(mine, theirs);
  }

  say(word: string): void {
    this.said.push(word);
    this.session.send(bytes(word));
  }

  /** Writes what there is to write. */
  write(): void {
    for (let next = this.session.next(); next !== undefined; next = this.session.next()) {
      // Not `slice`: of a Buffer that is no copy.
      const copy = new Uint8Array(next);
      this.wire.push(copy);
      this.connections.at(-1)!.frames.push(copy);
    }
  }

  /** Reads so many bytes of what the other has written. */
  read(from: Side, count: number): void {
    let left = count;
    while (left > 0 && from.wire.length > 0) {
      const piece = from.wire[0]!.subarray(0, left);
      if (piece.length < from.wire[0]!.length) from.wire[0] = from.wire[0]!.subarray(left);
      else from.wire.shift();
      left -= piece.length;
      expect(this.splitter.push(piece, this.#take)).toBeUndefined();
    }
  }

  readonly #take = (frame: Uint8Array, start: number, end: number): boolean => {
    const fault = this.session.take(frame, start, end, (payload) => {
      const word = text(payload.rest());
      if (word !== this.other!.said[this.heard++]) expect.fail(`${word} comes at the wrong time`);
    });
    expect(fault).toBeUndefined();
    return true;
  };

  /** The other end of a new connection has received so much. */
  reconnect(received: number): void {
    this.wire = [];
    this.splitter = new Splitter(1 << 20);
    this.connections.push({ received: this.session.received, frames: [] });
    expect(this.session.resume(received)).toBeUndefined();
  }

  /** Replays an earlier connection of the other side. Returns whether the session accepted it. */
  hearsReplay({ received, frames }: Side['connections'][number]): boolean {
    if (this.session.resume(received) !== undefined) return false;
    this.write();
    const splitter = new Splitter(1 << 20);
    for (const bytes of frames) expect(splitter.push(bytes, this.#take)).toBeUndefined();
    return true;
  }
}

function pair(): readonly [Side, Side] {
  const [a, b] = [new Side(1, 2), new Side(2, 1)];
  a.other = b;
  b.other = a;
  return [a, b];
}

type Step =
  | { readonly does: 'say'; readonly who: 0 | 1; readonly words: number }
  | { readonly does: 'write'; readonly who: 0 | 1 }
  | { readonly does: 'read'; readonly who: 0 | 1; readonly count: number }
  | { readonly does: 'reconnect' }
  /** The listener has heard the HELLO, and its answer is lost. */
  | { readonly does: 'half-reconnect'; readonly who: 0 | 1 }
  /** Everything that was said on one of the earlier connections is said again, on a new one. */
  | { readonly does: 'replay'; readonly who: 0 | 1; readonly which: number };

const who = fc.constantFrom<0 | 1>(0, 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constant('say'), who, words: fc.integer({ min: 1, max: 5 }) }),
  },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('write'), who }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('read'),
      who,
      count: fc.integer({ min: 1, max: 300 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('reconnect') }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('half-reconnect'), who }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('replay'), who, which: fc.nat() }) },
);

function reconnect([a, b]: readonly [Side, Side]): void {
  const [fromA, fromB] = [a.session.received, b.session.received];
  a.reconnect(fromB);
  b.reconnect(fromA);
}

describe('a session', () => {
  test('delivers each message exactly once and in order over connections that break at any moment', () => {
    let unacknowledged = 0;
    let replayed = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 50, maxLength: 300, size: 'max' }), (steps) => {
        const sides = pair();
        let word = 0;
        let isLost = false;
        for (const s of steps) {
          if (s.does === 'say') {
            // Some are longer than a chunk of the outbox.
            for (let i = 0; i < s.words; i++) {
              sides[s.who].say(`${word++}`.padEnd(word % 50 === 0 ? 70_000 : word % 40, '.'));
            }
          } else if (s.does === 'write') {
            sides[s.who].write();
            if (isLost) sides[s.who].wire = [];
          } else if (s.does === 'read') sides[s.who].read(sides[1 - s.who]!, s.count);
          else if (s.does === 'replay') {
            const { connections } = sides[1 - s.who]!;
            if (!sides[s.who].hearsReplay(connections[s.which % connections.length]!)) continue;
            replayed++;
            isLost = true;
            for (const side of sides) side.wire = [];
          } else {
            const [a, b] = [sides[0].session, sides[1].session];
            if (a.acknowledged < b.received || b.acknowledged < a.received) unacknowledged++;
            isLost = s.does === 'half-reconnect';
            if (s.does === 'reconnect') reconnect(sides);
            else {
              sides[s.who].reconnect(sides[1 - s.who]!.session.received);
              sides[1 - s.who]!.wire = [];
            }
          }
        }
        reconnect(sides);
        for (const me of [0, 1] as const) {
          sides[me].write();
          sides[1 - me]!.read(sides[me], Number.MAX_SAFE_INTEGER);
          expect(sides[1 - me]!.heard).toBe(sides[me].said.length);
        }
      }),
      { numRuns: 300 },
    );
    // Not vacuous: messages had arrived whose acknowledgement had not.
    expect(unacknowledged).toBeGreaterThan(100);
    expect(replayed).toBeGreaterThan(100);
  });

  test('frees acknowledged messages, and acknowledges with its own messages', () => {
    const [a, b] = pair();
    for (let i = 0; i < 5000; i++) a.say('x'.repeat(100));
    a.write();
    b.read(a, Number.MAX_SAFE_INTEGER);
    expect(a.session.unackedBytes).toBe(5000 * 117);
    expect(b.session.owedMessages).toBe(5000);
    b.say('thanks');
    expect(b.session.owedMessages).toBe(0);
    b.write();
    a.read(b, Number.MAX_SAFE_INTEGER);
    expect(a.session.unackedBytes).toBe(0);
    expect(a.session.acknowledged).toBe(5000);
  });

  test('refuses a gap, and an acknowledgement of an unsent message', () => {
    const [a, b] = pair();
    a.say('one');
    a.say('two');
    const frames: Uint8Array[] = [];
    new Splitter(1000).push(a.session.next()!, (all, start, end) => {
      frames.push(new Uint8Array(all.subarray(start, end)));
      return true;
    });
    const give = (frame: Uint8Array) => b.session.take(frame, 0, frame.length, () => {});
    expect(give(frames[1]!)?.reason).toBe('gap');
    expect(give(frames[0]!)).toBeUndefined();
    expect(give(frames[0]!.subarray(0, 9))?.reason).toBe('malformed');
    expect(b.session.received).toBe(1);
    expect(a.session.acknowledge(3)?.reason).toBe('impossible-ack');
    a.say('three');
    // Sent, but not written: the peer cannot have it.
    expect(a.session.acknowledge(3)?.reason).toBe('impossible-ack');
    expect(a.session.resume(4)?.reason).toBe('impossible-ack');
    expect(a.session.resume(2)).toBeUndefined();
    expect(a.session.resume(1)?.reason).toBe('impossible-ack');
  });
});

describe('frames', () => {
  test('are the same for every way to cut the stream into chunks', () => {
    const frame = fc.uint8Array({ minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(fc.array(frame), fc.array(fc.integer({ min: 1, max: 30 })), (frames, cuts) => {
        const stream = new Uint8Array(frames.flatMap((f) => [0, 0, 0, f.length, ...f]));
        const splitter = new Splitter(50);
        const found: Uint8Array[] = [];
        const take = (all: Uint8Array, start: number, end: number) =>
          found.push(all.slice(start, end)) > 0;
        let at = 0;
        for (const cut of [...cuts, stream.length]) {
          expect(splitter.push(stream.subarray(at, at + cut), take)).toBeUndefined();
          at = Math.min(stream.length, at + cut);
        }
        expect(found).toEqual(frames);
      }),
    );
  });

  test('that are empty or too large are refused before any byte is kept', () => {
    const fault = (...prefix: number[]) =>
      new Splitter(1000).push(new Uint8Array(prefix), () => true)?.reason;
    expect(fault(0, 0, 0, 0)).toBe('malformed');
    expect(fault(0, 0, 3, 233)).toBe('too-large');
    expect(fault(0, 0, 3, 232)).toBeUndefined();
    expect(fault(255, 255, 255, 255)).toBe('too-large');
    const splitter = new Splitter(1000);
    expect(splitter.push(new Uint8Array([255, 255]), () => true)).toBeUndefined();
    expect(splitter.push(new Uint8Array([255, 255]), () => true)?.reason).toBe('too-large');
  });

  test('that arrive byte by byte are copied once', () => {
    const length = 1 << 20;
    const splitter = new Splitter(length);
    let found = 0;
    const take = () => ++found > 0;
    splitter.push(new Uint8Array([0, 16, 0, 0]), take);
    const one = new Uint8Array(1);
    // A quadratic copy would be 2^39 bytes: not within the time of a test.
    for (let i = 0; i < length; i++) splitter.push(one, take);
    expect(found).toBe(1);
    expect(LENGTH_BYTES).toBe(4);
  });
});
