/**
 * Random messages from twelve clients of a group of three daemons, in lines and in frames: the group keeps granting, memory
 * stays bounded, and no member leaves. `LATCHKEY_FUZZ_LINES=1000000 npx vitest run test/daemon/fuzz.test.ts` runs it at full size.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectNet, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { PREAMBLE, writeFrame } from '../../src/client/frame-codec.ts';
import { type ClientMessage, FRAMES_PROTOCOL, PROTOCOL } from '../../src/client/protocol.ts';
import { Random } from '../../src/core/random.ts';
import { Writer } from '../../src/core/wire.ts';
import { Daemon } from '../../src/daemon/daemon.ts';
import { EventLog } from '../../src/daemon/event-log.ts';
import { members } from '../support/members.ts';
import { until } from '../support/program.ts';

const LINES = Number(process.env['LATCHKEY_FUZZ_LINES'] ?? 30_000);
const CLIENTS = 12;
const SEED = Number(process.env['LATCHKEY_FUZZ_SEED'] ?? 1);
const QUARTERS = 4;
const BATCH = 50;
/** What the process may grow by: three daemons, twelve clients and the test itself. */
const MAX_GROWTH = 700_000_000;

const NAMES = ['x', 'y', 'z', '', '\ud800', '\0', '-a', 'constructor', 'n'.repeat(1_000)];

/** A message that a daemon may understand, or may not. */
function messageOf(random: Random): object {
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)]!;
  // Rarely no number at all: that ends the session, and what follows in its batch is not read.
  const number = () =>
    random.below(400) === 0 ? pick<unknown>([-1, 1.5, 'x']) : pick([random.below(40), 2 ** 53 - 1]);
  switch (random.below(13)) {
    case 0:
      return { type: 'status', id: random.below(40) };
    case 12:
      return {
        type: 'unreachable',
        id: random.below(40),
        name: pick(NAMES),
        permits: pick([0, 2, 2 ** 53 - 1]),
      };
    case 1:
      return { type: 'query', id: random.below(40), ...(random.below(2) && { maxAgeMs: 1_000 }) };
    case 2:
      return { type: 'ping', id: number() };
    case 3:
    case 4:
    case 5:
    case 6:
      return { type: 'done', id: random.below(40) };
    default:
      return {
        type: 'ask',
        id: random.below(1_000_000),
        name: random.below(500) === 0 ? 'n'.repeat(random.below(20_000)) : pick(NAMES),
        permits: pick([0, 0, 0, 0, 1, 4, 128, 129, 2 ** 53 - 1]),
        mode: pick(['exclusive', 'exclusive', 'shared']),
        how: pick(['wait', 'wait', 'try', 'steal']),
      };
  }
}

/** The message as a line of JSON. */
function lineOf(random: Random): string {
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)]!;
  const text = JSON.stringify(messageOf(random));
  // Now and then a line is broken: cut short, with a byte of noise, or no message at all.
  if (random.below(400) > 0) return text;
  return pick([
    text.slice(0, random.below(text.length)),
    text.replace(/[a-z]/, '\u0007'),
    '[]',
    'null',
    '{"type":"__proto__"}',
    '{"type":"hello","protocol":1,"as":"again"}',
  ]);
}

/** The message as a frame. Now and then a byte of it is noise, its length included, or a part is missing. */
function frameOf(random: Random): Buffer {
  const writer = new Writer();
  writeFrame(writer, messageOf(random) as ClientMessage);
  const bytes = Buffer.from(writer.take());
  if (random.below(400) > 0) return bytes;
  if (random.below(2) === 0) return bytes.subarray(0, random.below(bytes.length));
  bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

/** A form of the protocol: what a client sends first, and then. */
interface Speech {
  readonly hello: Buffer;
  readonly next: (random: Random) => Buffer;
}
const inLines: Speech = {
  hello: Buffer.from(`${JSON.stringify({ type: 'hello', protocol: PROTOCOL, as: 'fuzz' })}\n`),
  next: (random) => Buffer.from(`${lineOf(random)}\n`),
};
const framedHello = new Writer();
framedHello.append(PREAMBLE);
writeFrame(framedHello, { type: 'hello', protocol: FRAMES_PROTOCOL, as: 'fuzz' });
const inFrames: Speech = { hello: Buffer.from(framedHello.take()), next: frameOf };

/** Resolves when the socket has room, has closed, or has been full for a while. */
const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      socket.off('drain', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(done, 50);
    socket.on('drain', done).on('close', done);
  });

/** Sends its share of messages, in batches, over as many connections as it takes. */
async function fuzz(
  path: string,
  lines: number,
  random: Random,
  countLines: (count: number) => void,
): Promise<void> {
  let socket: Socket | undefined;
  let speech = inLines;
  const open = async () => {
    socket = connectNet({ path });
    socket.on('error', () => {});
    // One client in four never reads.
    if (random.below(4) > 0) socket.resume();
    speech = random.below(2) === 0 ? inLines : inFrames;
    socket.write(speech.hello);
  };
  for (let sent = 0; sent < lines; sent += BATCH) {
    if (socket === undefined || socket.destroyed || !socket.writable) await open();
    const batch = Buffer.concat(Array.from({ length: BATCH }, () => speech.next(random)));
    if (socket!.write(batch)) await new Promise(setImmediate);
    else await drained(socket!);
    countLines(BATCH);
    if (random.below(50) === 0) socket!.destroy();
  }
  socket?.destroy();
}

test(`${LINES} random lines from ${CLIENTS} clients leave a group of three daemons well`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-fuzz-'));
  const { groups } = await members(['a', 'b', 'c'], 'unix');
  const daemons = await Promise.all(
    Object.values(groups).map((group) =>
      Daemon.start({
        group,
        eventLog: new EventLog(pino({ level: 'silent' })),
        socket: join(folder, `${group.id}.sock`),
      }),
    ),
  );
  const path = (i: number) => join(folder, `${'abc'[i % 3]}.sock`);
  const before = process.memoryUsage().rss;
  let isFuzzing = true;
  let granted = 0;
  /** How many locks the client below had been granted at the beginning of each quarter of the lines. */
  const grantedBefore: number[] = [];
  let sent = 0;
  const countLines = (count: number) => {
    sent += count;
    if (sent >= (grantedBefore.length * LINES) / QUARTERS) grantedBefore.push(granted);
  };
  // A client that behaves locks all the while, under names that the others do not know.
  const well = (async () => {
    const client = await connect({ socket: path(0) });
    while (isFuzzing) {
      await (await client.locks.acquire('well behaved')).release();
      granted++;
    }
    expect(client.ended.aborted).toBe(false);
    await client.close();
  })();
  let peak = before;
  const watching = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 100);
  await Promise.all(
    Array.from({ length: CLIENTS }, (_, i) =>
      fuzz(path(i), Math.ceil(LINES / CLIENTS), new Random(SEED, `client ${i}`), countLines),
    ),
  );
  isFuzzing = false;
  await well;
  clearInterval(watching);
  for (const group of Object.values(groups)) expect(group.stopped.aborted).toBe(false);
  // The group keeps granting: in every quarter the client has been granted some locks.
  expect(grantedBefore.length).toBeGreaterThanOrEqual(QUARTERS);
  const grantedIn = grantedBefore.map((count, i) => (grantedBefore[i + 1] ?? granted) - count);
  expect(Math.min(...grantedIn.slice(0, QUARTERS))).toBeGreaterThan(0);
  if (process.env['LATCHKEY_FUZZ_LINES'] !== undefined) {
    const grown = ((peak - before) / 2 ** 20).toFixed();
    console.info(`granted in each quarter: ${grantedIn.join(', ')}; grew by ${grown} MiB at most`);
  }
  expect(peak - before).toBeLessThan(MAX_GROWTH);
  // All that the clients held and waited for is gone with them.
  await until(async () => {
    const { held, pending } = await groups['a']!.backend.query();
    return held.length + pending.length === 0;
  });
  for (const id of 'abc') {
    await (await groups[id]!.locks.acquire('x', { timeoutMs: 20_000 })).release();
  }
  await Promise.all(daemons.map((daemon) => daemon.close()));
  rmSync(folder, { recursive: true, force: true });
}, 1_800_000);
