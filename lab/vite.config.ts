import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { papersData } from './papers-data.ts';
import { parserParts } from './parser-parts.ts';

/** The lab as a folder that any static host serves: no absolute path, nothing from elsewhere. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es' },
  plugins: [papersData(), parserParts()],
  build: {
    outDir: fileURLToPath(new URL('../dist/lab', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
  },
});
