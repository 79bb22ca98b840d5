/** The lab in a real browser: what it shows is what the simulator does. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue, find } from '../../src/algorithms/catalogue.ts';
import { Random } from '../../src/core/random.ts';
import { Columns } from '../../src/sim/columns.ts';
import { makeWorld, openRun, simulate } from '../../src/sim/index.ts';
import { chromiumIsThere, type Lab, settled, startLab, until } from '../support/lab.ts';

const files = readdirSync('lab', { recursive: true, encoding: 'utf8' });

describe('the folder of the lab', () => {
  test('takes less than 180 kB gzipped, of which the first view loads 160, and the published rows of the papers 55 kB more', () => {
    const built = readdirSync('dist/lab', {
      recursive: true,
      encoding: 'utf8',
      withFileTypes: true,
    });
    const isData = (name: string) => name.startsWith('_virtual_papers');
    // The parser of TypeScript, with the numbers of its tokens: for the editor.
    const isLater = (name: string) => isData(name) || /^(parser|types)-/.test(name);
    const bytes = (isCounted: (name: string) => boolean) =>
      built
        .filter((entry) => entry.isFile() && isCounted(entry.name))
        .map((entry) => gzipSync(readFileSync(join(entry.parentPath, entry.name))).length)
        .reduce((a, b) => a + b, 0);
    expect(bytes((name) => !isData(name))).toBeLessThan(180_000);
    expect(bytes((name) => !isLater(name))).toBeLessThan(160_000);
    expect(bytes(isData)).toBeLessThan(55_000);
  });

  test('names no algorithm outside stories, exercises and first choices', () => {
    const names = catalogue.map(({ id }) => id);
    const isAllowed = (file: string) => /^stories\/|exercises/.test(file);
    const naming = files
      .filter((file) => /\.tsx?$/.test(file) && !isAllowed(file))
      .filter((file) =>
        names.some((id) => readFileSync(join('lab', file), 'utf8').includes(`'${id}'`)),
      );
    expect(naming).toEqual([]);
  });
});

describe.skipIf(!chromiumIsThere)('the lab in Chromium (install chromium to run this)', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab();
  }, 60_000);
  afterAll(() => lab.close());

  test('shows the steps that simulate makes, for all algorithms and three seeds', async () => {
    const page = await lab.open('#v=1');
    for (const algorithm of catalogue) {
      for (const seed of [1, 2, 3]) {
        const seen = await page.evaluate(
          `(async () => {
            const spec = { ...lab.spec.value, algorithm: '${algorithm.id}', nodes: 5, entries: 12, seed: ${seed} };
            if (${seed} === 1) await lab.setSpec(spec);
            const { rows } = ${seed} === 1 ? lab.picture.value.loaded : await lab.engine.ask('run', spec);
            return [rows.time, rows.site, rows.event, rows.to].map((column) => column.join());
          })()`,
        );
        const columns = new Columns();
        const world = makeWorld(algorithm, { nodes: 5, seed });
        const { violations } = simulate(algorithm, world, {
          ...{ seed, entries: 12, delay: 'uniform:2,8', columns, maxEvents: 20_000 },
        });
        const [times, sites, events, receivers] = seen as [string, string, string, string];
        const count = (column: string) => column.split(',').length;
        const own = [columns.time, columns.site, columns.event].map((c) =>
          c.slice(0, count(times)).join(),
        );
        expect(
          [times, sites, events].map((column, i) => column === own[i]),
          algorithm.id,
        ).toEqual([true, true, true]);
        expect(columns.to.slice(0, count(receivers)).join() === receivers).toBe(true);
        if (violations.length > 0) continue; // of one that goes on in vain, all is idle at the end
        // Nothing that anybody wanted is left out: at most the idle rounds of a token at the end.
        expect(
          columns.event.slice(count(times), columns.steps).every((e) => e === 2 || e === 11),
        ).toBe(true);
      }
    }
  }, 240_000);

  test('goes to any step, back and forth: the states are those of a run from the start', async () => {
    const page = await lab.open('#v=1&a=ricart-agrawala&n=5&load=saturated&entries=60');
    const algorithm = find('ricart-agrawala');
    const world = makeWorld(algorithm, { nodes: 5 });
    const random = new Random(9, 'seeks');
    const steps = (await page.evaluate('lab.steps.value')) as number;
    expect(steps).toBeGreaterThan(500);
    for (let i = 0; i < 200; i++) {
      const at = random.below(steps + 1);
      await page.evaluate(`lab.goTo(${at})`);
      await until(page, `lab.moment.value.at === ${at}`);
      const run = openRun(algorithm, world, {
        ...{ workload: 'saturated', entries: 60, delay: 'uniform:2,8' },
      });
      run.advance(at);
      const seen = (await page.evaluate(
        '({ s: lab.moment.value.states, p: lab.moment.value.phases })',
      )) as {
        s: unknown;
        p: unknown;
      };
      expect(seen.s).toEqual(run.states);
      expect(seen.p).toEqual(run.phases);
    }
  }, 120_000);

  test('steps both ways, follows messages, and finds the next entry, by keys', async () => {
    const page = await lab.open('#v=1&at=20');
    const at = () => page.evaluate('lab.at.value') as Promise<number>;
    await page.keyboard.press('ArrowRight');
    expect(await at()).toBe(21);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await at()).toBe(19);
    await page.keyboard.press('n');
    expect(await page.evaluate('lab.picture.value.loaded.rows.enters[lab.at.value - 1]')).toBe(1);
    const arrived = await at();
    await page.keyboard.press('[');
    const sent = await at();
    expect(sent).toBeLessThan(arrived);
    await page.keyboard.press(']');
    expect(await at()).toBeGreaterThan(sent);
    await page.keyboard.press('0');
    const [from, to] = (await page.evaluate('lab.seen.value')) as [number, number];
    expect(to - from).toBeGreaterThan(
      (await page.evaluate('lab.picture.value.axis.length')) as number,
    );
    await page.keyboard.press('?');
    await page.getByText('previous step of the same site').waitFor();
  });

  test('the first view loads the page, its styles, its scripts and one worker, and nothing else', async () => {
    const page = await lab.open('');
    const names = (await page.evaluate(
      "performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1).replace(/-.*[.]/, '.'))",
    )) as string[];
    expect([...new Set(names)].sort()).toEqual(['index.css', 'index.js', 'worker.js']);
    // No form at first: the picture, one sentence, and three things to do.
    expect(await page.getByLabel('seed').isVisible()).toBe(false);
    for (const name of ['Break it', 'Compare', 'Find a bug']) {
      expect(await page.locator('.ways').getByRole('button', { name }).isVisible()).toBe(true);
    }
    await page.context().close();
  });

  test('plays by itself, and pauses', async () => {
    const page = await lab.open('#v=1&at=3');
    await page.keyboard.press(' ');
    await until(page, 'lab.at.value > 6');
    await page.getByRole('button', { name: 'Pause' }).click();
    const at = await page.evaluate('lab.at.value');
    await page.waitForTimeout(300);
    expect(await page.evaluate('lab.at.value')).toBe(at);
  });

  test('says why a site waits, and shows its state in the names of the paper', async () => {
    const page = await lab.open('#v=1&at=14&site=2');
    await page.getByText('2 waits: 6 is inside, one hop away, with the token.').waitFor();
    for (const name of ['HOLDER', 'USING', 'REQUEST_Q', 'ASKED']) {
      await page.getByRole('rowheader', { name, exact: true }).waitFor();
    }
  });

  test('what is seen is saved as SVG, with every mark of the canvas', async () => {
    const page = await lab.open('#v=1&at=14');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'SVG' }).click(),
    ]);
    const svg = readFileSync(await download.path(), 'utf8');
    const count = (tag: string) => svg.split(`<${tag} `).length - 1;
    const scene = (await page.evaluate("document.querySelector('canvas.diagram').scene")) as {
      [marks: string]: unknown[];
    };
    expect(count('circle')).toBe(scene['dots']!.length);
    expect(count('path')).toBeLessThanOrEqual(scene['arrows']!.length);
    expect(count('path')).toBeGreaterThan(10);
    expect(count('rect')).toBe(
      1 + scene['bars']!.length + scene['ribbons']!.length + scene['labels']!.length,
    );
    expect(svg).toContain('>PRIVILEGE<');
  });

  test.each([
    ['#v=1&n=0', 'the number of nodes is a whole number from 1 to 10000000, got 0'],
    ['#v=1&delay=never', 'a delay is'],
    ['#v=1&a=raymont', 'there is no algorithm "raymont"'],
    ['#v=1&break=9999.crash.1', 'never made'],
    ['#v=1&load=script&script=nonsense', 'line 1 of the script'],
    ['#v=1&faults=nonsense', 'faults'],
    ['#v=1&break=12.lo', 'an intervention is as in 12.lose.7, got "12.lo"'],
    ['#v=1&a=raym', 'there is no algorithm "raym"'],
    ['#v=1&at=now', '"at" of the link: a number of 0 or more, got "now"'],
    ['#v=1&colour=red', '"colour" of the link: there is no such field'],
    ['#v=2', '"v" of the link: this page reads version 1, got "2"'],
  ])('%s: a sentence beside the field, and a run all the same', async (hash, sentence) => {
    const page = await lab.open(hash);
    await page.getByRole('alert').filter({ hasText: sentence }).first().waitFor();
    expect(await page.evaluate('lab.steps.value')).toBeGreaterThan(10);
    await page.context().close();
  });

  test('an engine that dies is started anew by the next change', async () => {
    const page = await lab.open('#v=1&at=5');
    await page.evaluate("lab.engine.stop('the engine was killed')");
    await page.getByLabel('seed').fill('4');
    await page.getByLabel('seed').press('Enter');
    await until(page, 'lab.spec.value.seed === 4');
    await settled(page);
  });

  test('nothing went wrong in any page', () => {
    expect(lab.errors).toEqual([]);
  });
});
