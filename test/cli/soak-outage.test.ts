/** `latchkey soak` on a store that goes away for good. A file of its own, because it takes as long as the rest. */
import { afterEach, describe, expect, test } from 'vitest';
import { killTheRest, latchkey } from '../support/program.ts';
import { missing, startPostgres } from '../support/servers.ts';

const why = missing('postgres');
afterEach(killTheRest);

describe.skipIf(why !== null)(`on Postgres${why === null ? '' : ` (${why})`}`, () => {
  test('a store that goes away for good is reported, with exit code 1', async () => {
    const own = await startPostgres();
    const run = latchkey([
      'soak',
      '--engine',
      own.url,
      '--lease-ms',
      '1500',
      '--minutes',
      '2',
      '--faults',
      'kill',
    ]);
    await run.says(/entries, 0 violations/);
    await own.stop();
    const { code, stdout } = await run.end;
    expect(stdout).toMatch(/[1-9]\d* violations/);
    expect(stdout).toMatch(/after (kill of )?soak-|in no common view/);
    expect(code).toBe(1);
  }, 90_000);
});
