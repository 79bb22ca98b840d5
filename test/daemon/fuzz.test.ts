/**
 * Random lines from twelve clients of a group of three daemons: the group keeps granting, memory stays bounded, and
 * no member leaves. `LATCHKEY_FUZZ_LINES=1000000 npx vitest run test/daemon/fuzz.test.ts` runs it at full size.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectNet, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { PROTOCOL } from '../../src/client/protocol.ts';
import { Random } from '../../src/core/random.ts';
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

/** A line that a daemon may understand, or may not. */
function lineOf(random: Random): string {
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)]!;
  const number = () =>
    pick<unknown>([
      random.below(40),
      random.below(40),
      random.below(40),
      -1,
      1.5,
      2 ** 53 - 1,
      'x',
    ]);
  const message = (): object => {
    switch (random.below(12)) {
      case 0:
        return { type: 'status', id: random.below(40) };
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
  };
  const text = JSON.stringify(message());
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

/** Sends its share of lines, in batches, over as many connections as it takes. */
async function fuzz(
  path: string,
  lines: number,
  random: Random,
  countLines: (count: number) => void,
): Promise<void> {
  let socket: Socket | undefined;
  const open = async () => {
    socket = connectNet({ path });
    socket.on('error', () => {});
    // One client in four never reads.
    if (random.below(4) > 0) socket.resume();
    socket.write(`${JSON.stringify({ type: 'hello', protocol: PROTOCOL, as: 'fuzz' })}\n`);
  };
  for (let sent = 0; sent < lines; sent += BATCH) {
    if (socket === undefined || socket.destroyed || !socket.writable) await open();
    const batch = Array.from({ length: BATCH }, () => `${lineOf(random)}\n`).join('');
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
