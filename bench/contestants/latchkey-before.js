/** Another build of Latchkey: `LATCHKEY_BEFORE` is its `dist` folder. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { latchkey } from './latchkey.js';

const folder = process.env.LATCHKEY_BEFORE;

export const contestant = {
  // With a slash at its end: without one, its last part would be replaced.
  ...latchkey('Latchkey before', {}, folder && pathToFileURL(join(folder, '/'))),
  file: import.meta.url,
  note: 'the build in LATCHKEY_BEFORE',
  available() {
    if (!folder) return 'LATCHKEY_BEFORE names no build';
    const isBuild = existsSync(join(folder, 'member/join.js'));
    return isBuild || `LATCHKEY_BEFORE=${folder}: no build is there: give the dist folder of one`;
  },
};
