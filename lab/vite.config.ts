import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { leftOut } from './left-out.ts';
import { papersData } from './papers-data.ts';
import { parserParts } from './parser-parts.ts';
import { unshown } from './unshown.ts';

/** The lab as a folder that any static host serves: no absolute path, nothing from elsewhere. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: {
    format: 'es',
    plugins: () => [leftOut(), unshown()],
    // Hints for another bundler: none comes after this one.
    rolldownOptions: { output: { comments: false } },
  },
  plugins: [papersData(), parserParts()],
  build: {
    outDir: fileURLToPath(new URL('../dist/lab', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The parts that are loaded later are few and small: loading them ahead is not worth its code.
    modulePreload: false,
  },
});
