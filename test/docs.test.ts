/** What is written about the code is true of the code: generated pages are fresh, examples compile. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
