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
  settled,
  startLab,
  until,
} from '../support/lab.ts';

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
        await page.evaluate(`lab.look(${random.below(50)}, ${40 + random.below(200)})`);
        await settled(page);
        link = (await page.evaluate('lab.address()')) as string;
        // Loaded anew, as the lab keeps nothing but its address.
        await other.goto('about:blank');
        await other.goto(`${lab.url}${link}`);
        await until(other, 'globalThis.lab?.picture.value !== undefined');
        await settled(other);
        expect(differenceOf(await marksOf(other), await marksOf(page)), link).toBeUndefined();
      }
      // What the page calls its address is what stands in the bar of the browser.
      await until(page, `location.hash === ${JSON.stringify(link)}`);
      expect(lab.errors).toEqual([]);
    }, 240_000);
  },
);
