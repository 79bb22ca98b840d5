/** The schedule that the checker finds: it plays, and what stands beside it leads to its messages. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumIsThere, type Lab, startLab, until } from '../support/lab.ts';

describe.skipIf(!chromiumIsThere)('a counterexample (install chromium to run this)', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab();
  }, 60_000);
  afterAll(() => lab.close());

  const openErratum = async (name: RegExp): Promise<Page> => {
    const page = await lab.open('#v=1&view=check');
    await page.getByRole('button', { name }).click();
    await page.locator('.counterexample canvas').waitFor();
    return page;
  };
  const untilAt = (page: Page, text: string) =>
    page.locator('.counterexample output').filter({ hasText: text }).waitFor();

  test('a published error plays from its first step to its last, and pauses in between', async () => {
    const page = await openErratum(/Maekawa 1985: original/);
    await untilAt(page, '13 / 13');
    await page.clock.install();
    await page.getByRole('button', { name: 'Play' }).click();
    await untilAt(page, '0 / 13');
    // The clock of the page also goes by itself: on a busy machine a step more may have been made.
    const made = () =>
      page.evaluate(
        "Number.parseInt(document.querySelector('.counterexample output').textContent)",
      ) as Promise<number>;
    const untilMade = (steps: number) =>
      until(
        page,
        `Number.parseInt(document.querySelector('.counterexample output').textContent) >= ${steps}`,
      );
    await page.clock.runFor(3_100);
    await untilMade(3);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    const paused = await made();
    expect(paused).toBeLessThan(13);
    await page.clock.runFor(5_000);
    expect(await made()).toBe(paused);
    await page.getByRole('button', { name: 'Play' }).click();
    for (let step = paused + 1; step <= 13; step++) {
      await page.clock.runFor(1_100);
      await untilMade(step);
    }
    // At the end it stops by itself, and says what is wrong.
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await page.getByText('Deadlock: 0, 1 and 2 wait').waitFor();
    await page.context().close();
  });

  test('a message that is under way is lit in the picture when its line in the inspector is chosen', async () => {
    const page = await openErratum(/Maekawa 1985: original/);
    for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowLeft');
    await untilAt(page, '7 / 13');
    const pixels = () =>
      page.evaluate("document.querySelector('.counterexample canvas').toDataURL()");
    const before = await pixels();
    await page.locator('.under-way button').first().click();
    await until(
      page,
      `document.querySelector('.counterexample canvas').toDataURL() !== ${JSON.stringify(before)}`,
    );
    await page.context().close();
  });

  test('it is saved as a picture for print', async () => {
    const page = await lab.open('#v=1&view=check');
    await page.getByRole('button', { name: /Maekawa 1985: original/ }).click();
    await page.locator('.counterexample canvas').waitFor();
    const saved = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click(),
      ]);
      return readFileSync(await download.path());
    };
    const svg = (await saved('SVG')).toString();
    for (const word of ['GRANT', 'FAILED', 'deadlock', 'waits']) expect(svg).toContain(`>${word}<`);
    const png = await saved('PNG');
    // Its width, in the header: at 300 dots an inch, a page of a book is 2,000 wide.
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.readUInt32BE(16)).toBeGreaterThan(2_000);
    await page.context().close();
  });

  test('nothing went wrong in any page', () => {
    expect(lab.errors).toEqual([]);
  });
});
