/** `latchkey soak`: a short run on a real Postgres server, and wrong calls. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SoakReport } from '../../src/soak/soak.ts';
import { killTheRest, latchkey } from '../support/program.ts';
import { missing, type Server, startPostgres } from '../support/servers.ts';

const why = missing('postgres');
afterEach(killTheRest);

describe('a wrong call is refused with the value, the rule and the way out', () => {
  const store = ['--engine', 'postgres://h/d'];
  test.each([
    [[], 'soak needs --engine, the store to try, as in: latchkey soak --engine postgres://'],
    [['--engine', 'redis://x'], 'an engine is postgres://HOST/DATABASE, etcd://'],
    [
      [...store, '--minutes', '0'],
      '--minutes takes a number, greater than 0, at most 10080, got "0"',
    ],
    [[...store, '--members', '1'], '--members takes a whole number, from 2 to 20, got "1"'],
    [
      [...store, '--faults', 'kill,burn'],
      '--faults takes kill,stop,pause,leave, some of them, or none, got "burn"',
    ],
    [[...store, '--leases', '1'], "unknown option '--leases'"],
    [
      ['--engine', 'postgres://me:hidden@127.0.0.1:1/d'],
      'postgres cannot be used: connect ECONNREFUSED 127.0.0.1:1: check --engine',
    ],
  ])('%j', async (flags, message) => {
    const { code, stdout, stderr } = await latchkey(['soak', ...flags]).end;
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hidden');
    expect([code, stdout]).toEqual([2, '']);
  });
});

describe.skipIf(why !== null)(`on Postgres${why === null ? '' : ` (${why})`}`, () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);
  afterAll(() => server?.stop());
  const soak = (...flags: string[]) =>
    latchkey(['soak', '--engine', server.url, '--lease-ms', '1500', ...flags]);

  test('all recover from each fault, and the judge finds nothing', async () => {
    const { code, stdout } = await soak('--minutes', '0.35', '--seed', '3', '--json').end;
    const report = JSON.parse(stdout) as SoakReport;
    expect(report.violations).toEqual([]);
    expect(code).toBe(0);
    expect(report.entries).toBeGreaterThan(500);
    const injected = report.faults.filter(({ recoveredMs }) => recoveredMs.length > 0);
    expect(injected.length).toBeGreaterThanOrEqual(3);
  }, 60_000);

  test('a store that is refused is refused with the way out alone', async () => {
    const unsafe = await startPostgres(['fsync=off']);
    const { code, stderr } = await latchkey(['soak', '--engine', unsafe.url]).end;
    await unsafe.stop();
    expect(stderr.trim().split('\n').at(-1)).toBe(
      'latchkey: this Postgres server has fsync=off and may forget what it stored: set fsync=on, or allowUnsafe',
    );
    expect(code).toBe(2);
  }, 60_000);

  test('Ctrl-C ends it early, with the report', async () => {
    const run = soak('--group', 'early', '--minutes', '10', '--faults', 'none');
    await run.says(/[1-9]\d* entries, 0 violations/);
    run.child.kill('SIGINT');
    const { code, stdout } = await run.end;
    expect(stdout).toContain('no violation: one holder at a time');
    expect(code).toBe(0);
  }, 60_000);
});
