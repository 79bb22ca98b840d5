/** `latchkey check` and `replay` as their users meet them, where a counterexample is found or told. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function latchkey(line: string) {
  const { status, stdout, stderr } = spawnSync('node', ['bin/latchkey.js', ...line.split(' ')], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { status, stdout, stderr };
}

describe('reductions', () => {
  test('--rest: fewer states, and a line that says so', () => {
    const { status, stdout } = latchkey('check suzuki-kasami --entries 1 --rest');
    expect(status).toBe(0);
    expect(stdout).toContain('proved: every reachable state, or one that stands for it, was seen');
    expect(stdout).toContain('sites at rest receive at once');
    expect(stdout).toMatch(/^619 states/m);
  });
  test('--no-rest, and by default in a small space: all of them', () => {
    for (const flag of ['', ' --no-rest']) {
      const { stdout } = latchkey(`check suzuki-kasami --entries 1${flag}`);
      expect(stdout).toContain('proved: every reachable state was seen, and all is as claimed');
      expect(stdout).toMatch(/^727 states/m);
    }
  });
  test('--rest is refused where it does not go', () => {
    const { status, stderr } = latchkey('check central --rest --crashes 1');
    expect([status, stderr]).toEqual([
      2,
      'latchkey: rest does not go with faults: leave one of them out\n',
    ]);
  });
});

describe('random schedules', () => {
  const call = 'check suzuki-kasami --nodes 4 --losses 1 --crashes 1';
  test('one that fails is run again by its seed', () => {
    const { status, stdout } = latchkey(`${call} --random 500 --seed 7`);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^\d+ distinct states/m);
    const [, repeat] = /the same call with (--random 1 --seed \d+) runs that one again/.exec(
      stdout,
    )!;
    const picture = (text: string) => text.slice(text.indexOf('\n      0 '));
    expect(picture(latchkey(`${call} ${repeat}`).stdout)).toBe(picture(stdout));
  });
});

describe('a counterexample', () => {
  test('becomes a test by one command, in a folder that was not there', () => {
    const path = join(folder, 'traces/lamport/overtaken.jsonl');
    expect(latchkey(`check lamport --links any --trace ${path}`).status).toBe(1);
    expect(existsSync(path)).toBe(true);
    const { status, stdout } = latchkey(`replay ${path}`);
    expect(status).toBe(0);
    expect(stdout).toContain('all 7 steps go as they are written');
  });

  test('that cannot be written: one line, exit 2', () => {
    const { status, stderr } = latchkey('check lamport --links any --trace /proc/nowhere/x.jsonl');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^latchkey: --trace cannot write "\/proc\/nowhere\/x\.jsonl": .*\n$/);
  });

  test('of a simulated run: --slice leaves out what did not lead to it', () => {
    const path = join(folder, 'run.jsonl');
    const settings = '--links any --nodes 6 --delay exponential:20 --entries 60 --rate 0.02';
    latchkey(`simulate lamport ${settings} --seed 3 --trace ${path}`);
    const whole = latchkey(`replay ${path}`).stdout.split('\n');
    const sliced = latchkey(`replay ${path} --slice`).stdout;
    const [, left] = /^([\d,]+) steps did not lead to it and are left out$/m.exec(sliced)!;
    expect(Number(left!.replace(',', ''))).toBeGreaterThan(0);
    const steps = sliced.split('\n').filter((line) => /^ *\d+ {2}/.test(line));
    expect(steps.length).toBeGreaterThan(5);
    // What is drawn is drawn as in the whole, but for what changed meanwhile and is not shown.
    const numbers = steps.map((line) => line.slice(0, 6));
    for (const number of numbers) {
      expect(whole.some((line) => line.startsWith(number))).toBe(true);
    }
  });
});

describe('latchkey check service', () => {
  test('prints the report of an algorithm, with what serves the lock', () => {
    const { status, stdout } = latchkey('check service --algorithm naimi-trehel --json');
    const report = JSON.parse(stdout);
    expect(status).toBe(0);
    expect(report).toMatchObject({
      algorithm: 'service',
      serving: 'naimi-trehel',
      nodes: 2,
      verdict: 'proved',
      violation: null,
    });
    expect(report.states).toBe(528);
  });
  test('refuses flags of the service for an algorithm, and unknown choices', () => {
    expect(latchkey('check raymond --members 2')).toMatchObject({
      status: 2,
      stderr: 'latchkey: --members is for "latchkey check service", not for "raymond"\n',
    });
    expect(latchkey('check service --only sneak').stderr).toBe(
      'latchkey: --only: expected some of exclusive, shared, try, steal, got "sneak"\n',
    );
    expect(latchkey('check service --engine etcd').status).toBe(2);
    expect(latchkey('check service --no-rest').stderr).toBe(
      'latchkey: --no-rest is for an algorithm, not for "service": leave it out\n',
    );
    expect(latchkey('check servise').stderr).toBe(
      'latchkey: there is no algorithm "servise" (did you mean "service"?)\n',
    );
  });
  test.each([
    [
      '--algorithm naimi-trehel --only exclusive,shared',
      'callers cannot do "shared": naimi-trehel has no readers: leave it out',
    ],
    ['--k 2 --only shared', 'callers cannot do "shared": a permit is not shared: leave it out'],
    ['--k 2 --only steal', 'callers cannot do "steal": only locks can be stolen: leave it out'],
    ['--k 129', '129 permits are too many: a semaphore has at most 128'],
  ])('refuses %s, which callers cannot do', (flags, why) => {
    const { status, stderr } = latchkey(`check service ${flags}`);
    expect([status, stderr]).toEqual([2, `latchkey: ${why}\n`]);
  });
});
