import { basename, dirname, relative } from 'node:path';

/** How this program was called, so that the commands which we print work when pasted. */
export function myself(): string {
  const script = process.argv[1] ?? '';
  if (basename(script) !== 'latchkey.js') return 'latchkey';
  if (basename(dirname(script)) === '.bin') return 'npx latchkey';
  return `node ${relative(process.cwd(), script)}`;
}
