/** `latchkey simulate --faults` with interventions, and what its trace keeps. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'latchkey-interventions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function simulate(faults: unknown, ...flags: string[]) {
  const file = join(folder, 'faults.json');
  writeFileSync(file, JSON.stringify(faults));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      'bin/latchkey.js',
      'simulate',
      'raymond',
      '--nodes',
      '7',
      '--entries',
      '20',
      '--faults',
      file,
      ...flags,
    ],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

test('interventions by step are made, and the trace has them with the settings of the run', () => {
  const trace = join(folder, 'trace.jsonl');
  const faults = [
    { at: 30, cut: [0, 1] },
    { at: 60, heal: [0, 1] },
    { after: 8, request: 4 },
  ];
  const { status, stderr } = simulate(faults, '--trace', trace, '--seed', '5');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [header, ...steps] = readFileSync(trace, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(header.settings).toMatchObject({
    workload: 'poisson',
    rate: 0.01,
    entries: 20,
    delay: 'constant:5',
  });
  expect(JSON.parse(header.settings.faults)).toEqual(faults);
  expect(steps[8]).toMatchObject({ event: 'request', site: 4, forced: true, time: steps[7].time });
  expect(steps.map(({ event }) => event)).toEqual(expect.arrayContaining(['cut', 'heal']));
  const replayed = spawnSync(process.execPath, ['bin/latchkey.js', 'replay', trace], {
    encoding: 'utf8',
  });
  expect(replayed.status).toBe(0);
});

test('a REQUEST that is lost right after it was sent leaves a site waiting: exit 1, and why', () => {
  const found = simulate([{ after: 1, lose: 1 }]);
  expect(found.status).toBe(1);
  expect(found.stdout).toMatch(/raymond violates deadlock-freedom/);
});

test.each([
  [[{ after: 3, lose: 999 }], 'message 999 is not under way after step 3'],
  [
    [{ after: 3, los: 9 }],
    'entry 1 of the faults, {"after":3,"los":9}: after a step comes exactly one of',
  ],
])('%j is a wrong call', (faults, message) => {
  const { status, stdout, stderr } = simulate(faults);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
