#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/cli/main.js', import.meta.url);
if (!existsSync(main)) {
  console.error('latchkey: not built yet: run npm ci, or npm run build, in its folder');
  process.exit(2);
}
const { run } = await import(main.href);
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  // Not 1, which is an answer.
  console.error('latchkey: this is a defect of latchkey, and no answer; please report it:');
  console.error(error);
  process.exitCode = 70;
}
