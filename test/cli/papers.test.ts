/** `latchkey papers` as its users meet it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const latchkey = (...args: string[]) =>
  spawnSync('node', ['bin/latchkey.js', 'papers', ...args], { encoding: 'utf8' });

test('--json prints one value, --out writes the figures, a page and the rows', () => {
  const out = join(folder, 'new', 'folder');
  const { status, stdout } = latchkey('lodha-kshemkalyani', '--quick', '--json', '--out', out);
  expect(status).toBe(0);
  const rows = JSON.parse(stdout) as Record<string, unknown>[];
  expect(rows.length).toBeGreaterThan(20);
  expect(Object.keys(rows[0]!)).toEqual([
    ...['id', 'paper', 'where', 'quote', 'reading', 'claim', 'expected', 'measured', 'verdict'],
    ...['tolerance', 'interval', 'note', 'how', 'seeds', 'command', 'run', 'runs'],
  ]);
  expect(readdirSync(out).sort()).toEqual([
    ...['figures.json', 'index.html', 'lk-against-n.csv', 'lk-against-n.svg', 'lk-concurrency.csv'],
    ...['lk-concurrency.svg', 'lk-improvements.csv', 'lk-improvements.svg'],
    ...['provenance.json', 'rows.json'],
  ]);
  const provenance = JSON.parse(readFileSync(join(out, 'provenance.json'), 'utf8'));
  expect(provenance).toMatchObject({
    command: 'latchkey papers lodha-kshemkalyani --quick',
    node: process.version,
  });
  const csv = readFileSync(join(out, 'lk-concurrency.csv'), 'utf8').split('\r\n');
  expect(csv[0]).toBe('series,kind,x,y,ci95');
  expect(csv.length).toBeGreaterThan(20);
  expect(JSON.parse(readFileSync(join(out, 'rows.json'), 'utf8'))).toEqual(rows);
  const page = readFileSync(join(out, 'index.html'), 'utf8');
  for (const name of ['lk-against-n.svg', 'lk-concurrency.svg'])
    expect(page).toContain(`src="${name}"`);
  expect(page.match(/<tr id=/g)).toHaveLength(rows.length);
});

test('the same seeds give the same rows, however the work is shared out', () => {
  const run = () => latchkey('raymond', '--quick', '--json').stdout;
  const first = run();
  expect(first.length).toBeGreaterThan(1000);
  expect(run()).toBe(first);
});

test('one row runs alone, and its command repeats it', () => {
  const { status, stdout } = latchkey('lodha-kshemkalyani/figure-3', '--quick', '--json');
  expect(status).toBe(0);
  const [row, ...others] = JSON.parse(stdout) as Record<string, unknown>[];
  expect(others).toEqual([]);
  expect(row).toMatchObject({
    id: 'lodha-kshemkalyani/figure-3',
    command: 'latchkey papers lodha-kshemkalyani/figure-3 --quick',
    verdict: 'confirmed',
  });
});

test('the run of a row repeats what the row measured', () => {
  const of = (id: string) =>
    (JSON.parse(latchkey(id, '--quick', '--json').stdout) as { run: string }[])[0]!.run;
  const shell = (run: string) =>
    spawnSync('sh', ['-c', `${run.replace('latchkey', 'node bin/latchkey.js')} --json`], {
      encoding: 'utf8',
    });
  const proof = of('raymond/greedy-starvation');
  expect(proof).toMatch(/^latchkey check raymond --nodes \d+ /);
  expect(JSON.parse(shell(proof).stdout)).toMatchObject({ verdict: 'proved' });
  const script = of('survey/raynal-poll');
  expect(script).toMatch(/^printf '0 request 0' \| latchkey simulate raynal-primes /);
  expect(JSON.parse(shell(script).stdout)[0]).toMatchObject({ messages: 8 });
});

test('for people: claims under their paper, what was expected and measured, a summary', () => {
  const { status, stdout } = latchkey('lodha-kshemkalyani', '--quick');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Lodha and Kshemkalyani 2000/);
  expect(stdout).toContain('refuted    The exact number is 2(N−1)−x');
  expect(stdout).toMatch(/\d+ claims: \d+ confirmed, \d+ qualified, \d+ refuted\n$/);
});

test('an unknown paper or row, or a folder that cannot be, is refused in one line', () => {
  const unknown = latchkey('ricart');
  expect([unknown.status, unknown.stdout]).toEqual([2, '']);
  expect(unknown.stderr).toBe(
    'latchkey: there is no paper "ricart": take one of survey, raymond, ricart-agrawala, lodha-kshemkalyani, rcv, beyond (did you mean "ricart-agrawala"?)\n',
  );
  const row = latchkey('rcv/fig-6-fall');
  expect([row.status, row.stdout]).toEqual([2, '']);
  expect(row.stderr).toBe(
    'latchkey: there is no row "rcv/fig-6-fall": take a row of `latchkey papers rcv` (did you mean "rcv/fig-6-falls"?)\n',
  );
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const taken = latchkey('raymond', '--quick', '--out', file);
  expect([taken.status, taken.stdout]).toEqual([2, '']);
  expect(taken.stderr).toMatch(/^latchkey: --out cannot make the folder ".*": .*\n$/);
});
