/** The menu that breaks a run: by a button, by a key, by a long press, and all that it offers. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  chromiumIsThere,
  faultsByAxe,
  type Lab,
  startLab,
  until,
  untilDrawn,
} from '../support/lab.ts';

const itemsOf = (page: Page): Promise<string[]> => page.getByRole('menuitem').allTextContents();
const untilFocused = (page: Page, text: string | undefined): Promise<void> =>
  until(page, `document.activeElement.textContent === ${JSON.stringify(text)}`);

describe.skipIf(!chromiumIsThere)('the menu of the lab (install chromium to run this)', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab();
  }, 60_000);
  afterAll(() => lab.close());

  test('the button opens it for a message that is under way, and a click loses that message', async () => {
    const page = await lab.open('#v=1&at=12');
    await page.getByRole('button', { name: 'Break it' }).click();
    expect((await itemsOf(page))[0]).toMatch(/^Lose \w+ from \d to \d$/);
    expect(await faultsByAxe(page)).toEqual([]);
    await page.getByRole('menuitem', { name: /^Lose / }).click();
    await until(page, 'lab.branches.value.length === 2');
    await untilDrawn(page);
    // The branch has the name of what was done, with the message and not its number.
    await page.getByRole('button', { name: /^\w+ from \d to \d is lost after step 12$/ }).waitFor();
    expect(await page.evaluate('lab.branch.value.spec.interventions')).toMatchObject([
      { after: 12, lose: expect.any(Number), to: expect.any(Number) },
    ]);
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('the key m opens it, arrow keys move in it and around its ends, and enter does what is chosen', async () => {
    const page = await lab.open('#v=1&at=12&site=3');
    await page.keyboard.press('m');
    const items = await itemsOf(page);
    expect(items).toContain('Crash site 3');
    await untilFocused(page, items[0]);
    await page.keyboard.press('ArrowUp');
    await untilFocused(page, items.at(-1));
    await page.keyboard.press('ArrowDown');
    await untilFocused(page, items[0]);
    await page.keyboard.press('End');
    await untilFocused(page, items.at(-1));
    await page.keyboard.press('Home');
    for (let i = 0; i < items.indexOf('Crash site 3'); i++) await page.keyboard.press('ArrowDown');
    await untilFocused(page, 'Crash site 3');
    await page.keyboard.press('Enter');
    await until(page, 'lab.branches.value.length === 2');
    await untilDrawn(page);
    expect(await page.evaluate('lab.moment.value.phases[3]')).toBe('down');
    // The keys of the page work again, and are those of the new branch.
    await page.keyboard.press('ArrowRight');
    await until(page, 'lab.at.value === 14');
    await page.context().close();
  });

  test('escape closes it, changes nothing, and gives the focus back to the button', async () => {
    const page = await lab.open('#v=1&at=12');
    await page.getByRole('button', { name: 'Break it' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await untilFocused(page, 'Break it');
    expect(await page.evaluate('[lab.branches.value.length, lab.at.value]')).toEqual([1, 12]);
    await page.context().close();
  });

  test.each([
    ['Delay it by 30', 'delay'],
    ['Deliver it twice', 'duplicate'],
  ])('%s: the message arrives so', async (item, intervention) => {
    const page = await lab.open('#v=1&a=suzuki-kasami&n=4&load=saturated&at=12');
    await page.keyboard.press('m');
    await page.getByRole('menuitem', { name: item }).click();
    await until(page, 'lab.branches.value.length === 2');
    await untilDrawn(page);
    const { id, to, before, after } = (await page.evaluate(`(() => {
      const { ${intervention}: id, to } = lab.branch.value.spec.interventions[0];
      const arrivals = (branch) => {
        const { rows } = lab.pictures.value.get(branch).loaded;
        return [...rows.id].flatMap((own, i) =>
          own === id && rows.to[i] === to ? [rows.time[rows.endedAt[i]]] : []);
      };
      return { id, to, before: arrivals(0), after: arrivals(1) };
    })()`)) as { id: number; to: number; before: number[]; after: number[] };
    expect([typeof id, typeof to, before.length]).toEqual(['number', 'number', 1]);
    if (intervention === 'delay') expect(after[0]).toBeCloseTo(before[0]! + 30, 6);
    else expect(after.length).toBe(2);
    await page.context().close();
  });

  test('a message is overtaken by the next one of its link, where links may reorder and only there', async () => {
    const page = await lab.open('#v=1&a=ricart-agrawala&n=3&load=saturated&entries=20');
    // A message behind which another one of the same link is sent, and arrives later.
    const { copy, next } = (await page.evaluate(`(() => {
      const { rows } = lab.picture.value.loaded;
      for (let copy = 0; copy < rows.copies; copy++) {
        for (let next = copy + 1; next < rows.copies; next++) {
          const isBehind = rows.from[next] === rows.from[copy] && rows.to[next] === rows.to[copy];
          if (isBehind && rows.sentAt[next] < rows.endedAt[copy] && rows.endedAt[next] > rows.endedAt[copy]) {
            lab.goTo(rows.sentAt[next] + 1);
            lab.chosenCopy.value = copy;
            return { copy, next };
          }
        }
      }
    })()`)) as { copy: number; next: number };
    await untilDrawn(page);
    await page.keyboard.press('m');
    await page.getByRole('menuitem', { name: 'Let the next message overtake it' }).click();
    await until(page, 'lab.branches.value.length === 2');
    const [late, early] = (await page.evaluate(
      `(({ endedAt }) => [endedAt[${copy}], endedAt[${next}]])(lab.pictures.value.get(1).loaded.rows)`,
    )) as [number, number];
    expect(early).toBeGreaterThan(0);
    expect(late).toBeGreaterThan(early);
    await page.context().close();

    const kept = await lab.open('#v=1&a=lamport&n=3&load=saturated&entries=20&at=12');
    await kept.keyboard.press('m');
    expect(await itemsOf(kept)).not.toContain('Let the next message overtake it');
    await kept.context().close();
  });

  test('a link is cut by keys alone while no message is under way, and healed again', async () => {
    const page = await lab.open('#v=1&site=3');
    await page.evaluate('lab.goTo(0)');
    await until(page, 'lab.moment.value.at === 0');
    const arrivals = () =>
      page.evaluate(
        `(({ from, to, endedAt, copies }) => Array.from({ length: copies }, (_, copy) => copy)
          .filter((copy) => [from[copy], to[copy]].sort().join() === '1,3')
          .map((copy) => endedAt[copy] >= 0))(lab.picture.value.loaded.rows)`,
      ) as Promise<boolean[]>;
    await page.keyboard.press('m');
    const items = await itemsOf(page);
    expect(items).not.toContain('Cut the link 3–1');
    for (let i = 0; i < items.indexOf('Cut a link of site 3 …'); i++) {
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Enter');
    // A leaf of the tree has one neighbour.
    await untilFocused(page, 'Cut the link 3–1');
    expect(await itemsOf(page)).toEqual(['Cut the link 3–1']);
    await page.keyboard.press('Enter');
    await until(page, 'lab.branches.value.length === 2');
    await untilDrawn(page);
    const cut = await arrivals();
    expect(cut.length).toBeGreaterThan(0);
    expect(cut).not.toContain(true);
    await page.keyboard.press('m');
    await page.getByRole('menuitem', { name: 'Heal all links' }).click();
    await until(page, 'lab.branches.value.length === 3');
    await untilDrawn(page);
    expect((await arrivals()).filter((hasArrived) => hasArrived).length).toBeGreaterThan(4);
    await page.context().close();
  });

  test('a right click on the name of a site leads to its links, which are its neighbours or all others', async () => {
    const page = await lab.open('#v=1&a=ricart-agrawala&n=5&at=12');
    const box = (await page.locator('canvas.diagram').boundingBox())!;
    await page.mouse.click(box.x + 20, box.y + 40, { button: 'right' });
    await page.getByRole('menuitem', { name: 'Cut a link of site 0 …' }).click();
    expect(await itemsOf(page)).toEqual([1, 2, 3, 4].map((other) => `Cut the link 0–${other}`));
    await page.getByRole('menuitem', { name: 'Cut the link 0–2' }).click();
    await until(page, 'lab.branches.value.length === 2');
    expect(await page.evaluate('lab.branch.value.spec.interventions')).toEqual([
      { after: 12, cut: [0, 2] },
    ]);
    await page.context().close();
  });

  test('on a narrow screen a long press opens it, whole and within the screen', async () => {
    const page = await lab.open('#v=1&at=12', { width: 390, height: 844 });
    const spot = (await page.evaluate(
      "(() => { const c = document.querySelector('canvas.diagram'); const b = c.getBoundingClientRect(); const a = c.scene.arrows[2]; return { x: b.left + (a.x1 + a.x2) / 2, y: b.top + (a.y1 + a.y2) / 2 }; })()",
    )) as { x: number; y: number };
    const finger = await page.context().newCDPSession(page);
    await finger.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [spot] });
    await page.getByRole('menu').waitFor();
    await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    expect((await itemsOf(page))[0]).toMatch(/^Lose /);
    // The finger that leaves the screen neither moves the cursor nor closes the menu.
    await untilDrawn(page);
    expect(await page.evaluate('lab.at.value')).toBe(12);
    const box = (await page.getByRole('menu').boundingBox())!;
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(390);
    expect(box.y + box.height).toBeLessThanOrEqual(844);
    await page.context().close();
  });
});
