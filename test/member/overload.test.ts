/**
 * A group of real processes under more load than it can serve, with one member dead and one stopped for half of the time:
 * bench/overload.js on a small scale. Nothing here is measured by the clock of a machine that runs other tests as well.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const run = promisify(execFile);

interface Phase {
  readonly goodput: number;
  readonly messagesPerGrant: number;
  readonly peakOutbox: number;
  readonly peakRss: number;
  readonly errors: { readonly [name: string]: number };
}

interface Result {
  readonly overload: Phase;
  readonly rows: readonly Phase[];
  /** Null if the group has not recovered within a minute. */
  readonly recoveredMs: number | null;
  readonly ended: readonly string[];
}

async function overload(...flags: string[]): Promise<Result> {
  const small = [
    '--json',
    '--loads',
    '20',
    '--step',
    '2',
    '--rounds',
    '1',
    '--callers',
    '1000',
    '--seconds',
    '10',
  ];
  // Memory that grew with the load would end a member.
  const env = { ...process.env, NODE_OPTIONS: '--max-old-space-size=256' };
  const running = run(process.execPath, ['bench/overload.js', ...small, ...flags], { env });
  // Exit code 1 means that it missed a target, which may be the fault of a busy machine.
  const { stdout } = await running.catch((error: { stdout: string }) => error);
  return JSON.parse(stdout) as Result;
}

describe('a group whose callers ask for more than it can serve', () => {
  test.each([
    ['while all members live', []],
    ['while one member is dead and one is stopped', ['--faults']],
  ])(
    'keeps its members, sends little for requests that time out, and recovers, %s',
    async (_, flags) => {
      const { overload: phase, rows, recoveredMs, ended } = await overload(...flags);
      expect(ended).toEqual([]);
      expect(phase.goodput).toBeGreaterThan(0);
      expect(phase.errors['TimeoutError']).toBeGreaterThan(1000);
      // A request that times out after it was sent costs as many messages as one that is granted, or more.
      expect(phase.messagesPerGrant).toBeLessThan(3 * rows[0]!.messagesPerGrant);
      expect(phase.peakOutbox).toBeLessThan(2 ** 20);
      expect(phase.peakRss).toBeLessThan(2 ** 29);
      expect(recoveredMs).not.toBeNull();
    },
    120_000,
  );
});
