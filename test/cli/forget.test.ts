/** `latchkey forget`: an operator says that a member without a store to watch it is gone. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { killTheRest, latchkey, type Run, until } from '../support/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'latchkey-forget-'));
afterEach(() => {
  killTheRest();
  rmSync(folder, { recursive: true, force: true });
});

function node(self: string, names: readonly string[]): Run {
  const others = names.filter((name) => name !== self);
  const at = (name: string) => `unix:${join(folder, `${name}.peer`)}`;
  return latchkey([
    ...['node', '--self', self, '--listen', at(self), '--socket', join(folder, `${self}.sock`)],
    ...others.flatMap((name) => ['--peer', `${name}=${at(name)}`]),
  ]);
}
const at = (self: string) => ['--socket', join(folder, `${self}.sock`)];

describe('latchkey forget', () => {
  test('lets the others go on without a member that was killed, and admits it again', async () => {
    const names = ['a', 'b', 'c'];
    const [a, b, c] = names.map((self) => node(self, names)) as [Run, Run, Run];
    for (const one of [a, b, c]) await one.says(/is up/);
    const holder = latchkey(['lock', ...at('c'), 'x', '--', 'sleep', '60']);
    await until(async () => {
      const { stdout } = await latchkey(['status', ...at('c')]).end;
      return /"x" +held/.test(stdout);
    });

    const connected = await latchkey(['forget', ...at('a'), 'c', '--yes']).end;
    expect([connected.code, connected.stderr]).toEqual([
      1,
      expect.stringContaining('"c" is connected'),
    ]);

    c.child.kill('SIGKILL');
    await holder.end;
    const warned = await latchkey(['forget', ...at('a'), 'c']).end;
    expect(warned.code).toBe(2);
    expect(warned.stderr).toContain('If that process still runs, two may hold one lock');
    const waiting = latchkey(['lock', ...at('b'), 'x', '--', 'echo', 'inside']);
    const unknown = await latchkey(['forget', ...at('a'), 'z', '--yes']).end;
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('"z" cannot be forgotten'),
    ]);
    await until(async () => {
      const { code, stderr } = await latchkey(['forget', ...at('a'), 'c', '--yes']).end;
      // Until the end of its connection is seen.
      if (code !== 0) expect(stderr).toContain('is connected');
      return code === 0;
    });
    expect(await waiting.end).toMatchObject({ code: 0, stdout: 'inside\n' });

    const restarted = node('c', names);
    await restarted.says(/is up/);
    const third = await latchkey(['lock', ...at('c'), 'x', '--', 'echo', 'back']).end;
    expect(third).toMatchObject({ code: 0, stdout: 'back\n' });
  }, 60_000);
});
