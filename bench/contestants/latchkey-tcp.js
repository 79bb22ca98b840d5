import { latchkey } from './latchkey.js';

export const contestant = latchkey('Latchkey, TCP alone', { shortcut: false });
