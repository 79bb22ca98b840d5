/** The address of the lab is all of its state: a link opens the same picture elsewhere. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../src/algorithms/catalogue.ts';
import { Random } from '../../src/core/random.ts';
import {
  chromiumIsThere,
  differenceOf,
  follow,
  type Lab,
  marksOf,
  startLab,
  until,
  untilDrawn,
} from '../support/lab.ts';

/** Where the page stands, and what is chosen. */
const CHOSEN =
  '[lab.at.value, lab.site.value, lab.chosenCopy.value, lab.branch.value.spec.interventions]';

describe.skipIf(!chromiumIsThere)(
  'links of the lab in Chromium (install chromium to run this)',
  () => {
    let lab: Lab;
    beforeAll(async () => {
      lab = await startLab();
    });
    afterAll(() => lab?.close());

    test('fifty random links bring back the same marks in another profile', async () => {
      const random = new Random(3, 'links');
      const page = await lab.open('#v=1');
      const other = await lab.open('#v=1');
      let link = '';
      for (let i = 0; i < 50; i++) {
        const { id } = catalogue[random.below(catalogue.length)]!;
        const at = 1 + random.below(40);
        await follow(
          page,
          `#v=1&a=${id}&n=${3 + random.below(6)}&seed=${random.below(9)}&at=${at}`,
        );
        // Every other state is a branch, with a site and a message that are looked at.
        if (i % 2 === 1) {
          await page.evaluate(
            `(async () => {
              const [message] = lab.moment.value.underWay;
              if (message === undefined) await lab.intervene({ after: lab.at.value, request: lab.moment.value.phases.indexOf('idle') });
              else await lab.intervene({ after: lab.at.value, delay: message.id, to: message.to, by: 30 });
              lab.site.value = ${random.below(3)};
              lab.chosenCopy.value = ${random.below(3)};
            })()`,
          );
          expect(await page.evaluate('[lab.problem.value, lab.branches.value.length]')).toEqual([
            '',
            2,
          ]);
        }
        await page.evaluate(`lab.look(${random.below(50)}, ${40 + random.below(200)})`);
        await untilDrawn(page);
        link = (await page.evaluate('lab.address()')) as string;
        // Loaded anew, as the lab keeps nothing but its address.
        await other.goto('about:blank');
        await other.goto(`${lab.url}${link}`);
        await until(other, 'globalThis.lab?.picture.value !== undefined');
        await untilDrawn(other);
        expect(differenceOf(await marksOf(other), await marksOf(page)), link).toBeUndefined();
        expect(await other.evaluate(CHOSEN), link).toEqual(await page.evaluate(CHOSEN));
      }
      // What the page calls its address is what stands in the bar of the browser.
      await until(page, `location.hash === ${JSON.stringify(link)}`);
      expect(lab.errors).toEqual([]);
    }, 240_000);

    /** The address of the page once it is at rest, opened in another profile. */
    const reopened = async (page: Page): Promise<Page> => {
      await until(page, 'location.hash === lab.address()');
      return lab.open((await page.evaluate('location.hash')) as string);
    };

    test('a link to a story leads to its sentence', async () => {
      const page = await lab.open('#v=1&view=learn&story=permission');
      await page.getByText(/^Site 1 asks to go in\./).waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText(/^Site 0 has received both requests\./).waitFor();
      const fresh = await reopened(page);
      await fresh.getByText(/^Site 0 has received both requests\./).waitFor();
      await until(fresh, "document.querySelector('canvas.diagram')?.scene !== undefined");
      expect(differenceOf(await marksOf(fresh), await marksOf(page))).toBeUndefined();
      // Another story begins with its first sentence.
      await fresh.getByRole('button', { name: /^The same with fewer messages/ }).click();
      await fresh.getByText('1 of 4', { exact: true }).waitFor();
      await page.context().close();
      await fresh.context().close();
    });

    test('a link to a comparison leads to the moment that it stands at', async () => {
      const page = await lab.open('#v=1&view=compare&n=5&with=raymond,central');
      const times = page.locator('.player output');
      await page.locator('.figures-table tbody tr').nth(1).waitFor();
      await page.getByLabel('Time', { exact: true }).fill('100');
      await times.filter({ hasText: /^time 100 of/ }).waitFor();
      const seen = (of: Page) => of.locator('.figures-table .value').allTextContents();
      const fresh = await reopened(page);
      await fresh
        .locator('.player output')
        .filter({ hasText: /^time 100 of/ })
        .waitFor();
      expect(await seen(fresh)).toEqual(await seen(page));
      await page.context().close();
      await fresh.context().close();
    });

    test('a link has what the reader wrote, and runs it only when it is asked to', async () => {
      const page = await lab.open('#v=1&view=write');
      const code = `${await page.getByLabel('Code').inputValue()}\n// 100 % & more = ✓\n`;
      await page.getByLabel('Code').fill(code);
      await page.getByLabel('sites').fill('4');
      await page.getByLabel('sites').press('Enter');
      const fresh = await reopened(page);
      expect(await fresh.getByLabel('Code').inputValue()).toBe(code);
      expect(await fresh.getByLabel('sites').inputValue()).toBe('4');
      expect(await fresh.locator('.verdict, .counterexample').count()).toBe(0);
      // A link without code, followed in the same page, takes nothing away.
      await follow(fresh, '#v=1&view=write');
      expect(await fresh.getByLabel('Code').inputValue()).toBe(code);
      await page.context().close();
      await fresh.context().close();
    });

    test('a link to an exercise leads to what was chosen in it', async () => {
      const page = await lab.open('#v=1&view=write');
      await page.getByRole('button', { name: /This Lamport has one line wrong/ }).click();
      const steps = (of: Page, text: string) =>
        of.locator('.exercises .counterexample output').filter({ hasText: text }).waitFor();
      await steps(page, '0 steps');
      await page.locator('.enabled button').first().click();
      await steps(page, '1 step');
      await page.locator('.enabled button').first().click();
      await steps(page, '2 steps');
      const story = await page.locator('.inspector .story').textContent();
      const fresh = await reopened(page);
      await steps(fresh, '2 steps');
      expect(await fresh.locator('.inspector .story').textContent()).toBe(story);
      await follow(fresh, '#v=1&view=write&exercise=none');
      await fresh.getByRole('alert').filter({ hasText: 'there is no exercise "none"' }).waitFor();
      await page.context().close();
      await fresh.context().close();
    });
  },
);
