/**
 * What is written about the code is true of the code: generated pages are fresh, examples compile, commands
 * print what is shown of them, and files that are named exist.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { algorithmsDoc } from './support/algorithms-doc.ts';
import { errataDoc } from './support/errata-doc.ts';

describe('generated pages are fresh (npm run docs)', { timeout: 240_000 }, () => {
  test('docs/algorithms.md', async () => {
    await expect(algorithmsDoc()).toMatchFileSnapshot('../docs/algorithms.md');
  });
  test('docs/errata.md', async () => {
    await expect(errataDoc()).toMatchFileSnapshot('../docs/errata.md');
  });
});

describe('examples compile', () => {
  const folder = `test/.examples/${process.pid}`;
  beforeAll(() => mkdirSync(folder, { recursive: true }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Blocks of TypeScript in Markdown, and in the comments of the public modules. */
  function examples(): { name: string; code: string }[] {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join('src', file));
    return ['README.md', ...sources].flatMap((file) => {
      const blocks = readFileSync(file, 'utf8').matchAll(
        /^( *\* )?```ts\n([\s\S]*?)^( *\* )?```/gm,
      );
      return [...blocks].map(([, , code], i) => ({
        name: `${file.replaceAll(/[/.]/g, '-')}-${i}`,
        code: code!.replaceAll(/^ *\* ?/gm, ''),
      }));
    });
  }

  test('all of them', () => {
    const found = examples();
    expect(found.length).toBeGreaterThan(3);
    for (const { name, code } of found)
      writeFileSync(join(folder, `${name}.ts`), `${code}\nexport {};\n`);
    const config = {
      extends: '../../../tsconfig.json',
      compilerOptions: {
        paths: {
          latchkey: ['../../../src/index.ts'],
          'latchkey/engines/*': ['../../../src/engines/*.ts'],
          'latchkey/*': ['../../../src/*/index.ts'],
        },
        noUnusedLocals: false,
      },
      include: ['*.ts'],
      exclude: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = spawnSync('npx', ['tsc', '-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });
});

describe('a command of the README prints what is shown below it', () => {
  const readme = readFileSync('README.md', 'utf8');
  const shown = [
    ...readme.matchAll(/```console\n\$ latchkey ((?:check|simulate) .*)\n([\s\S]*?)```/g),
  ].map(([, command, output]) => ({ command: command!, output: output! }));

  test('there are several', () => {
    expect(shown.length).toBeGreaterThan(3);
  });
  test.each(shown)('latchkey $command', { timeout: 60_000 }, ({ command, output }) => {
    const args = ['bin/latchkey.js', ...command.split(' ')];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const printed = stdout.split('\n').map((line) => line.trimEnd());
    // An ellipsis stands for the rest of a line.
    const isPrinted = (line: string) =>
      line.endsWith('…')
        ? printed.some((whole) => whole.startsWith(line.slice(0, -1).trimEnd()))
        : printed.includes(line.trimEnd());
    expect(output.split('\n').filter((line) => !isPrinted(line))).toEqual([]);
  });
});

test('the path of a request in ARCHITECTURE.md visits at most 20 files', () => {
  const page = readFileSync('ARCHITECTURE.md', 'utf8');
  const [, path] = /### One request, [^\n]*\n([\s\S]*?)\n\n[A-Z#]/.exec(page)!;
  const files = new Set(path!.match(/\b[a-z]+\/[a-z-]+\.ts/g));
  expect(files.size).toBeGreaterThan(15);
  expect(files.size).toBeLessThanOrEqual(20);
  expect([...files].filter((file) => !existsSync(join('src', file)))).toEqual([]);
});

describe('files that a page names exist', () => {
  const files = ['.ci', 'bench', 'bin', 'docs', 'lab', 'src', 'test']
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    );
  const atRoot = readdirSync('.');
  const exists = (name: string) =>
    atRoot.includes(name) || files.some((file) => file === name || file.endsWith(`/${name}`));
  // What a reader is to write, and where a project that uses the package finds it.
  const EXAMPLES = /your-id|^locks\.mjs$|^node_modules\//;

  /** The names of source files and pages in a text. */
  const namesIn = (text: string): string[] =>
    [...text.matchAll(/(?<![\w/.*-])(?:\.\.?\/)*([\w-][\w./-]*\.(?:ts|js|mjs|md))\b(?!\/)/g)]
      .map(([, name]) => name!)
      .filter((name) => !EXAMPLES.test(name));

  const pages = [
    ...['README', 'ARCHITECTURE', 'CONTRIBUTING', 'SECURITY'].map((name) => `${name}.md`),
    ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => join('docs', file)),
  ];
  test.each(pages)('%s', (page) => {
    expect(namesIn(readFileSync(page, 'utf8')).filter((name) => !exists(name))).toEqual([]);
  });
  test('a file that does not exist would be seen', () => {
    const names = namesIn('`a/gone.ts`, [b](../docs/gone.md) and src/*.ts; not your-id.ts.');
    expect(names).toEqual(['a/gone.ts', 'docs/gone.md']);
    expect(names.filter(exists)).toEqual([]);
  });
});
