/** Member processes that start at the same moment find the shortcut to all others. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { freePorts } from '../support/members.ts';
import { killTheRest, latchkey } from '../support/program.ts';

const IDS = [...'abcde'];
const ESTABLISHED = '01';

/** How many connections there are over TCP to these ports, each seen from both ends. */
function connectionsTo(ports: readonly number[]): number {
  const rows = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
  return rows.filter((row) => {
    const [, ...[local, remote, state]] = row.trim().split(/\s+/);
    const at = [local!, remote!].map((address) => Number.parseInt(address.split(':')[1]!, 16));
    return state === ESTABLISHED && at.some((port) => ports.includes(port));
  }).length;
}

afterEach(killTheRest);

describe.runIf(process.platform === 'linux')('five processes that start together', () => {
  async function start(more: readonly string[] = []): Promise<number> {
    const ports = await freePorts(IDS.length);
    const address = (i: number) => `127.0.0.1:${ports[i]}`;
    const members = IDS.map((self, i) => {
      const peers = IDS.flatMap((id, j) => (j === i ? [] : ['--peer', `${id}=${address(j)}`]));
      const own = ['--self', self, '--listen', address(i), '--socket', 'off'];
      return latchkey(['node', ...own, ...peers, ...more]);
    });
    await Promise.all(members.map((member) => member.says(/view-begun/)));
    const count = connectionsTo(ports);
    for (const { child } of members) child.kill('SIGTERM');
    await Promise.all(members.map(({ end }) => end));
    return count;
  }

  test('connect over Unix sockets only', async () => {
    for (let i = 0; i < 6; i++) expect(await start(), `start ${i + 1}`).toBe(0);
  });

  test('connect over TCP, if the shortcut is off', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'latchkey-'));
    const file = join(directory, 'latchkey.yaml');
    writeFileSync(file, 'shortcut: off\n');
    const pairs = (IDS.length * (IDS.length - 1)) / 2;
    expect(await start(['--config', file])).toBe(2 * pairs);
    rmSync(directory, { recursive: true });
  });
});
