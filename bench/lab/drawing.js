/** How much work a frame of a large run is in Chromium, and how much memory the run takes. */
import { readFileSync } from 'node:fs';

const RUNS = {
  '100,000 steps of Ricart and Agrawala': '#v=1&a=ricart-agrawala&n=10&load=saturated&entries=5000',
  '100,000 steps of relative consensus voting':
    '#v=1&a=relative-consensus-voting&n=10&load=saturated&entries=11000',
  '1,000,000 steps of Ricart and Agrawala':
    '#v=1&a=ricart-agrawala&n=10&load=saturated&entries=50000',
};
/** From the whole run to what fits a screen. */
const ZOOMS = [1, 0.1, 0.01, 0.001, 0.0003];
/** More of them, so that no amount of detail is left out: each shows a third less than the one before. */
const ALL_ZOOMS = Array.from({ length: 20 }, (_, i) => 0.66 ** i);
const FRAMES = 60;

/** Pans through the run, a frame at a time, with a mark in the trace before each frame: frames a second. */
const panning = (part, frames, isMoving = true) => `(async () => {
  const { length } = lab.picture.value.axis;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  await frame();
  const began = performance.now();
  for (let i = 0; i < ${frames}; i++) {
    performance.mark('latchkey frame');
    if (${isMoving}) lab.look(length * (0.2 + (0.5 * i) / ${frames} * ${part}), length * ${part});
    await frame();
  }
  performance.mark('latchkey frame');
  return (1000 * ${frames}) / (performance.now() - began);
})()`;

/** Plays from the middle of the run for so long, with the same marks: frames a second. */
const playing = (part, ms) => `(async () => {
  const { length } = lab.picture.value.axis;
  lab.look(length * 0.5, length * ${part});
  lab.at.value = lab.picture.value.firstStep(length * (0.5 + 0.4 * ${part}));
  lab.speed.value = 16;
  lab.isPlaying.value = true;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  await frame();
  const began = performance.now();
  let frames = 0;
  for (; performance.now() < began + ${ms}; frames++) {
    performance.mark('latchkey frame');
    await frame();
  }
  performance.mark('latchkey frame');
  lab.isPlaying.value = false;
  return (1000 * frames) / (performance.now() - began);
})()`;

/**
 * Milliseconds of processor time that the page's main thread takes for each frame, in order: scripts, styles, layout,
 * and the pixels of the canvas. A wall clock would also count the time in which other programs have the processor.
 */
async function workOf(page, script) {
  const browser = page.context().browser();
  await page.waitForTimeout(250); // the table for screen readers follows once the window is at rest
  await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] });
  const perSecond = await page.evaluate(script);
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
  const marks = traceEvents.filter(({ name }) => name === 'latchkey frame');
  const [{ pid, tid }] = marks;
  const tasks = traceEvents.filter(
    (event) => event.pid === pid && event.tid === tid && event.ph === 'X' && event.tdur > 0,
  );
  const times = marks.map(({ ts }) => ts).sort((a, b) => a - b);
  const work = new Array(times.length - 1).fill(0);
  let end = 0;
  for (const { ts, dur, tdur } of tasks.sort((a, b) => a.ts - b.ts)) {
    if (ts < end) continue; // within the task before
    end = ts + dur;
    const frame = times.findLastIndex((time) => time <= ts + dur);
    if (frame >= 0 && frame < work.length) work[frame] += tdur / 1000;
  }
  return { work: work.sort((a, b) => a - b), perSecond };
}

export const p95 = (sorted) => sorted[Math.floor(0.95 * sorted.length)];

/** Megabytes that the process of the page has in memory, shared libraries included. */
async function memoryOf(page) {
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))[1]);
  return Math.max(...sizes) / 1024;
}

/** Milliseconds from the beginning of the navigation to the first frame with a diagram, in a fresh profile each time. */
export async function firstViews(lab, times) {
  const all = [];
  for (let i = 0; i < times; i++) {
    const page = await lab.open('', { isAwaited: false });
    all.push(
      await page.evaluate(`new Promise((done) => {
        const look = () => {
          const isDrawn = document.querySelector('canvas.diagram')?.scene !== undefined;
          if (isDrawn) done(performance.now());
          else requestAnimationFrame(look);
        };
        look();
      })`),
    );
    await page.context().close();
  }
  return all.sort((a, b) => a - b);
}

export async function drawing(lab) {
  const lines = [];
  for (const [name, hash] of Object.entries(RUNS)) {
    const page = await lab.open(hash);
    const line = { name, panned: [], played: [], worst: 0 };
    const idle = p95((await workOf(page, panning(1, FRAMES, false))).work);
    for (const part of ZOOMS) {
      line.panned.push(await workOf(page, panning(part, FRAMES)));
      line.played.push(await workOf(page, playing(part, 1500)));
    }
    for (const part of ALL_ZOOMS) {
      line.worst = Math.max(line.worst, p95((await workOf(page, panning(part, FRAMES))).work));
    }
    lines.push({ ...line, idle, memory: await memoryOf(page) });
    await page.context().close();
  }
  return lines;
}
