/** SECURITY.md: every promise has a test, and every test that it names exists. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const page = readFileSync('SECURITY.md', 'utf8');
const rows = [...page.matchAll(/^\| \[(\d+)\] \| (\S+) \| (.+) \|$/gm)].map(
  ([, number, file, title]) => ({ number: Number(number), file: file!, title: title! }),
);

/** Whether the title is a whole string in the source of the tests. */
function hasTitle(file: string, title: string): boolean {
  if (!existsSync(file)) return false;
  const source = readFileSync(file, 'utf8');
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
}

describe('SECURITY.md', () => {
  test.each(rows)('[$number] $file: $title', ({ file, title }) => {
    expect(hasTitle(file, title)).toBe(true);
  });

  test('numbers its tests from 1 up, and refers to each of them', () => {
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, i) => i + 1));
    const text = page.slice(0, page.indexOf('## The tests'));
    const referred = new Set([...text.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)));
    expect([...referred].sort((a, b) => a - b)).toEqual(rows.map(({ number }) => number));
  });

  test('each cell of its tables refers to a test, or says that it is like the cell before', () => {
    const tables = page.slice(0, page.indexOf('## The tests')).split('\n');
    const bare = tables
      .filter((line) => line.startsWith('| ') && !/^\| (party|attempt) /.test(line))
      .flatMap((line) => {
        const cells = line.slice(2, -2).split(' | ').slice(1);
        // In the tables of attempts the last cell has the tests of the row.
        return cells.length > 2 ? cells : cells.slice(1);
      })
      .filter((cell) => !/\[\d+\]|^the same|^is not limited$/.test(cell));
    expect(bare).toEqual([]);
  });

  test('a title that no test has is found', () => {
    expect(hasTitle('test/security.test.ts', 'a title that no test has is found')).toBe(true);
    expect(hasTitle('test/security.test.ts', ['a title', 'that no test'].join(' '))).toBe(false);
    expect(hasTitle('test/nowhere.test.ts', 'anything')).toBe(false);
  });

  test('is in the package', () => {
    const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
    expect(files).toContain('SECURITY.md');
  });
});

describe('the lockfile', () => {
  interface Package {
    readonly integrity?: string;
    readonly optional?: boolean;
    readonly cpu?: readonly string[];
    readonly os?: readonly string[];
  }
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: { readonly [path: string]: Package };
  };
  const isFor =
    (platform: string, arch: string) =>
    ({ os, cpu }: Package): boolean =>
      (os?.includes(platform) ?? true) && (cpu?.includes(arch) ?? true);

  test('has an integrity hash for every package that is always installed', () => {
    const bare = Object.entries(packages)
      .filter(([path, { integrity, optional }]) => path !== '' && !integrity && !optional)
      .map(([path]) => path);
    expect(bare).toEqual([]);
    expect(Object.keys(packages).length).toBeGreaterThan(100);
  });
  test.each(['x64', 'arm64'])('has one for every package that Linux on %s may install', (arch) => {
    const bare = Object.entries(packages)
      .filter(([path, each]) => path !== '' && !each.integrity && isFor('linux', arch)(each))
      .map(([path]) => path);
    expect(bare).toEqual([]);
  });
});
