/** Learn, and write your own, in a real browser. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumIsThere, type Lab, startLab, until } from '../support/lab.ts';

/** Ricart and Agrawala's, as a reader might write it. */
const REPAIRED = `export default {
  messages: { REQUEST: { number: 'int' }, YES: {} },
  init: (site: { me: number }) => ({ wants: false, ours: 0, highest: 0, missing: 0, later: [] }),
  request(my, site) {
    my.wants = true;
    my.ours = my.highest + 1;
    my.missing = site.n - 1;
    for (const j of site.others) site.send(j, { type: 'REQUEST', number: my.ours });
  },
  release(my, site) {
    my.wants = false;
    for (const j of my.later) site.send(j, { type: 'YES' });
    my.later = [];
  },
  on: {
    REQUEST(my, site, from, { number }) {
      my.highest = Math.max(my.highest, number);
      const weAreFirst = my.ours < number || (my.ours === number && site.me < from);
      if (my.wants && weAreFirst) my.later.push(from);
      else site.send(from, { type: 'YES' });
    },
    YES(my, site) {
      my.missing -= 1;
      if (my.missing === 0) site.enter();
    },
  },
};`;

describe.skipIf(!chromiumIsThere)('the lab in Chromium (install chromium to run this)', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab();
  }, 60_000);
  afterAll(() => lab.close());
  const check = async (page: Page, code?: string) => {
    if (code !== undefined) await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Check it' }).click();
  };

  test('the algorithm of the editor is found wrong, and proved once it is repaired', async () => {
    const page = await lab.open('#v=1&view=write');
    await check(page);
    await page.getByRole('heading', { name: /^Violated in \d+ steps/ }).waitFor();
    await page
      .getByText(/are inside at once/)
      .first()
      .waitFor();
    await page.locator('.counterexample canvas').waitFor();
    await check(page, REPAIRED);
    await page.getByRole('heading', { name: /^Proved for this number of sites/ }).waitFor();
    await page.getByRole('button', { name: 'Run it' }).click();
    await page.getByText('30 entries, 4.00 messages for each.').waitFor();
  }, 60_000);

  test('what is written stays while another view is looked at', async () => {
    const page = await lab.open('#v=1&view=write');
    await check(page, REPAIRED);
    await page.getByRole('heading', { name: /^Proved/ }).waitFor();
    const views = page.getByRole('navigation', { name: 'Views' });
    await views.getByText('Learn').click();
    await page.getByRole('heading', { name: /Asking every other site/ }).waitFor();
    await views.getByText('Write your own').click();
    expect(await page.getByLabel('Code').inputValue()).toBe(REPAIRED);
    await page.getByRole('heading', { name: /^Proved/ }).waitFor();
    await page.context().close();
  }, 60_000);

  test.each([
    ['export default {', 'the code cannot be read'],
    ['export default 7;', 'the code exports no algorithm'],
    ['export default { messages: {} };', 'the algorithm has no "init"'],
    [REPAIRED.replace('YES(my, site)', 'NO(my, site)'), 'there is no handler on.YES'],
    [
      REPAIRED.replace('my.wants = true;', 'nothing.at.all();'),
      'your code threw: nothing is not defined',
    ],
    ["await fetch('http://127.0.0.1:1/');", 'the code cannot be read'],
  ])('a mistake is a sentence: %#', async (code, sentence) => {
    const page = await lab.open('#v=1&view=write');
    await check(page, code);
    await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
    await page.context().close();
  });

  test('code that never ends is stopped, and the next check runs', async () => {
    const page = await lab.open('#v=1&view=write');
    await page.clock.install();
    await check(page, REPAIRED.replace('my.wants = true;', 'for (;;);'));
    const stopped = page.getByRole('alert').filter({ hasText: 'stopped after 20 seconds' });
    await page.clock.fastForward(19_000);
    expect(await stopped.count()).toBe(0);
    // The time counts from the moment that the code runs, which the page does not show.
    while ((await stopped.count()) === 0) {
      await page.clock.fastForward(1_000);
      await page.clock.runFor(50);
    }
    await check(page, REPAIRED);
    await page.getByRole('heading', { name: /^Proved/ }).waitFor();
  }, 90_000);

  test('an exercise is solved by choosing what happens next', async () => {
    const page = await lab.open('#v=1&view=write');
    await page.getByRole('button', { name: /This Ricart and Agrawala has one line wrong/ }).click();
    const choose = async (text: RegExp, steps: number) => {
      await page.locator('.enabled button').filter({ hasText: text }).first().click();
      await until(
        page,
        `document.querySelector('.exercises .counterexample output').textContent.startsWith('${steps} ')`,
      );
    };
    await choose(/^1 asks$/, 1);
    await choose(/^0 receives REQUEST/, 2);
    await choose(/^1 receives REPLY/, 3);
    await choose(/^0 asks$/, 4);
    await choose(/^1 receives REQUEST/, 5);
    await choose(/^0 receives REPLY/, 6);
    expect(await page.locator('.exercises .counterexample output').textContent()).toBe('6 steps');
    await page.getByText('You have found it.').waitFor();
  }, 60_000);

  test('a story is told beat by beat, its question answered, and its run opened', async () => {
    const page = await lab.open('#v=1&view=learn&story=fewer');
    await page.getByText('All three sites ask at the same time.').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('no REPLY is sent').waitFor();
    await page.getByRole('button', { name: 'Ten' }).click();
    await page.getByText(/^No\. /).waitFor();
    await page.getByRole('button', { name: 'Eight' }).click();
    await page.getByText(/^Yes\. /).waitFor();
    await page.getByRole('button', { name: 'Open it in Watch' }).click();
    await until(
      page,
      "lab.view.value === 'watch' && lab.spec.value.algorithm === 'lodha-kshemkalyani'",
    );
    const search = await lab.open('#v=1&view=learn&story=order');
    await search.getByRole('button', { name: 'Search every schedule' }).click();
    await search.getByRole('heading', { name: 'Violated in 4 steps.' }).waitFor();
    // The schedule stands beside its question, and the arrow keys step through it.
    await search.locator('.learn .counterexample canvas').waitFor();
    // The second site goes in with the last step, and is seen inside all the same.
    await until(
      search,
      "document.querySelector('canvas.diagram')?.scene?.bars.filter(({ kind, width }) => kind === 1 && width > 20).map(({ site }) => site).join() === '0,1'",
    );
    await search.keyboard.press('ArrowLeft');
    await search.getByText('3 / 4').waitFor();
    await search.getByRole('button', { name: /The REPLY of 0 overtakes/ }).click();
    await search.getByText(/^Yes\. /).waitFor();
    await search.getByRole('button', { name: 'Open it in Find a bug' }).click();
    await until(search, "lab.view.value === 'check'");
    await search.getByRole('heading', { name: 'Violated in 4 steps.' }).waitFor();
  }, 60_000);

  test('nothing went wrong in any page but what the policy forbade', () => {
    const expected =
      /Content Security Policy|violates the following|Refused to connect|Fetch API cannot load/;
    expect(lab.errors.filter((error) => !expected.test(error))).toEqual([]);
  });
});
