/** docs/safety.md names a test for each failure: its file is there, and has what the page names. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Each row of the tables about failures: what fails, what happens, what is promised, which test shows it. */
const rows = readFileSync('docs/safety.md', 'utf8')
  .split(/^\| failure \|.*\n\|[-|]+\n/m)
  .slice(1)
  .flatMap((part) => part.split('\n\n')[0]!.trim().split('\n'))
  .map((line) => line.slice(2, -2).split(' | '));

test('the page has a row for each failure', () => {
  expect(rows.length).toBeGreaterThan(15);
});

test.each(rows)('%s: a test shows it', (_failure, _happens, _promise, tests) => {
  for (const named of tests!.split('; ')) {
    const [, name = '', part = ''] = /^`([a-z/-]+)`(?:: (.+))?$/.exec(named) ?? [];
    const file = [`test/${name}.test.ts`, `test/${name}.ts`].find((path) => existsSync(path));
    expect(file, named).toBeDefined();
    expect(readFileSync(file!, 'utf8'), named).toContain(part.replace(/ …$/, ''));
  }
});
