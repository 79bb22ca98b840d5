/** Pictures of every view, wide and narrow, light and dark, for people to look at. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumIsThere, type Lab, shoot, startLab, until, untilDrawn } from '../support/lab.ts';

describe.skipIf(!chromiumIsThere)('pictures of the lab (install chromium to run this)', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab();
  }, 60_000);
  afterAll(() => lab.close());

  const shots: [name: string, hash: string][] = [
    ['first', ''],
    ['watch', '#v=1&at=24&site=3'],
    ['menu', '#v=1&at=24&site=3'],
    ['quorums', '#v=1&a=maekawa&n=9&rate=0.005&at=70&site=4'],
    ['break', '#v=1&at=34&break=20.crash.2'],
    ['compare', '#v=1&view=compare'],
    ['learn', '#v=1&view=learn&story=tree'],
    ['papers', '#v=1&view=papers&row=survey/singhal-light'],
    ['write', '#v=1&view=write'],
    ['check', '#v=1&view=check'],
  ];
  for (const [name, hash] of shots) {
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      test(`${name}, ${width} wide, light and dark`, async () => {
        const page = await lab.open(hash, { width, height });
        if (name === 'check') {
          await page.getByRole('button', { name: /Maekawa 1985: original/ }).click();
          await page.locator('.counterexample canvas').waitFor();
          await page.locator('.verdict').evaluate((verdict) => verdict.scrollIntoView());
        }
        if (name === 'menu') await page.keyboard.press('m');
        if (name === 'compare') await page.locator('.aligned canvas').nth(3).waitFor();
        if (name === 'papers') await page.locator('.row-body').scrollIntoViewIfNeeded();
        if (name === 'write') await page.getByRole('button', { name: 'Run it' }).click();
        if (name === 'write') await page.locator('canvas.diagram').scrollIntoViewIfNeeded();
        if (name === 'learn') await page.locator('canvas.diagram').waitFor();
        await untilDrawn(page);
        // A blank page is a page without words, or with a canvas of one colour.
        expect(((await page.textContent('main')) ?? '').length).toBeGreaterThan(100);
        const drawn = name === 'papers' ? 'true ||' : '';
        await until(
          page,
          `${drawn} document.querySelector('canvas.diagram').scene.dots.length > 0 || document.querySelector('canvas.diagram').scene.arrows.length > 0`,
        );
        const wide = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
        expect(wide, 'nothing sticks out to the side').toBe(true);
        await shoot(page, name);
        await page.context().close();
      }, 60_000);
    }
  }

  test('on a narrow screen the inspector is a sheet that a tap draws up', async () => {
    const page = await lab.open('#v=1&at=24&site=3', { width: 390, height: 844 });
    expect(await page.locator('.inspector').count()).toBe(0);
    await page.getByRole('button', { name: /^Step 24: / }).click();
    await page.locator('.sheet .inspector').waitFor();
    await page.locator('.sheet .structure').waitFor();
    await shoot(page, 'sheet');
    const [sheet, timeline] = await Promise.all(
      ['.sheet', '.timeline'].map((part) => page.locator(part).boundingBox()),
    );
    // It ends where the timeline begins, and both are on the screen.
    expect(sheet!.y + sheet!.height).toBeLessThanOrEqual(timeline!.y + 1);
    expect(timeline!.y + timeline!.height).toBeLessThanOrEqual(844 + 1);
    expect(sheet!.y).toBeGreaterThan(100);
    await page.context().close();
  });

  test('at four zooms, from the whole run to a few messages', async () => {
    const page = await lab.open('#v=1&a=suzuki-kasami&n=8&load=saturated&entries=400&at=100');
    const details: string[] = [];
    for (const [i, part] of [1, 0.1, 0.03, 0.01].entries()) {
      await page.evaluate(
        `lab.look(lab.picture.value.axis.length * 0.3, lab.picture.value.axis.length * ${part})`,
      );
      await untilDrawn(page);
      details.push(
        (await page.evaluate("document.querySelector('canvas.diagram').scene.detail")) as string,
      );
      await shoot(page, `zoom-${i + 1}`, ['light']);
    }
    expect(details[0]).toBe('shares');
    expect(details.at(-1)).toBe('full');
    expect(new Set(details).size).toBeGreaterThan(2);
    await page.context().close();
  });
});
