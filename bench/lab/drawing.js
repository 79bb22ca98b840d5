/** How fast large runs are drawn in Chromium, and what they take. */

const RUNS = {
  '100,000 steps of Ricart and Agrawala': '#v=1&a=ricart-agrawala&n=10&load=saturated&entries=5000',
  '100,000 steps of relative consensus voting':
    '#v=1&a=relative-consensus-voting&n=10&load=saturated&entries=11000',
  '1,000,000 steps of Ricart and Agrawala':
    '#v=1&a=ricart-agrawala&n=10&load=saturated&entries=50000',
};
/** From the whole run to what fits a screen. */
const ZOOMS = [1, 0.1, 0.01, 0.001, 0.0003];
const FRAMES = 60;

/** Pans through the run, a frame at a time: how long each drawing took, and how many frames a second there were. */
const panning = (part) => `(async () => {
  const { length } = lab.picture.value.axis;
  const drawn = [];
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  await frame();
  const began = performance.now();
  for (let i = 0; i < ${FRAMES}; i++) {
    lab.look(length * (0.2 + (0.5 * i) / ${FRAMES} * ${part}), length * ${part});
    await frame();
    drawn.push(document.querySelector('canvas.diagram').drawnIn);
  }
  const perSecond = (1000 * ${FRAMES}) / (performance.now() - began);
  return { drawn: drawn.sort((a, b) => a - b), perSecond };
})()`;

/** Plays from the middle of the run for so long: how many frames a second there were. */
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
  for (; performance.now() < began + ${ms}; frames++) await frame();
  lab.isPlaying.value = false;
  return (1000 * frames) / (performance.now() - began);
})()`;

export async function drawing(lab) {
  const lines = [];
  for (const [name, hash] of Object.entries(RUNS)) {
    const page = await lab.open(hash);
    const steps = await page.evaluate('lab.steps.value');
    const p95 = [];
    const frames = [];
    const played = [];
    for (const part of ZOOMS) {
      const { drawn, perSecond } = await page.evaluate(panning(part));
      p95.push(drawn[Math.floor(0.95 * drawn.length)]);
      frames.push(perSecond);
      played.push(await page.evaluate(playing(part, 1500)));
    }
    const heap = await page.evaluate('performance.memory.usedJSHeapSize / 2 ** 20');
    lines.push({ name, steps, p95, frames, played, heap });
    await page.context().close();
  }
  return lines;
}
