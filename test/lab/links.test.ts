/** The address of the lab is all of its state: a link opens the same picture elsewhere. */
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
  },
);
