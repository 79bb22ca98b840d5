/** docs/checked.json: the result of each row, one line each, in the order of the plan. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { keyOf } from './plan.js';

const FILE = new URL('../../docs/checked.json', import.meta.url);

/** @returns {Map<string, import('./search.js').Found>} */
export function readResults() {
  if (!existsSync(FILE)) return new Map();
  return new Map(Object.entries(JSON.parse(readFileSync(FILE, 'utf8'))));
}

/** Rows that are no longer in the plan are left out. */
export function writeResults(plan, results) {
  const lines = plan
    .map(keyOf)
    .filter((key) => results.has(key))
    .map((key) => `${JSON.stringify(key)}: ${JSON.stringify(results.get(key))}`);
  // The file is replaced as a whole, so that an interruption leaves no partial file.
  const draft = new URL(`${FILE}.part`);
  writeFileSync(draft, `{\n${lines.join(',\n')}\n}\n`);
  renameSync(draft, FILE);
}
