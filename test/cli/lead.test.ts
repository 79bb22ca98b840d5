/** `latchkey lead`: a command that runs while its process leads, and again whenever it does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { killTheRest, latchkey, until } from '../support/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'latchkey-lead-'));
afterEach(killTheRest);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const socket = join(folder, 'a.sock');
const daemon = async () => {
  const peer = `unix:${join(folder, 'a.peer')}`;
  const run = latchkey(['node', '--self', 'a', '--listen', peer, '--socket', socket]);
  await run.says(/is up/);
  return run;
};
const lead = (script: string) =>
  latchkey(['lead', '--socket', socket, 'x', '--', 'sh', '-c', script]);
const WORK = 'echo "leads with $LATCHKEY_FENCE"; sleep 60';

describe('latchkey lead', () => {
  test('hands the lead over when a leader is ended, and exits as `latchkey lock` does', async () => {
    await daemon();
    const first = lead(WORK);
    await first.says(/leads with/);
    const second = lead(`${WORK} & wait $!; exit 7`);
    first.child.kill('SIGTERM');
    expect((await first.end).code).toBe(143);
    await second.says(/leads with/);
    const third = await latchkey(['lead', '--socket', socket, 'y', '--', 'sh', '-c', 'exit 7']).end;
    expect(third.code).toBe(7);
  }, 60_000);

  test('stops its command when its daemon dies, and starts it again when a daemon is back', async () => {
    const a = await daemon();
    const leader = lead(WORK);
    await leader.says(/leads with (\d+)/);
    a.child.kill('SIGKILL');
    await leader.says(/is lost/);
    await daemon();
    const fences = () =>
      [...leader.out.stdout.matchAll(/leads with (\d+)/g)].map(([, f]) => BigInt(f!));
    await until(() => fences().length === 2);
    expect(fences()[1]).toBeGreaterThan(fences()[0]!);
  }, 60_000);

  test('without a daemon, or with a wrong call, it exits as `latchkey lock` does', async () => {
    const nowhere = ['--socket', join(folder, 'none.sock')];
    expect((await latchkey(['lead', ...nowhere, 'x', '--', 'true']).end).code).toBe(69);
    const { code, stderr } = await latchkey(['lead', 'x']).end;
    expect([code, stderr]).toEqual([2, expect.stringContaining('what to run goes after --')]);
  });
});
