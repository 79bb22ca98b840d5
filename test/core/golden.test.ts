/**
 * The bytes of every frame and of every message, in golden.txt. A test that fails here means: members of the last version
 * would misread members of this one. If that is intended, follow docs/upgrades.md and regenerate the file:
 *
 *     npx vitest run test/core/golden.test.ts -u
 */
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/algorithms/catalogue.ts';
import type { AnyMessage } from '../../src/core/message.ts';
import { text } from '../../src/core/text.ts';
import {
  below,
  bool,
  type Declaration,
  type FieldDeclarations,
  fingerprintOf,
  int,
  listOf,
  mode,
  natural,
  oneOf,
  recordOf,
  type Wire,
  Writer,
  wireOf,
} from '../../src/core/wire.ts';
import { fixed } from '../../src/engines/fixed.ts';
import { wire as leasedWire } from '../../src/engines/leased-peers.ts';
import { clockWire, Encoder, headerWire } from '../../src/group/codec.ts';
import type { Send } from '../../src/group/effects.ts';
import { DEFAULT_RULES, LockAlgorithms } from '../../src/group/lock-algorithm.ts';
import { controlWire } from '../../src/group/messages.ts';
import { ackFrame, frame, kinds } from '../../src/net/frames.ts';
import { GroupSecret } from '../../src/net/group-secret.ts';
import { Heartbeat } from '../../src/net/heartbeat.ts';
import { encodeHello, encodeRefusal, type Hello } from '../../src/net/hello.ts';
import { Outbox } from '../../src/net/outbox.ts';

/** A value of a declared type: a small one, or one that takes many bytes. */
function sample(declaration: Declaration, isLarge: boolean): unknown {
  if (declaration === 'int') return isLarge ? -Number.MAX_SAFE_INTEGER : 5;
  if (declaration === 'text') return isLarge ? 'é漢\ud800' : 'lock';
  switch (declaration[0]) {
    case 'below':
      return isLarge ? declaration[1] - 1 : 0;
    case 'either': {
      const value = declaration[isLarge ? 2 : 1];
      return value === 'true' ? true : value === 'false' ? false : value;
    }
    case 'list':
      return isLarge ? [sample(declaration[1], false), sample(declaration[1], true)] : [];
    case 'exactly':
      return Array.from({ length: declaration[1] }, (_, i) => sample(declaration[2], i % 2 === 0));
    case 'optional':
      return isLarge ? sample(declaration[1], true) : null;
    case 'record':
      return sampleFields(declaration[1], isLarge);
    case 'oneOf': {
      const [type, fields] = declaration[1][0]!;
      return { type, ...sampleFields(fields, isLarge) };
    }
  }
}

const sampleFields = (fields: FieldDeclarations, isLarge: boolean): object =>
  Object.fromEntries(fields.map(([name, of]) => [name, sample(of, isLarge)]));

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A line for the declaration, and two for each kind of message. */
function linesOf<T>(name: string, wire: Wire<T>): string[] {
  const { declaration } = wire;
  if (declaration === 'int' || declaration === 'text' || declaration[0] !== 'oneOf') {
    throw new Error(`${name} has no kinds of messages`);
  }
  const kinds = declaration[1];
  const lines = kinds.flatMap(([type, fields]) =>
    [false, true].map((isLarge) => {
      const writer = new Writer();
      wire.write(writer, { type, ...sampleFields(fields, isLarge) } as T);
      return `${name} ${type} ${isLarge ? 'large' : 'small'}: ${hex(writer.take())}`;
    }),
  );
  return [`${name} declarations: ${fingerprintOf(wire)}`, ...lines];
}

function frameLines(): string[] {
  const hello: Hello = {
    ...{ group: 'latchkey', versions: { least: 1, most: 1 }, declarations: '0123456789abcdef' },
    ...{ digest: 'fedcba9876543210', from: 'a', incarnation: 1_700_000_000_000, to: 'b' },
    ...{ knows: 0, received: 0, gaveUp: false },
  };
  const [ours, theirs] = ['a', 'b'].map((letter) => ({ ...hello, nonce: letter.repeat(64) }));
  const limits = { heartbeatMs: 1000, silenceMs: 5000, idleHeartbeatMs: 15_000 };
  const heartbeat = new Heartbeat(limits);
  const outbox = new Outbox();
  outbox.append(1, 2, Uint8Array.of(1, 2, 3));
  const refusal = { reason: 'superseded', detail: 'replaced', incarnation: 7 } as const;
  const secret = new GroupSecret('correct horse battery staple');
  const frames: Record<keyof typeof kinds, Uint8Array> = {
    HELLO: encodeHello(hello),
    REFUSED: encodeRefusal(refusal, false),
    MESSAGE: outbox.next()!,
    ACK: ackFrame(2 ** 48 - 1),
    PING: heartbeat.ping(1234.5),
    PONG: frame(kinds.PONG, new Uint8Array(8).fill(9)),
    GOODBYE: frame(kinds.GOODBYE, new Uint8Array(0)),
    PROOF: secret.prove(ours!, theirs!, true),
  };
  const signed = encodeRefusal(secret.sign(refusal, 'c'.repeat(64)), true);
  const all = Object.entries({ ...frames, 'REFUSED with proof': signed });
  return all.map(([name, bytes]) => `frame ${name}: ${hex(bytes)}`);
}

/** A whole message to each part of a member, as its session carries it. */
function envelopeLines(): string[] {
  const algorithm = new LockAlgorithms(DEFAULT_RULES, 3, 1).of('lock', 0);
  const lock = { name: 'lock', permits: 0, epoch: 7, algorithm };
  const encoder = new Encoder(fixed().wire);
  const sends: readonly Send[] = [
    { type: 'engine', to: 'b', message: { epoch: 7, members: [], left: [] } },
    {
      ...{ type: 'lock', to: 'b', lock, fromSlot: 1, toSlot: 2, clock: 300 },
      message: { type: 'REQUEST', n: 5, mode: 'shared' } as AnyMessage,
    },
    { type: 'member', to: 'b', message: { type: 'QUERY', query: 9 } },
  ];
  return sends.map((send) => {
    const length = encoder.encode(send);
    return `to the ${send.type}: ${hex(encoder.bytes.subarray(0, length))}`;
  });
}

/** Two lines for a value that is no message of its own. */
function valueLinesOf<T>(name: string, wire: Wire<T>): string[] {
  return [false, true].map((isLarge) => {
    const writer = new Writer();
    wire.write(writer, sample(wire.declaration, isLarge) as T);
    return `${name} ${isLarge ? 'large' : 'small'}: ${hex(writer.take())}`;
  });
}

test('the bytes of all frames and messages are as they were', async () => {
  const lines = [
    ...frameLines(),
    ...valueLinesOf('clock', clockWire),
    ...valueLinesOf('header', headerWire),
    ...valueLinesOf('engine fixed', fixed().wire),
    ...valueLinesOf('engine leased', leasedWire),
    ...envelopeLines(),
    ...linesOf('group', controlWire),
    ...catalogue.flatMap(({ id, messages }) => linesOf(id, wireOf(messages, 3))),
  ];
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden.txt');
});

describe('the fingerprint of a declaration', () => {
  const fields = { a: int, b: text };
  const base = fingerprintOf(oneOf({ ONE: fields, TWO: {} }));

  test('is the same for the same declaration', () => {
    expect(fingerprintOf(oneOf({ ONE: { a: int, b: text }, TWO: {} }))).toBe(base);
    expect(base).toMatch(/^[0-9a-f]{16}$/);
    expect(fingerprintOf(int)).toBe('bc12da7befbede84');
  });

  test.each<[string, Wire<never>]>([
    ['another order of kinds', oneOf({ TWO: {}, ONE: fields }) as Wire<never>],
    ['another order of fields', oneOf({ ONE: { b: text, a: int }, TWO: {} }) as Wire<never>],
    ['another kind', oneOf({ ONE: fields, TWO: {}, THREE: {} }) as Wire<never>],
    ['another name', oneOf({ ONE: { a: int, c: text }, TWO: {} }) as Wire<never>],
    ['another type', oneOf({ ONE: { a: natural, b: text }, TWO: {} }) as Wire<never>],
    ['a list', oneOf({ ONE: { a: listOf(int), b: text }, TWO: {} }) as Wire<never>],
    ['a record', oneOf({ ONE: { a: recordOf({ a: int }), b: text }, TWO: {} }) as Wire<never>],
  ])('differs for %s', (_, wire) => {
    expect(fingerprintOf(wire)).not.toBe(base);
  });

  test('differs for other bounds and other values', () => {
    const all = [below(5), below(6), bool, mode, natural, int, text].map((wire) =>
      fingerprintOf(wire as Wire<unknown>),
    );
    expect(new Set(all).size).toBe(all.length);
  });

  test('of every algorithm differs from all that declare other messages', () => {
    const byDeclaration = new Map<string, string>();
    for (const { messages } of catalogue) {
      const wire = wireOf(messages, 3);
      byDeclaration.set(JSON.stringify(wire.declaration), fingerprintOf(wire));
    }
    expect(new Set(byDeclaration.values()).size).toBe(byDeclaration.size);
  });
});
