/** Large runs in the lab: what there is to draw, and what they take. How long that takes is for `bench/lab.js`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumIsThere, type Lab, memoryOf, startLab } from '../support/lab.ts';

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
      300,
    ],
    [
      '100,000 steps of relative consensus voting',
      '#v=1&a=relative-consensus-voting&n=10&load=saturated&entries=11000',
      95_000,
      300,
    ],
    [
      'a million steps of Ricart and Agrawala',
      '#v=1&a=ricart-agrawala&n=10&load=saturated&entries=50000',
      950_000,
      400,
    ],
  ])(
    '%s: at no zoom are there more than some thousand marks to draw',
    async (_, hash, least, megabytes) => {
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
      expect(Math.max(...marks)).toBeLessThan(3_000);
      // Of the whole process, with its workers.
      expect(await memoryOf(page)).toBeLessThan(megabytes);
      await page.context().close();
    },
    180_000,
  );

  test('a message that is under way for the whole run does not keep the others from being seen', async () => {
    const page = await lab.open(
      '#v=1&a=suzuki-kasami&n=5&load=saturated&entries=3000&break=2.delay.4.to.4.by.1000000',
    );
    const rows = (await page.evaluate(
      '(({ steps, endedAt }) => ({ steps, longest: Math.max(...endedAt.slice(0, 8)) }))(lab.picture.value.loaded.rows)',
    )) as { steps: number; longest: number };
    expect(rows.steps).toBeGreaterThan(15_000);
    expect(rows.longest).toBe(rows.steps - 1);
    await page.evaluate(`(async () => {
      const { drawn } = lab.picture.value;
      lab.look(drawn[9000], drawn[9060] - drawn[9000]);
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    })()`);
    const { detail, arrows } = (await page.evaluate(
      "(({ detail, arrows }) => ({ detail, arrows: arrows.length }))(document.querySelector('canvas.diagram').scene)",
    )) as { detail: string; arrows: number };
    expect(detail).toBe('full');
    expect(arrows).toBeGreaterThan(20);
    await page.context().close();
  }, 60_000);
});
