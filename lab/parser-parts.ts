/** At build time: the parser of sucrase without Flow and JSX, which code in the editor is never parsed as. */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const UNUSED = /sucrase\/dist\/esm\/parser\/plugins\/(flow|jsx\/index)\.js$/;

export const parserParts = (): Plugin => ({
  name: 'parser-parts',
  load(id) {
    if (!UNUSED.test(id)) return undefined;
    const names = [...readFileSync(id, 'utf8').matchAll(/^export function (\w+)/gm)];
    return names.map(([, name]) => `export const ${name} = () => false;`).join('\n');
  },
});
