/** At build time: the algorithms without texts that no view shows: where a paper appeared, which faults an algorithm recovers from. */
import type { Plugin } from 'vite';

const ALGORITHMS = /src\/algorithms\/.*\.ts$/;
/** A property of an object at the top of a file, up to the next one. */
const UNSHOWN = /^ {2}(?:paper|recovers|reading|charitable|published):[\s\S]*?(?=^ {2}[\w.]|^})/gm;

export const unshown = (): Plugin => ({
  name: 'unshown',
  enforce: 'pre',
  transform: (code, id) => (ALGORITHMS.test(id) ? code.replace(UNSHOWN, '') : undefined),
});
