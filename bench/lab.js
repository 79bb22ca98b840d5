/**
 * `npm run bench -- lab`, or `node bench/lab.js` after a build: the lab in Chromium. How fast it draws large runs,
 * how soon it shows what happens in a running group, and what watching costs that group.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { drawing } from './lab/drawing.js';
import { cost, delays } from './lab/live.js';

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--enable-precise-memory-info'];
const PROGRAM = fileURLToPath(new URL('../bin/latchkey.js', import.meta.url));

/** The lab at that address; without one, served by `latchkey lab`. */
async function openLab(address) {
  const server =
    address === undefined ? spawn(process.execPath, [PROGRAM, 'lab', '--port', '0']) : undefined;
  const url = address ?? (await said(server, /http:\S+/));
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
  const until = async (page, expression) => {
    while (!(await page.evaluate(`Boolean(${expression})`))) await page.waitForTimeout(20);
  };
  return {
    until,
    async open(hash) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      await page.goto(`${url}${hash}`);
      await until(page, 'globalThis.lab?.picture.value !== undefined');
      await page.evaluate('lab.isPlaying.value = false');
      return page;
    },
    async close() {
      await browser.close();
      server?.kill('SIGINT');
    },
  };
}

const said = (child, pattern) =>
  new Promise((resolve) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const found = pattern.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
  });

const quarter = (all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 4)];
const numbers = (all) => all.map((value) => value.toFixed(1)).join(', ');

export async function labBench() {
  const lab = await openLab();
  const drawn = await drawing(lab);
  await lab.close();
  const { handOver, slowest, killed } = await delays(openLab, 9);
  const { perSecond, ratio, ratios, kilobytes } = await cost(10, 2);
  const rows = drawn.map(
    ({ name, p95, frames, heap }) =>
      `| ${name} | ${numbers(p95)} | ${frames.map(Math.round).join(', ')} | ${heap.toFixed(0)} MB |`,
  );
  return `At five zooms, from the whole run to one screen; 60 frames each, panning, without a graphics card. Limits: 8 ms, 50
frames a second, 300 MB and 400 MB for a million steps.

| run | drawing, p95 in ms | frames a second | heap |
|---|---|---|---|
${rows.join('\n')}

A running group of three processes, watched through the page of one of them:

| what | measured | limit |
|---|---|---|
| a hand-over is seen after | ${handOver.toFixed(0)} ms (slowest of nine: ${slowest.toFixed(0)} ms) | 300 ms |
| a killed member is seen after | ${killed.toFixed(0)} ms | 2,000 ms |
| throughput while a page watches the lock | ${(100 * ratio).toFixed(1)} % of ${Math.round(perSecond).toLocaleString('en')} entries a second (median of ${ratios.length} turns, a quarter of them below ${(100 * quarter(ratios)).toFixed(0)} %) | 95 % |
| what the page is sent | ${Math.round(kilobytes).toLocaleString('en')} kB a second | – |`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${await labBench()}\n`);
}
