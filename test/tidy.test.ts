/** The shape of the code base, as a test: who may import whom, who may touch the machine, what is dead. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

// Listed bottom up. A folder may import from those named, and from itself.
const PURE_CORE = ['core', 'topologies'];
const layers: Record<string, { readonly imports: readonly string[]; readonly pure: boolean }> = {
  core: { imports: [], pure: true },
  topologies: { imports: ['core'], pure: true },
  algorithms: { imports: PURE_CORE, pure: true },
  sim: { imports: PURE_CORE, pure: true },
  check: { imports: PURE_CORE, pure: true },
  papers: { imports: [...PURE_CORE, 'algorithms', 'sim', 'check'], pure: true },
  group: { imports: [...PURE_CORE, 'algorithms'], pure: true },
  net: { imports: ['core'], pure: false },
  engines: { imports: ['core', 'group', 'net'], pure: false },
  locks: { imports: ['core', 'group'], pure: false },
  member: {
    imports: [...PURE_CORE, 'algorithms', 'group', 'net', 'engines', 'locks'],
    pure: false,
  },
  cli: {
    imports: [
      ...[...PURE_CORE, 'algorithms', 'sim', 'check', 'papers'],
      ...['group', 'net', 'engines', 'locks', 'member'],
    ],
    pure: false,
  },
};
const IMPURE =
  /from 'node:|\bDate\b|\bMath\.random\b|\bperformance\b|\bset(Timeout|Interval|Immediate)\b|\bprocess\b|\bconsole\b/;

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((f) =>
  f.endsWith('.ts'),
);
const textOf = (file: string): string => readFileSync(join('src', file), 'utf8');
const folderOf = (file: string): string => file.split('/')[0]!;

/** The code without its comments, which may speak of anything. */
const codeOf = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*/g, '');

/** And without its sentences: a string with a blank in it names no variable. */
const wordless = (code: string): string =>
  code.replace(/'[^'\n]*'|"[^"\n]*"/g, (text) => (text.includes(' ') ? "''" : text));

function strangers(file: string, text: string): string[] {
  const folder = folderOf(file);
  const allowed = [folder, ...(layers[folder]?.imports ?? [])];
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)]
    .map(([, target]) => folderOf(relative('src', join('src', dirname(file), target!))))
    .filter((imported) => !allowed.includes(imported));
}

describe('layers', () => {
  test('every folder is in the table', () => {
    expect([...new Set(files.map(folderOf))].filter((f) => !(f in layers))).toEqual([]);
  });
  test.each(files)('%s imports only what lies below it', (file) => {
    expect(strangers(file, textOf(file))).toEqual([]);
  });
  test('a stranger would be seen', () => {
    expect(strangers('core/x.ts', "import { a } from '../sim/a.ts';")).toEqual(['sim']);
    expect(strangers('sim/x.ts', "await import('../check/a.ts')")).toEqual(['check']);
  });
});

describe('pure folders know no clock, no chance and no machine', () => {
  const pure = files.filter((file) => layers[folderOf(file)]?.pure);
  test.each(pure)('%s', (file) => {
    // Quotations from the papers may speak of processes.
    expect(wordless(codeOf(textOf(file)))).not.toMatch(IMPURE);
    // Nor any library: what runs in a browser and in a replay is what is here.
    expect(codeOf(textOf(file))).not.toMatch(/^(?:import|export|\}).*from '[^.]/m);
  });
  test('a glance at the clock would be seen', () => {
    expect(codeOf('const t = Date.now(); // fine')).toMatch(IMPURE);
    expect(codeOf('// Date\n/* process */ let a = 1;')).not.toMatch(IMPURE);
    expect(wordless("f('a', process.env, 'b');")).toMatch(IMPURE);
    expect(wordless("f('A process waits.', 1);")).not.toMatch(IMPURE);
  });
});

describe('nothing is dead', () => {
  test('no file, export or dependency is unused', () => {
    const { stdout } = spawnSync('npx', ['knip', '--no-progress'], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });
});

describe('size', () => {
  test.each(files)('%s is one idea', (file) => {
    expect(textOf(file).split('\n').length).toBeLessThan(300);
  });
});
