/** Arrows that can be told apart: none seems to begin or to end at a step that it passes. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../src/algorithms/catalogue.ts';
import { chromiumIsThere, follow, type Lab, startLab, until, untilDrawn } from '../support/lab.ts';

/** A dot has a radius of 2.4 pixels, and the line of a token is 2.6 wide. */
const TOO_NEAR = 4;

interface Arrows {
  readonly all: number;
  readonly bent: number;
  readonly misread: readonly string[];
}

/** How many arrows there are, and which of them pass over a step of a site that they do not concern. */
const arrowsOf = (page: Page): Promise<Arrows> =>
  page.evaluate(`(() => {
    const { scene, picture } = document.querySelector('canvas.diagram');
    const { rows, lanes } = picture.loaded;
    const laneOf = (site) => lanes.indexOf(site);
    const misread = [];
    for (const { x1, y1, x2, y2, bend, copy, fate } of scene.arrows) {
      if (fate !== 1) continue;
      const [from, to] = [laneOf(rows.from[copy]), laneOf(rows.to[copy])];
      const [dx, dy] = [x2 - x1, y2 - y1];
      const length = Math.hypot(dx, dy);
      for (const { x, y, step } of scene.dots) {
        const lane = laneOf(rows.site[step]);
        if ((lane - from) * (lane - to) >= 0) continue;
        for (let part = 0; part <= 1; part += 0.002) {
          const aside = (4 * part * (1 - part) * bend) / length;
          if (Math.hypot(x1 + part * dx - aside * dy - x, y1 + part * dy + aside * dx - y) < ${TOO_NEAR}) {
            misread.push(rows.from[copy] + ' to ' + rows.to[copy] + ' at step ' + (step + 1));
            break;
          }
        }
      }
    }
    return { all: scene.arrows.length, bent: scene.arrows.filter(({ bend }) => bend !== 0).length, misread };
  })()`) as Promise<Arrows>;

describe.skipIf(!chromiumIsThere)('arrows in Chromium (install chromium to run this)', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab();
  }, 60_000);
  afterAll(() => lab.close());

  test('in the counterexample of each published error no arrow passes over the step of another site', async () => {
    const page = await lab.open('#v=1&view=check');
    const errata = page.locator('.errata li button');
    const misread: string[] = [];
    let bent = 0;
    for (let i = 0; i < (await errata.count()); i++) {
      await page.evaluate("document.querySelector('.errata details').open = true");
      await errata.nth(i).click();
      await until(page, "document.querySelector('.progress') === null");
      await page.locator('.counterexample canvas').waitFor();
      await untilDrawn(page);
      await until(page, "document.querySelector('.counterexample canvas').picture !== undefined");
      const arrows = await arrowsOf(page);
      const name = await errata.nth(i).textContent();
      misread.push(...arrows.misread.map((which) => `${name}: ${which}`));
      bent += arrows.bent;
    }
    expect(misread).toEqual([]);
    expect(bent).toBeGreaterThan(2);
    await page.context().close();
  }, 120_000);

  test('in runs of all algorithms, fewer than one arrow in a hundred passes over the step of another site', async () => {
    const page = await lab.open('#v=1');
    const misread: string[] = [];
    let all = 0;
    for (const { id } of catalogue) {
      await follow(page, `#v=1&a=${id}&n=5&entries=20&at=15`);
      const arrows = await arrowsOf(page);
      misread.push(...arrows.misread.map((which) => `${id}: ${which}`));
      all += arrows.all;
    }
    expect(all).toBeGreaterThan(1_000);
    expect(misread.length, misread.join('; ')).toBeLessThan(all / 100);
    await page.context().close();
  }, 120_000);
});
