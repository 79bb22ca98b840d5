/** Large runs in the lab: what there is to draw, and what they take. How long that takes is for `bench/lab.js`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumIsThere, type Lab, startLab } from '../support/lab.ts';

describe.skipIf(!chromiumIsThere)('large runs in the lab (install chromium to run this)', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab();
  }, 60_000);
  afterAll(() => lab.close());

  // By how many steps, and from which view; a million steps are a matter of half a minute.
  test.each([
    [
      '100,000 steps of Ricart and Agrawala',
      '#v=1&a=ricart-agrawala&n=10&load=saturated&entries=5000',
      95_000,
    ],
    [
      '100,000 steps of relative consensus voting',
      '#v=1&a=relative-consensus-voting&n=10&load=saturated&entries=11000',
      95_000,
    ],
    [
      'a million steps of Ricart and Agrawala',
      '#v=1&a=ricart-agrawala&n=10&load=saturated&entries=50000',
      950_000,
    ],
  ])(
    '%s: at no zoom are there more than some thousand marks to draw',
    async (_, hash, least) => {
      const page = await lab.open(hash);
      expect(await page.evaluate('lab.steps.value')).toBeGreaterThan(least);
      const marks: number[] = [];
      // From the whole run to what fits a screen.
      for (const part of [1, 0.1, 0.01, 0.001, 0.0003]) {
        await page.evaluate(`(async () => {
          const { length } = lab.picture.value.axis;
          lab.look(length * 0.4, length * ${part});
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        })()`);
        marks.push(
          (await page.evaluate(
            "(({ arrows, bars, dots, labels }) => arrows.length + bars.length + dots.length + labels.length)(document.querySelector('canvas.diagram').scene)",
          )) as number,
        );
      }
      const memory = (await page.evaluate('performance.memory.usedJSHeapSize / 2 ** 20')) as number;
      expect(Math.max(...marks)).toBeLessThan(10_000);
      expect(memory).toBeLessThan(300);
      await page.context().close();
    },
    180_000,
  );
});
