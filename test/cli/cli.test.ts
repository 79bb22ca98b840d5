/** The program as its users meet it: commands, output, exit codes, and how it says no. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

function latchkey(line: string, env: NodeJS.ProcessEnv = {}) {
  const args = line.split(' ').filter((word) => word !== '');
  const { status, stdout, stderr } = spawnSync('node', ['bin/latchkey.js', ...args], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  return { status, stdout, stderr };
}
const json = (line: string) => JSON.parse(latchkey(`${line} --json`).stdout);

describe('latchkey', () => {
  test('alone, and help, list the commands that exist and what to try', () => {
    for (const call of ['', 'help', '--help']) {
      const { status, stdout } = latchkey(call);
      expect(status).toBe(0);
      expect(stdout).toMatch(/algorithms.*simulate.*check.*up.*node.*lock.*status.*help/s);
      expect(stdout).toContain('latchkey check raymond');
      expect(stdout).not.toMatch(/\b(bench)\b +\[/);
    }
  });
  test('help of a command lists its options', () => {
    expect(latchkey('help simulate').stdout).toMatch(/--workload.*--delay.*--faults/s);
    expect(latchkey('check --help').stdout).toMatch(/--entries.*--crashes.*--as-printed/s);
  });
  test('tells its version', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(latchkey('--version').stdout).toBe(`${version}\n`);
  });
});

test('a defect of ours is no answer: exit 70, and what happened', () => {
  const sabotage = 'data:text/javascript,Object.entries=()=>{throw%20new%20Error(`sabotaged`)}';
  const { status, stderr } = latchkey('check raymond', { NODE_OPTIONS: `--import ${sabotage}` });
  expect(stderr).toMatch(/^latchkey: this is a defect.*\n.*sabotaged\n +at /);
  expect(status).toBe(70);
});

describe('latchkey algorithms', () => {
  test('--json: the catalogue, in the shape that scripts rely on', () => {
    const catalogue = json('algorithms') as Record<string, unknown>[];
    expect(catalogue.length).toBeGreaterThanOrEqual(10);
    for (const entry of catalogue) {
      expect(Object.keys(entry)).toEqual([
        'id',
        'title',
        'year',
        'paper',
        'family',
        'modes',
        'k',
        'links',
        'topology',
        'options',
        'claims',
        'recovers',
        'asPrinted',
      ]);
      expect(['token', 'permission']).toContain(entry['family']);
      expect(['any', 'fifo']).toContain(entry['links']);
    }
  });
  test('as a table, one line each', () => {
    const { stdout } = latchkey('algorithms');
    expect(stdout).toMatch(/^raymond +Raymond 1989 +token +any +tree/m);
  });
});

describe('latchkey simulate', () => {
  test('--same-requests: a site asks at the same times, whatever the algorithm makes of it', () => {
    const flags = '--nodes 4 --rate 0.05 --entries 40 --same-requests --delay uniform:2,8';
    const results = json(`simulate raymond ricart-agrawala central ${flags}`);
    const asked = results.map(
      ({ fairness }: { fairness: { entriesByNode: number[] } }) => fairness.entriesByNode,
    );
    expect(asked[0]).toEqual(asked[1]);
    expect(asked[0]).toEqual(asked[2]);
  });

  test('--json: one object for each algorithm, in the shape that scripts rely on', () => {
    const results = json('simulate ricart-agrawala lamport --nodes 4 --entries 50');
    expect(results.map((r: { algorithm: string }) => r.algorithm)).toEqual([
      'ricart-agrawala',
      'lamport',
    ]);
    expect(results[0]).toMatchObject({
      nodes: 4,
      seed: 1,
      entries: 50,
      messages: 300,
      messagesPerEntry: 6,
      byType: { REQUEST: 150, REPLY: 150 },
      violations: [],
    });
    expect(Object.keys(results[0]).slice(0, 16)).toEqual([
      'algorithm',
      'nodes',
      'seed',
      'entries',
      'messages',
      'messagesPerEntry',
      'bytesPerEntry',
      'byType',
      'responseTime',
      'waitingTime',
      'synchronizationDelay',
      'throughput',
      'fairness',
      'events',
      'wallSeconds',
      'violations',
    ]);
    expect(Object.keys(results[0].responseTime)).toEqual(['mean', 'p50', 'p99', 'max']);
  });
  test('the same seed twice: the same bytes, of the result and of the trace', () => {
    const run = (trace: string) => {
      const call = `simulate naimi-trehel --seed 7 --delay exponential:5 --entries 200 --trace ${trace}`;
      return latchkey(`${call} --json`).stdout + readFileSync(trace, 'utf8');
    };
    expect(run(join(folder, 'a.jsonl'))).toBe(run(join(folder, 'b.jsonl')));
  });
  test('a trace has a header that says what ran, then one step a line', () => {
    const path = join(folder, 'c.jsonl');
    latchkey(`simulate raymond --nodes 3 --workload once --topology line --trace ${path}`);
    const [header, ...steps] = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((l) => JSON.parse(l));
    expect(header).toMatchObject({
      latchkey: 'trace',
      version: 1,
      algorithm: 'raymond',
      nodes: 3,
      topology: 'line',
    });
    expect(steps.map((s: { step: number }) => s.step)).toEqual(steps.map((_, i) => i + 1));
    expect(steps.filter((s: { enters: boolean }) => s.enters)).toHaveLength(3);
  });
  test('replications give each mean with its confidence interval', () => {
    const [result] = json('simulate suzuki-kasami --replications 4 --entries 100');
    expect(result.replications).toBe(4);
    expect(Object.keys(result.messagesPerEntry)).toEqual(['mean', 'ci95']);
    expect(Object.keys(result.waitingTime.mean)).toEqual(['mean', 'ci95']);
  });
  test('several algorithms side by side in one table', () => {
    const { stdout } = latchkey('simulate raymond suzuki-kasami --workload saturated');
    expect(stdout).toMatch(
      /^algorithm +entries +messages +per entry.*\nraymond .*\nsuzuki-kasami /m,
    );
  });
  test('asking for links too weak is allowed and warned of', () => {
    const { stderr, status } = latchkey('simulate lamport --links any --nodes 2 --workload solo');
    expect(stderr).toBe('latchkey: lamport needs ordered links; --links any may break it\n');
    expect(status).toBe(0);
  });
  test('a violation is an answer: exit 1, and what happened', () => {
    const faults = file('crash.json', '[{ "at": 5, "crash": 0 }]');
    const { status, stdout } = latchkey(
      `simulate suzuki-kasami --workload once --faults ${faults}`,
    );
    expect(status).toBe(1);
    expect(stdout).toMatch(/suzuki-kasami violates deadlock-freedom at .*crashed/);
  });
});

describe('latchkey check', () => {
  test('--json: the report, in the shape that scripts rely on', () => {
    const report = json('check raymond');
    expect(report).toMatchObject({
      algorithm: 'raymond',
      nodes: 3,
      entries: [2, 2, 2],
      links: 'any',
      verdict: 'proved',
      trace: null,
    });
    expect(Object.keys(report)).toEqual(
      expect.arrayContaining([
        'states',
        'transitions',
        'depth',
        'seconds',
        'statesPerSecond',
        'properties',
      ]),
    );
    expect(report.properties).toContainEqual({ name: 'token-uniqueness', verdict: 'proved' });
  });
  test('a violation: exit 1, a diagram, and why', () => {
    const { status, stdout } = latchkey('check lamport --links any --nodes 2');
    expect(status).toBe(1);
    expect(stdout).toContain('violated: mutual-exclusion: 0 and 1 are inside at once');
    expect(stdout).toMatch(/ 3 {2}█◀─REQUEST at=1─ ┊/);
  });
  test.each(['lodha-kshemkalyani', 'relative-consensus-voting', 'maekawa'])(
    '%s --as-printed is violated',
    (id) => {
      const report = json(`check ${id} --as-printed`);
      expect(report.verdict).toBe('violated');
      expect(report.trace).toHaveLength(report.depth);
    },
  );
  test('a limit is bounded, not proved', () => {
    expect(json('check ricart-agrawala --max-states 500').verdict).toBe('bounded');
  });
  test('--report messages: the totals of all complete schedules', () => {
    const { totalMessages } = json('check lodha-kshemkalyani --entries 1 --report messages');
    expect(totalMessages).toEqual([8, 9, 10, 11, 12]);
  });
  test('--random runs so many schedules, and the counterexample can be saved', () => {
    const path = join(folder, 'lamport.jsonl');
    const report = json(
      `check lamport --nodes 4 --links any --random 1000 --seed 5 --trace ${path}`,
    );
    expect(report.verdict).toBe('violated');
    const [header, ...steps] = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((l) => JSON.parse(l));
    expect(header).toMatchObject({
      source: 'check',
      algorithm: 'lamport',
      violation: { property: report.violation.property },
    });
    expect(steps).toEqual(report.trace);
  });
});

describe('a wrong call gets one line: the value, the rule, the way out; exit 2', () => {
  test.each([
    [
      'check raymnd',
      'there is no algorithm "raymnd" (did you mean "raymond"?): latchkey algorithms lists them',
    ],
    ['simulate raymond --nodes 0', '--nodes takes a whole number, 1 or more, got "0"'],
    ['simulate raymond --nodes 2.5', '--nodes takes a whole number, 1 or more, got "2.5"'],
    [
      'simulate raymond --delay constant:-1',
      'a delay is constant:T, uniform:LEAST,MOST, exponential:MEAN or lognormal:MEAN,DEVIATION, as in constant:5; got "constant:-1"',
    ],
    ['check raymond --option greed', 'raymond has no option "greed": it has piggyback, greedy'],
    [
      'check maekawa --quorums fpp --nodes 8',
      'fpp has q²+q+1 points, q a prime power, not 8: take 7 or 13, or take grid',
    ],
    ['check raymond --quorums fpp', 'raymond has no quorums: leave --quorums out'],
    ['check maekawa --topology line', 'maekawa runs on quorums, not on a topology: use --quorums'],
    ['check raymond --topology lin', 'no tree is called "lin"'],
    ['check raymond --node 3', "unknown option '--node' (Did you mean --nodes?)"],
    ['chek raymond', "unknown command 'chek' (Did you mean check?)"],
    ['check', "missing required argument 'id': latchkey help check has what it takes"],
    [
      'check raymond lamport',
      "too many arguments for 'check'. Expected 1 argument but got 2: latchkey help check has what",
    ],
    ['check service --nodes 3', '--nodes is for an algorithm, not for "service": take --members'],
    ['check service --topology line', '--topology is for an algorithm, not for "service": leave'],
    ['check service --losses 1', '--losses is for an algorithm, not for "service": leave it out'],
    ['check service --entries 2,1', '--entries: each caller of the service makes one number'],
    ['nonsense', "unknown command 'nonsense': latchkey help has all commands"],
    ['replay /', 'replay cannot read "/": it is a directory'],
    ['check raymond --links ordered', '--links takes any or fifo, got "ordered"'],
    [
      'check raymond --entries 1,2',
      'entries 1,2 is for 2 sites, and there are 3: give one number, or 3',
    ],
    [
      'check raymond --k 2',
      'raymond lets one in at a time, not 2: leave --k out, or take one that has k',
    ],
    ['check lamport --as-printed', 'lamport has no printed form'],
    ['simulate raymond --workload sometimes', 'there is no workload "sometimes"'],
    [
      'simulate raymond --workload script',
      '--workload script takes a file, as in script:requests.txt',
    ],
    ['simulate raymond --faults nowhere.json', '--faults cannot read "nowhere.json": no such file'],
    [
      'simulate lamport raymond --trace x',
      '--trace is of one run: name one algorithm, and leave --replications out',
    ],
    ['simulate raymond --trace /nowhere/x.jsonl', '--trace cannot write "/nowhere/x.jsonl"'],
    ['simulate raymond --readers 1.5', '--readers takes a number, from 0 to 1, got "1.5"'],
  ])('%s', (call, message) => {
    const { status, stdout, stderr } = latchkey(call);
    expect(stderr.startsWith(`latchkey: ${message}`), stderr).toBe(true);
    expect(stderr.trimEnd()).not.toContain('\n');
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });
  test('a broken fault file', () => {
    const faults = file('broken.json', '[{ "at": 5, "crash": 9 }]');
    const { status, stderr } = latchkey(`simulate raymond --faults ${faults}`);
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^latchkey: entry 1 of the faults.*a site is a whole number from 0 to 4, got 9\n$/,
    );
  });
});
