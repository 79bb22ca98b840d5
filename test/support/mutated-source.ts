/** Copies of the source with one change each: what tests them must find the change. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';

export interface Change {
  /** In the folder that is copied. */
  readonly file: string;
  /** A text that stands in the file exactly once. */
  readonly line: string;
  readonly becomes: string;
}

/** For one test file. Returns how to make a copy: its folder, in place of `src`. */
export function copiesOfSource(name: string): (change: Change) => string {
  const place = placesFor(name);
  return (change) => {
    const copy = place();
    cpSync('src', copy, { recursive: true });
    apply('src', copy, change);
    return copy;
  };
}

/** The same for changes of `src` and `test/support`, by their whole paths: the copy has both. */
export function copiesWithSupport(name: string): (changes: readonly Change[]) => string {
  const place = placesFor(name);
  return (changes) => {
    const copy = place();
    for (const part of ['src', 'test/support']) cpSync(part, join(copy, part), { recursive: true });
    for (const change of changes) apply(copy, copy, change);
    return copy;
  };
}

function placesFor(name: string): () => string {
  const folder = resolve(`test/.mutants/${name}-${process.pid}`);
  let copies = 0;
  beforeAll(() => mkdirSync(folder, { recursive: true }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return () => join(folder, `${++copies}`);
}

function apply(from: string, to: string, { file, line, becomes }: Change): void {
  const source = readFileSync(join(from, file), 'utf8');
  expect(source.split(line).length - 1, `"${line}" stands once in ${file}`).toBe(1);
  writeFileSync(
    join(to, file),
    source.replace(line, () => becomes),
  );
}
