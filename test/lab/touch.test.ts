/** Fingers on a diagram: there is no wheel and no keyboard on a phone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumIsThere, type Lab, startLab, untilDrawn } from '../support/lab.ts';

describe.skipIf(!chromiumIsThere)('a touch screen (install chromium to run this)', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab();
  }, 60_000);
  afterAll(() => lab.close());

  test('two fingers zoom: the moments under them stay there', async () => {
    const page = await lab.open('#v=1&at=12', { width: 390, height: 844 });
    const box = (await page.locator('canvas.diagram').boundingBox())!;
    const seen = () => page.evaluate('lab.seen.value') as Promise<[number, number]>;
    const finger = await page.context().newCDPSession(page);
    const touch = async (type: string, ...downward: number[]) => {
      const touchPoints = downward.map((y, id) => ({ x: box.x + 200, y: box.y + y, id }));
      await finger.send('Input.dispatchTouchEvent', { type: type as 'touchStart', touchPoints });
      await untilDrawn(page);
    };
    await finger.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    const [from, to] = await seen();
    await touch('touchStart', 150);
    await touch('touchStart', 150, 250);
    await touch('touchMove', 120, 280);
    await touch('touchMove', 100, 300);
    await touch('touchEnd');
    // Time runs downward, from 34 pixels below the edge to 14 above the lower one.
    const at = (y: number, [begin, end]: readonly [number, number]) =>
      begin + ((y - 34) / (box.height - 48)) * (end - begin);
    const now = await seen();
    expect((to - from) / (now[1] - now[0])).toBeCloseTo(2, 1);
    expect(at(100, now)).toBeCloseTo(at(150, [from, to]), 0);
    expect(at(300, now)).toBeCloseTo(at(250, [from, to]), 0);
    // Neither finger has chosen a step or opened the menu.
    expect(await page.evaluate('lab.at.value')).toBe(12);
    expect(await page.getByRole('menu').count()).toBe(0);
    await page.context().close();
  });

  test('nothing went wrong in any page', () => {
    expect(lab.errors).toEqual([]);
  });
});
