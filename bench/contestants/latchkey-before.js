/** Another build of Latchkey: `LATCHKEY_BEFORE` is the folder of its `dist`, with a slash at its end. */
import { pathToFileURL } from 'node:url';
import { latchkey } from './latchkey.js';

const folder = process.env.LATCHKEY_BEFORE;

export const contestant = {
  ...latchkey('Latchkey before', {}, folder && pathToFileURL(folder)),
  file: import.meta.url,
  note: 'the build in LATCHKEY_BEFORE',
  available: () => (folder ? true : 'LATCHKEY_BEFORE names no build'),
};
