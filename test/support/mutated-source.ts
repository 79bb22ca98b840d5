/** Copies of the source with one change each: what tests them must find the change. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';

export interface Change {
  /** In `src`. */
  readonly file: string;
  /** A text that stands in the file exactly once. */
  readonly line: string;
  readonly becomes: string;
}

/** For one test file. Returns how to make a copy: its folder, in place of `src`. */
export function copiesOfSource(name: string): (change: Change) => string {
  const folder = resolve(`test/.mutants/${name}-${process.pid}`);
  let copies = 0;
  beforeAll(() => mkdirSync(folder, { recursive: true }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return ({ file, line, becomes }) => {
    const source = readFileSync(join('src', file), 'utf8');
    expect(source.split(line).length - 1, `"${line}" stands once in ${file}`).toBe(1);
    const copy = join(folder, `${++copies}`);
    cpSync('src', copy, { recursive: true });
    writeFileSync(
      join(copy, file),
      source.replace(line, () => becomes),
    );
    return copy;
  };
}
