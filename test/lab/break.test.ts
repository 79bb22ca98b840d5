/** Breaking runs, comparing and checking in the lab, by clicks and keys, in a real browser. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../src/algorithms/catalogue.ts';
import {
  chromiumIsThere,
  faultsByAxe,
  follow,
  inTheme,
  type Lab,
  startLab,
  unreadableNames,
  until,
  untilDrawn,
} from '../support/lab.ts';

describe.skipIf(!chromiumIsThere)('the lab in Chromium (install chromium to run this)', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab();
  }, 60_000);
  afterAll(() => lab.close());

  const rowsOf = (page: Page, branch: number) =>
    page.evaluate(
      `(() => { const { rows } = lab.pictures.value.get(${branch}).loaded; return { time: [...rows.time], site: [...rows.site], id: [...rows.id], from: [...rows.from], to: [...rows.to], sentAt: [...rows.sentAt], endedAt: [...rows.endedAt], fate: [...rows.fate] }; })()`,
    ) as Promise<{ [column: string]: number[] }>;

  /** By link, the delays of its messages, in the order in which they were sent. */
  const delaysOf = ({ from, to, sentAt, endedAt, time }: { [column: string]: number[] }) => {
    const of = new Map<string, number[]>();
    from!.forEach((_, copy) => {
      if (endedAt![copy]! < 0) return;
      const link = `${from![copy]}→${to![copy]}`;
      const delay = time![endedAt![copy]!]! - time![sentAt![copy]!]!;
      of.set(link, [...(of.get(link) ?? []), Math.round(1e6 * delay)]);
    });
    return of;
  };

  /** All links but those: the messages that both runs send take as long. Returns how many these are. */
  const expectSameDelays = (
    before: { [column: string]: number[] },
    after: { [column: string]: number[] },
    but: readonly string[] = [],
  ): number => {
    const now = delaysOf(after);
    let same = 0;
    for (const [link, old] of delaysOf(before)) {
      const own = now.get(link) ?? [];
      const length = Math.min(old.length, own.length);
      if (but.includes(link)) continue;
      expect(own.slice(0, length), link).toEqual(old.slice(0, length));
      same += length;
    }
    return same;
  };

  /** Until so many diagrams of a comparison are drawn. */
  const untilCompared = (page: Page, count: number) =>
    until(
      page,
      `[...document.querySelectorAll('.aligned canvas')].filter(({ picture }) => picture !== undefined).length === ${count}`,
    );

  test('a message that is lost by a right click makes a branch beside the run, which stays as it was', async () => {
    const page = await lab.open('#v=1&at=12');
    const before = await rowsOf(page, 0);
    const spot = (await page.evaluate(
      "(() => { const c = document.querySelector('canvas.diagram'); const b = c.getBoundingClientRect(); const a = c.scene.arrows[2]; return { x: b.left + (a.x1 + a.x2) / 2, y: b.top + (a.y1 + a.y2) / 2, copy: a.copy }; })()",
    )) as { x: number; y: number; copy: number };
    await page.mouse.click(spot.x, spot.y, { button: 'right' });
    await page.getByRole('menuitem', { name: /^Lose / }).click();
    await until(page, 'lab.branches.value.length === 2');
    await untilDrawn(page);
    expect(await rowsOf(page, 0)).toEqual(before);
    const after = await rowsOf(page, 1);
    expect(after['fate']![spot.copy]).toBe(2);
    // Up to the loss both are the same; and a link that the loss does not concern keeps its delays.
    const sent = before['sentAt']![spot.copy]!;
    expect(after['time']!.slice(0, sent + 1)).toEqual(before['time']!.slice(0, sent + 1));
    const own = `${before['from']![spot.copy]}→${before['to']![spot.copy]}`;
    expect(expectSameDelays(before, after, [own])).toBeGreaterThan(5);
    expect(await page.locator('canvas.diagram').count()).toBe(2);
    await page.getByRole('button', { name: 'as it ran' }).click();
    await until(page, 'lab.active.value === 0');
    expect(await rowsOf(page, 0)).toEqual(before);
  });

  test('after an intervention, links that it does not concern keep their delays', async () => {
    const page = await lab.open('#v=1&a=ricart-agrawala&n=4&entries=30&at=40&site=2');
    await page.keyboard.press('b');
    await until(page, "lab.branches.value.length === 2 || lab.problem.value !== ''");
    expect(await page.evaluate('lab.problem.value')).toBe('');
    const same = expectSameDelays(await rowsOf(page, 0), await rowsOf(page, 1));
    expect(same).toBeGreaterThan(12 * 5);
    await page.context().close();
  });

  test('a crash by key; a second one of the same site is refused in a sentence; both are a command', async () => {
    const page = await lab.open('#v=1&a=majority&n=5&at=10&site=3');
    await page.keyboard.press('c');
    await until(page, 'lab.branches.value.length === 2');
    await untilDrawn(page);
    expect(await page.evaluate('lab.moment.value.phases[3]')).toBe('down');
    await page.getByRole('button', { name: 'site 3 crashes after step 10' }).waitFor();
    await page.keyboard.press('c');
    await page.getByRole('alert').filter({ hasText: 'site 3 cannot crash' }).waitFor();
    await page.getByRole('button', { name: 'Copy as command' }).click();
    const command = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(command).toContain('latchkey simulate majority --nodes 5');
    expect(command).toContain('[{"after":10,"crash":3}]');
  });

  test('all columns of a comparison have the same requests', async () => {
    // So few that no site is asked for while it is busy: then it would ask when it has left.
    const page = await lab.open('#v=1&view=compare&rate=0.0002&with=raymond,central,lamport');
    await page.locator('.figures-table tbody tr').nth(2).waitFor();
    await untilCompared(page, 3);
    const requests = (await page.evaluate(
      "[...document.querySelectorAll('.aligned canvas')].map(({ picture: { loaded: { rows } } }) => [...rows.time].filter((_, i) => rows.event[i] === 0).map((t) => t.toFixed(3)))",
    )) as string[][];
    expect(requests[0]!.length).toBe(40);
    for (const column of requests) expect(column).toEqual(requests[0]);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByAltText('Messages per entry').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.sweep').getByRole('button', { name: 'PNG' }).click(),
    ]);
    const png = readFileSync(await download.path());
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    // Its width, in the header: large enough for a slide.
    expect(png.readUInt32BE(16)).toBeGreaterThan(1_000);
  });

  test('a sweep over the load has requests at random, whatever load is compared', async () => {
    const page = await lab.open('#v=1&view=compare&load=saturated&n=5&with=raymond,central');
    await untilCompared(page, 2);
    await page.getByLabel('against').selectOption('rate');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByAltText('Messages per entry').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.sweep').getByRole('button', { name: 'CSV' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    const messages = lines
      .filter((line) => line.startsWith('raymond'))
      .map((line) => line.split(',')[3]);
    expect(new Set(messages).size).toBeGreaterThan(4);
    await page.context().close();
  });

  test('a sweep says which points it has no numbers for, and why; and that its engine has died', async () => {
    const faults = encodeURIComponent('[{"at":100,"crash":6}]');
    const page = await lab.open(`#v=1&view=compare&n=7&with=raymond,majority&faults=${faults}`);
    await untilCompared(page, 2);
    const run = page.getByRole('button', { name: 'Run', exact: true });
    await run.click();
    await page
      .getByRole('alert')
      .filter({ hasText: /^Raymond 1989 has no numbers at 3, 5: .*site/ })
      .waitFor();
    await run.click();
    await page.evaluate("lab.engine.stop('the engine of the page stopped')");
    await page.getByRole('alert').filter({ hasText: 'the engine of the page stopped' }).waitFor();
    await run.click();
    await page.getByAltText(/^Messages per entry/).waitFor();
    await page.context().close();
  });

  test('a comparison stands at any moment, and plays: the table and the curves go with it', async () => {
    const page = await lab.open('#v=1&view=compare&n=5&with=raymond,central');
    await untilCompared(page, 2);
    const seen = () =>
      page.evaluate(
        "[...document.querySelectorAll('.figures-table .measure')].map(({ textContent }) => textContent).join()",
      );
    const atEnd = await seen();
    const points = () =>
      page.evaluate(
        "document.querySelector('.course polyline').getAttribute('points').split(' ').length",
      ) as Promise<number>;
    const all = await points();
    await page.getByLabel('Time', { exact: true }).fill('100');
    await page.getByText(/^time 100 of/).waitFor();
    expect(await seen()).not.toBe(atEnd);
    expect(await points()).toBeLessThan(all / 2);
    // On a narrow screen the names of message types take several lines: no diagram lies on what follows it.
    await page.setViewportSize({ width: 390, height: 844 });
    await until(page, "document.querySelector('.aligned canvas').clientWidth <= 390");
    const places = (await page.evaluate(
      "[...document.querySelectorAll('.aligned .lane-name, .aligned canvas, .sweep h2')].map((part) => part.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom }))",
    )) as { top: number; bottom: number }[];
    for (const [i, { top }] of places.entries()) {
      expect(top).toBeGreaterThanOrEqual(places[i - 1]?.bottom ?? 0);
    }
    await page.getByRole('button', { name: 'Play' }).click();
    await until(page, "Number(document.querySelector('.player input').value) > 130");
    await page.getByRole('button', { name: 'Pause' }).click();
    expect(await points()).toBeLessThan(all);
    await page.context().close();
  });

  test('all columns of a comparison have the same faults, and one that cannot have them says so', async () => {
    const page = await lab.open('#v=1&view=compare&n=5&with=raymond,majority,central');
    await untilCompared(page, 3);
    await page.locator('.faults summary').click();
    await page.getByLabel('at time').fill('150');
    await page.getByLabel('site', { exact: true }).fill('3');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('Faults: at 150, 3 crashes').waitFor();
    const crashes = (await page.evaluate(
      "new Promise((done) => { const look = () => { const all = [...document.querySelectorAll('.aligned canvas')].filter(({ picture }) => picture !== undefined).map(({ picture: { loaded: { rows } } }) => [...rows.time].filter((_, i) => rows.event[i] === 9).map((time, i) => [time, rows.site[rows.event.indexOf(9)]])); if (all.length === 3 && all.every((one) => one.length > 0)) done(all); else requestAnimationFrame(look); }; look(); })",
    )) as number[][][];
    expect(crashes).toEqual([[[150, 3]], [[150, 3]], [[150, 3]]]);
    // It is part of the link, and of the command.
    await until(page, "location.hash.includes('faults=')");
    const fresh = await lab.open((await page.evaluate('location.hash')) as string);
    await fresh.getByText('Faults: at 150, 3 crashes').waitFor();
    await fresh.getByRole('button', { name: 'Copy as command' }).click();
    const command = (await fresh.evaluate('navigator.clipboard.readText()')) as string;
    expect(command).toContain(`echo '[{"at":150,"crash":3}]' |`);
    // Raymond's algorithm, as it is, has no restart: its row says so, and the others run.
    await page.getByLabel('what').selectOption('restart');
    await page.getByLabel('at time').fill('250');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('alert').filter({ hasText: 'restart' }).first().waitFor();
    await fresh.context().close();
  }, 60_000);

  test("a teacher's five minutes: a deadlock found, stepped, explained and fixed, by clicks alone", async () => {
    const page = await lab.open('');
    await page.locator('.ways').getByRole('button', { name: 'Find a bug' }).click();
    await page.getByRole('button', { name: /Maekawa 1985: original/ }).click();
    await page.getByRole('heading', { name: 'Violated in 13 steps.' }).waitFor();
    await page.locator('.counterexample canvas').waitFor();
    await page
      .getByText(/the vote of \d is with \d, which waits itself/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Step back' }).click();
    await until(
      page,
      "document.querySelector('.counterexample output').textContent.startsWith('12 ')",
    );
    // Something else is chosen, and the run goes on from there.
    const others = page.locator('.enabled button');
    await others.first().click();
    await until(
      page,
      "document.querySelector('.counterexample output').textContent.includes('1 of them chosen')",
    );
    // The page may tell the choice a moment before it has counted the steps anew.
    await until(
      page,
      "document.querySelector('.counterexample output').textContent.includes('13 / 13')",
    );
    await page.getByRole('button', { name: 'Back to what was found' }).click();
    await page.getByText('as Sanders proposed').waitFor();
    await page.getByRole('button', { name: 'Search the corrected one' }).click();
    await page.getByRole('heading', { name: /^Proved for this number of sites/ }).waitFor();
  }, 90_000);

  test('a link to a search makes it again', async () => {
    const page = await lab.open('#v=1&view=check');
    await page.getByRole('button', { name: /Raymond 1989: section-8 / }).click();
    await page.getByRole('heading', { name: /^Violated in/ }).waitFor();
    const verdict = await page.locator('.verdict h2').textContent();
    await until(page, "location.hash.includes('search=')");
    // Two steps back by keys, and one that is chosen: the link leads there.
    await page.locator('.counterexample canvas').waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    const steps = page.locator('.counterexample output');
    await steps.filter({ hasText: '11 / 13' }).waitFor();
    await page.locator('.enabled button').nth(1).click();
    await steps.filter({ hasText: '12 / 13, 1 of them chosen' }).waitFor();
    const seen = await page.locator('.inspector .story').textContent();
    await until(page, "location.hash.includes('path=11.1')");
    const fresh = await lab.open((await page.evaluate('location.hash')) as string);
    await fresh.getByRole('heading', { name: verdict! }).waitFor();
    await fresh.getByText('12 / 13, 1 of them chosen').waitFor();
    expect(await fresh.locator('.inspector .story').textContent()).toBe(seen);
    await fresh.context().close();
    // It stays while another view is looked at.
    await page.getByRole('button', { name: 'Papers' }).click();
    await page.getByRole('navigation', { name: 'Views' }).getByText('Find a bug').click();
    await page.getByText('12 / 13, 1 of them chosen').waitFor();
    await page.context().close();
  }, 60_000);

  test('a search is stopped', async () => {
    const page = await lab.open('#v=1&view=check');
    await page.getByLabel('Algorithm').selectOption('suzuki-kasami');
    await page.getByLabel('sites').fill('5');
    await page.getByLabel('entries').fill('2');
    await page.getByLabel('entries').press('Enter');
    await page.getByRole('button', { name: 'Stop' }).click();
    await until(page, "document.querySelector('.progress') === null");
    await page.getByText('The search was stopped before it had seen every schedule.').waitFor();
  });

  test('a diagram that has the focus is zoomed and moved by keys, and never lost', async () => {
    const page = await lab.open('#v=1&view=compare&n=5&with=raymond,central');
    await untilCompared(page, 2);
    const times = () =>
      page.evaluate(
        "(({ ticks }) => ticks.map(({ text }) => Number(text.replace(',', ''))))(document.querySelector('.aligned canvas').scene)",
      ) as Promise<number[]>;
    const span = async () => ((all) => all.at(-1)! - all[0]!)(await times());
    await page.locator('.aligned canvas').first().focus();
    const before = await span();
    await page.keyboard.press('-');
    await untilDrawn(page);
    expect(await span()).toBeGreaterThan(before);
    await page.keyboard.press('0');
    await untilDrawn(page);
    const whole = await span();
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await untilDrawn(page);
    expect(await span()).toBeLessThan(whole);
    const [first] = await times();
    await page.keyboard.press('ArrowRight');
    await untilDrawn(page);
    expect((await times())[0]).toBeGreaterThan(first!);
    for (let i = 0; i < 40; i++) await page.keyboard.press('ArrowRight');
    await untilDrawn(page);
    const end = (await page.evaluate(
      "document.querySelector('.aligned canvas').picture.axis.time(document.querySelector('.aligned canvas').picture.axis.length)",
    )) as number;
    expect((await times())[0]).toBeLessThan(end);
    await page.context().close();
  });

  test('a wheel scrolls past the diagrams of a comparison, and zooms the one that has the focus', async () => {
    const page = await lab.open('#v=1&view=compare&n=5&with=raymond,central,lamport');
    await untilCompared(page, 3);
    const state = () =>
      page.evaluate(
        "({ scrolled: scrollY, ticks: document.querySelector('.aligned canvas').scene.ticks.map(({ text }) => text).join() })",
      ) as Promise<{ scrolled: number; ticks: string }>;
    const canvas = page.locator('.aligned canvas').first();
    await canvas.scrollIntoViewIfNeeded();
    await canvas.hover();
    const before = await state();
    await page.mouse.wheel(0, 120);
    await until(page, `scrollY > ${before.scrolled}`);
    expect((await state()).ticks).toBe(before.ticks);
    await canvas.focus();
    await canvas.hover();
    const { scrolled } = await state();
    await page.mouse.wheel(0, -240);
    await until(
      page,
      `document.querySelector('.aligned canvas').scene.ticks.map(({ text }) => text).join() !== '${before.ticks}'`,
    );
    expect((await state()).scrolled).toBe(scrolled);
    await page.context().close();
  });

  test('no name lies on a bar, a step or another name, for any algorithm, wide and narrow', async () => {
    for (const width of [1280, 390]) {
      const page = await lab.open('#v=1', { width, height: 844 });
      for (const { id } of catalogue) {
        await follow(page, `#v=1&a=${id}&n=5&entries=20&at=15`);
        expect(await unreadableNames(page), `${id} at ${width}`).toEqual([]);
      }
      await page.context().close();
    }
  }, 240_000);

  const WHEN_SHOWN: { readonly [view: string]: string } = {
    learn: '.structure',
    watch: '.inspector',
    compare: '.figures-table tbody tr',
    check: '.errata button',
    papers: '.row-head',
    write: 'textarea',
  };
  test.each(Object.keys(WHEN_SHOWN))(
    'axe finds nothing wrong with %s, in both themes',
    async (view) => {
      const page = await lab.open(`#v=1&view=${view}&at=14`);
      await page.locator(WHEN_SHOWN[view]!).first().waitFor();
      for (const theme of ['light', 'dark'] as const) {
        await inTheme(page, theme);
        expect(await faultsByAxe(page), theme).toEqual([]);
      }
      await page.context().close();
    },
    60_000,
  );

  test('nothing went wrong in any page', () => {
    expect(lab.errors).toEqual([]);
  });
});
