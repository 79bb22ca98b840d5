/** Version 2 of the protocol of clients: its bytes never change, and every message comes back as it was. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FormOfClient } from '../../src/client/forms.ts';
import {
  PREAMBLE,
  readClientFrame,
  readDaemonFrame,
  writeFrame,
} from '../../src/client/frame-codec.ts';
import {
  type ClientMessage,
  type DaemonMessage,
  ProtocolError,
} from '../../src/client/protocol.ts';
import { Writer } from '../../src/core/wire.ts';

const bytesOf = (message: ClientMessage | DaemonMessage): Uint8Array => {
  const writer = new Writer();
  writeFrame(writer, message);
  return writer.take();
};
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const LARGE = Number.MAX_SAFE_INTEGER - 1;

const ask = (id: number, name: string, more: Partial<ClientMessage & { type: 'ask' }> = {}) =>
  ({ type: 'ask', id, name, permits: 0, mode: 'exclusive', how: 'wait', ...more }) as const;

/** A change of these bytes is a new version of the protocol: docs/clients.md. */
const GOLDEN: readonly (readonly [ClientMessage | DaemonMessage, string])[] = [
  [ask(1, 'build'), '0000000a010100000a6275696c64'],
  [ask(64, '\ud800', { mode: 'shared', how: 'try' }), '0000000801800103000300d8'],
  [ask(2, '', { permits: 128, how: 'steal' }), '00000006010204800200'],
  [{ type: 'done', id: LARGE }, '0000000902beffffffffffff1f'],
  [{ type: 'granted', id: 5, epoch: 59_000_000_000, clock: 1000 }, '0000000a030580b8e4cab703a80f'],
  [{ type: 'busy', id: 3 }, '000000020403'],
  [{ type: 'ping', id: 7 }, `0000001700${hex(Buffer.from('{"type":"ping","id":7}'))}`],
  [
    { type: 'hello', protocol: 2, as: 'é' },
    `0000002800${hex(Buffer.from('{"type":"hello","protocol":2,"as":"é"}'))}`,
  ],
  [ask(1, 'build', { mayLend: true }), '0000000a050100000a6275696c64'],
  [
    { type: 'lent', id: 5, epoch: 59_000_000_000, clock: 1000, reentries: 64, step: 3 },
    '0000000d060580b8e4cab703a80f800103',
  ],
  [{ type: 'recall', id: 5 }, '000000020705'],
  [{ type: 'using', id: 5, reentries: 2 }, '00000003080502'],
];

describe('the bytes', () => {
  test('of the preamble are a byte 0, "LKC" and the end of a line', () => {
    expect(hex(PREAMBLE)).toBe('004c4b430a');
  });
  test.each(GOLDEN)('of %j are those of every release', (message, golden) => {
    expect(hex(bytesOf(message))).toBe(golden);
  });
});

const whole = fc.oneof(fc.nat(200), fc.integer({ min: 0, max: LARGE }));
const name = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('\udfff\ud800'));

test('every message of a client comes back as it was', () => {
  const asks = fc.record({
    type: fc.constant('ask' as const),
    id: whole,
    name,
    permits: whole,
    mode: fc.constantFrom('exclusive' as const, 'shared' as const),
    how: fc.constantFrom('wait' as const, 'try' as const, 'steal' as const),
    mayLend: fc.constantFrom(true as const, undefined),
  });
  const dones = fc.record({ type: fc.constant('done' as const), id: whole });
  const usings = fc.record({ type: fc.constant('using' as const), id: whole, reentries: whole });
  const forgets = fc.record({ type: fc.constant('forget' as const), id: whole, member: name });
  const unreachable = fc.record({
    type: fc.constant('unreachable' as const),
    id: whole,
    name,
    permits: whole,
  });
  fc.assert(
    fc.property(fc.oneof(asks, dones, usings, forgets, unreachable), (message) => {
      const bytes = bytesOf(message);
      expect(readClientFrame(bytes, 4, bytes.length)).toEqual(message);
    }),
  );
});

test('every message of a daemon comes back as it was', () => {
  const granted = fc.record({
    type: fc.constant('granted' as const),
    id: whole,
    epoch: whole,
    clock: whole,
  });
  const busy = fc.record({ type: fc.constantFrom('busy' as const, 'recall' as const), id: whole });
  const lent = fc.record({
    type: fc.constant('lent' as const),
    id: whole,
    epoch: whole,
    clock: whole,
    reentries: whole,
    step: whole,
  });
  const lost = fc.record({
    type: fc.constant('lost' as const),
    id: whole,
    error: fc.record({ name, message: name }),
  });
  const unreachable = fc.record({
    type: fc.constant('unreachable' as const),
    id: whole,
    members: fc.array(name),
  });
  fc.assert(
    fc.property(fc.oneof(granted, lent, busy, lost, unreachable), (message) => {
      const bytes = bytesOf(message);
      expect(readDaemonFrame(bytes, 4, bytes.length)).toEqual(message);
    }),
  );
});

test('any other bytes are a ProtocolError, and nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (bytes) => {
      for (const read of [readClientFrame, readDaemonFrame]) {
        try {
          read(bytes, 0, bytes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError);
        }
      }
    }),
    { numRuns: 2_000 },
  );
});

test('messages are read whole, however the bytes are cut', () => {
  const messages = [
    { type: 'ping', id: 1 } as const,
    ask(2, 'é'),
    { type: 'done', id: 2 } as const,
  ];
  const lines = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  const frames = Buffer.concat([PREAMBLE, ...messages.map(bytesOf)]);
  for (const [bytes, protocol] of [
    [lines, 1],
    [frames, 2],
  ] as const) {
    for (let size = 1; size <= bytes.length; size++) {
      const form = new FormOfClient(1_000);
      const heard: ClientMessage[] = [];
      for (let at = 0; at < bytes.length; at += size) {
        const part = bytes.subarray(at, at + size);
        form.read(part, part.length, (message) => heard.push(message) > 0);
      }
      expect(heard).toEqual(messages);
      expect(form.protocol).toBe(protocol);
    }
  }
});
