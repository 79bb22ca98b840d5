/** Every algorithm of the catalogue among real processes over TCP, as `npm run soak` runs it for long. */
import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/algorithms/catalogue.ts';

const MEMBERS = 3;
const ENTRIES = 900;

interface Row {
  readonly algorithm: string;
  readonly error?: string;
  readonly entries: number;
  readonly overlaps: number;
  readonly disorders: number;
  readonly missing: number;
}

function soak(...args: string[]): Promise<{ code: number | null; rows: Row[]; stderr: string }> {
  const flags = ['--json', '--members', String(MEMBERS), '--entries', String(ENTRIES), ...args];
  const child = spawn(process.execPath, ['bench/soak.js', ...flags]);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolve) => {
    child.on('close', (code) => {
      resolve({ code, stderr, rows: stdout === '' ? [] : JSON.parse(stdout) });
    });
  });
}

describe('three processes, one lock', () => {
  test('by every algorithm: no two callers are inside together, and all fences grow', async () => {
    const { code, rows, stderr } = await soak();
    const well = { entries: ENTRIES, overlaps: 0, disorders: 0, missing: 0 };
    expect(stderr).toBe('');
    expect(rows).toEqual(
      catalogue.map(({ id }) => expect.objectContaining({ algorithm: id, ...well })),
    );
    expect(code).toBe(0);
  }, 120_000);

  test('without the lock, the witness sees them', async () => {
    const { code, rows } = await soak('--unlocked', '--algorithms', 'raymond');
    expect(rows[0]!.overlaps).toBeGreaterThan(0);
    expect(rows[0]!.disorders).toBeGreaterThan(0);
    expect(code).toBe(1);
  });
});
