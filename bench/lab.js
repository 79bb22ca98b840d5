/**
 * `npm run bench -- lab`, or `node bench/lab.js [drawing] [live]` after a build: the lab in Chromium. How fast it draws large runs,
 * how soon it shows what happens in a running group, and what watching costs that group.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { drawing, firstViews, p95 } from './lab/drawing.js';
import { cost, delays } from './lab/live.js';

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu'];
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
    async open(hash, { isAwaited = true } = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      await page.goto(`${url}${hash}`, { waitUntil: isAwaited ? 'load' : 'commit' });
      if (!isAwaited) return page;
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

const percent = (part) => `${(100 * part).toFixed(1)} %`;

async function drawingTable() {
  const lab = await openLab();
  const first = await firstViews(lab, 9);
  const drawn = await drawing(lab);
  await lab.close();
  const rows = drawn.map(({ name, panned, played, worst, idle, memory }) => {
    const numbers = [panned, played].flatMap((all) => [
      all.map(({ work }) => p95(work).toFixed(1)).join(', '),
      all.map(({ perSecond }) => perSecond.toFixed(0)).join(', '),
    ]);
    return `| ${name} | ${numbers.join(' | ')} | ${worst.toFixed(1)} | ${idle.toFixed(1)} | ${memory.toFixed(0)} MB |`;
  });
  return `At five zooms, from the whole run to one screen: 60 frames of panning, then 1.5 s of playing, without a graphics
card. The work of a frame is the processor time of the page's main thread, with everything that the browser does there:
scripts, layout, and the pixels of the canvas; 95 of 100 frames took less. The memory is that of the whole process of the page,
its workers included. Limits: 8 ms, 50 frames a second, 300 MB, and 400 MB for a million steps.

| run | panning: work of a frame, ms | frames a second | playing: work of a frame, ms | frames a second | work, the worst of 20 zooms | nothing moves | memory |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}

The first view, from the beginning of the navigation to the first frame with a diagram, in a fresh profile: median of nine
${first[4].toFixed(0)} ms, slowest ${first[8].toFixed(0)} ms. Limit: 1,000 ms.`;
}

async function liveTable() {
  const { handOver, slowest, killed } = await delays(openLab, 9);
  const { watched, others, cpu, kilobytes } = await cost(80, 0.6);
  return `A running group of three processes, watched through the page of one of them:

| what | measured | limit |
|---|---|---|
| a hand-over is seen after | ${handOver.toFixed(0)} ms (slowest of nine: ${slowest.toFixed(0)} ms) | 300 ms |
| a killed member is seen after | ${killed.toFixed(0)} ms | 2,000 ms |
| throughput while a page watches the lock | ${throughput(watched)} | 95 % |
| throughput of other locks meanwhile | ${throughput(others)} | 95 % |
| processor time that watching adds, of all members | ${percent(cpu.median)} of the machine's (90 % interval: ${cpu.interval.map(percent).join(' to ')}) | 5 % |
| what the page is sent | ${Math.round(kilobytes).toLocaleString('en')} kB a second | – |`;
}

const throughput = ({ perSecond, median, interval }) =>
  `${percent(median)} of ${Math.round(perSecond).toLocaleString('en')} entries a second (90 % interval: ${interval.map(percent).join(' to ')})`;

const PARTS = { drawing: drawingTable, live: liveTable };

export async function labBench(parts = Object.keys(PARTS)) {
  const tables = [];
  for (const part of parts) tables.push(await PARTS[part]());
  return tables.join('\n\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const parts = process.argv.slice(2);
  process.stdout.write(`${await labBench(parts.length > 0 ? parts : undefined)}\n`);
}
