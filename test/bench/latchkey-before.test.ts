/** The build that `npm run bench -- locks` compares ours with. */
import { execFileSync } from 'node:child_process';
import { relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const dist = resolve('dist');

/** Runs a line of JavaScript with `contestant` of that build. */
const run = (before: string, code: string): string => {
  const program = `import { contestant } from './bench/contestants/latchkey-before.js';\n${code}`;
  const env = { ...process.env, LATCHKEY_BEFORE: before };
  const settings = { env, encoding: 'utf8' } as const;
  return execFileSync('node', ['--input-type=module', '-e', program], settings).trim();
};

describe('LATCHKEY_BEFORE', () => {
  test.each([dist, `${dist}/`, relative('.', dist)])('%s is a build', (before) => {
    const code = `
      console.log(contestant.available());
      const place = { addresses: ['127.0.0.1:0'], rules: {} };
      const member = await contestant.open(place, 0);
      console.log(typeof member);
      process.exit();`;
    expect(run(before, code)).toBe('true\nobject');
  });

  test.each(['', '/nowhere', 'src'])('"%s" is none, and the bench says so', (before) => {
    const said = run(before, 'console.log(contestant.available())');
    expect(said).toMatch(before === '' ? /names no build/ : /: no build is there: give the dist/);
  });
});
