/** The papers in the lab: every row as it is published, and the run behind it. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { load } from '../../lab/engine/runs.ts';
import { comparable, openingOf } from '../../lab/model/papers.ts';
import { find, findPrinted } from '../../src/algorithms/catalogue.ts';
import type { Figure } from '../../src/papers/figure.ts';
import type { Row } from '../../src/papers/row.ts';
import { simulate } from '../../src/sim/index.ts';
import { checkSettings } from '../../src/sim/settings.ts';
import { makeWorld } from '../../src/topologies/world.ts';
import { chromiumIsThere, type Lab, startLab, until } from '../support/lab.ts';

const read = (name: string) => JSON.parse(readFileSync(`docs/figures/${name}.json`, 'utf8'));
const rows = read('rows') as Row[];
const figures = read('figures') as Figure[];
const rowOf = (id: string) => rows.find((row) => row.id === id)!;
const seedOf = ({ seeds }: Row) => seeds[0] ?? 1;

describe('the runs behind the rows', () => {
  test('three rows of four have runs, and nearly all of them open in the page', () => {
    expect(rows.filter(({ runs }) => runs.length > 0).length / rows.length).toBeGreaterThan(0.75);
    const all = rows.flatMap((row) => row.runs.map((run) => openingOf(run, seedOf(row))));
    expect(all.filter((opening) => opening !== null).length / all.length).toBeGreaterThan(0.97);
  });

  test('every run is one that the simulator or the checker takes', () => {
    for (const row of rows) {
      for (const run of row.runs) {
        if (run.kind === 'check') {
          if (run.printed === undefined) find(run.algorithm);
          else findPrinted(run.algorithm, run.printed);
          continue;
        }
        if (run.nodes > 200) continue; // as all others, and large
        const algorithm = find(run.algorithm);
        const world = makeWorld(algorithm, { ...run, seed: run.topologySeed });
        checkSettings(algorithm, world, run.settings);
      }
    }
  });

  test('a run that the page opens measures what the same run measures on the command line', () => {
    const some = rows.flatMap((row) =>
      row.runs.flatMap((run) => {
        const opening = openingOf(run, seedOf(row));
        const isSmall = run.nodes <= 15 && Number(run.settings.entries ?? 0) <= 300;
        return isSmall && run.kind === 'simulate' && opening?.view === 'watch'
          ? [{ row, run, spec: opening.spec }]
          : [];
      }),
    );
    expect(some.length).toBeGreaterThan(50);
    for (const { row, run, spec } of some.filter((_, i) => i % 5 === 0)) {
      const seed = seedOf(row);
      const algorithm = find(run.algorithm);
      const result = simulate(algorithm, makeWorld(algorithm, { ...run, seed }), {
        ...{ ...run.settings, seed, maxEvents: 20_000 },
      });
      const { messages, entries } = load(spec).figures;
      expect({ messages, entries }, `${row.id}: ${JSON.stringify(run)}`).toEqual({
        ...{ messages: result.messages, entries: result.entries },
      });
    }
  }, 60_000);

  test('runs are compared only where they differ in the algorithm alone', () => {
    const together = rows.filter((row) => comparable(row.runs, seedOf(row)).length > 1);
    expect(together.length).toBeGreaterThan(5);
    for (const { runs } of together) {
      expect(
        new Set(runs.map(({ nodes, settings }) => JSON.stringify([nodes, settings]))).size,
      ).toBe(1);
    }
  });
});

describe.skipIf(!chromiumIsThere)('the lab in Chromium (install chromium to run this)', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab();
  }, 60_000);
  afterAll(() => lab.close());

  test('every row and figure of every paper is there, with its verdict', async () => {
    const page = await lab.open('#v=1&view=papers&row=survey');
    const ids = [...new Set(rows.map(({ paper }) => paper))];
    for (const [i, paper] of ids.entries()) {
      await page.locator('.papers nav button').nth(i).click();
      const own = rows.filter((row) => row.paper === paper);
      await until(page, `document.querySelectorAll('.row').length === ${own.length}`);
      const seen = (await page.evaluate(
        "[...document.querySelectorAll('.row-head')].map((head) => [...head.children].map((cell) => cell.textContent))",
      )) as string[][];
      expect(seen).toEqual(own.map(({ verdict, where, claim }) => [verdict, where, claim]));
      const drawn = figures.filter((figure) => figure.paper === paper).map(({ title }) => title);
      const titles = await page.evaluate(
        "[...document.querySelectorAll('.paper-figures img')].map((image) => image.alt)",
      );
      expect(titles).toEqual(drawn);
    }
  }, 60_000);

  test('a row shows the sentence, how it was read, the numbers, and their interval', async () => {
    const row = rowOf('survey/singhal-light');
    const page = await lab.open(`#v=1&view=papers&row=${row.id}`);
    const body = page.locator('.row-body');
    await body.getByText(row.quote).waitFor();
    await body.getByText(row.expected, { exact: true }).waitFor();
    await body.getByText(row.measured, { exact: true }).waitFor();
    await body.getByText(`latchkey papers ${row.id}`).waitFor();
    expect(await body.locator('svg.interval title').textContent()).toContain('allowed 12.35 to');
    // A link to a row leads to it, however far down it is.
    await until(
      page,
      "document.querySelector('.row-body').getBoundingClientRect().top < innerHeight / 2",
    );
  });

  test('the runs behind a figure are those of the claims that were measured with it', async () => {
    const page = await lab.open('#v=1&view=papers&row=raymond');
    await page.locator('.paper-figures > summary').click();
    const figure = page
      .locator('figure')
      .filter({ has: page.getByAltText(/demand, a binary tree/) });
    await figure.getByText(/^The runs behind it: 4 claims/).click();
    await figure.getByRole('button', { name: /^As demand increases/ }).click();
    const body = page.locator('.row-body');
    await body.getByRole('button', { name: 'Open in Watch' }).first().waitFor();
    await until(
      page,
      "(({ top }) => top > 0 && top < innerHeight)(document.querySelector('.row-body').getBoundingClientRect())",
    );
    expect(await page.evaluate('lab.row.value')).toBe('raymond/falls-with-demand');
    await page.context().close();
  });

  test('a button opens the run behind a row in Watch', async () => {
    const row = rowOf('survey/suzuki-kasami');
    const page = await lab.open(`#v=1&view=papers&row=${row.id}`);
    await page.getByRole('button', { name: 'Open in Watch' }).first().click();
    await until(page, "lab.view.value === 'watch' && lab.spec.value.algorithm === 'suzuki-kasami'");
    // The claim: N messages per entry, and N is 13; the first holder of the token has sent none.
    await page.getByText(/^260 entries, 3,3\d\d messages, 1[23]\.\d\d for each/).waitFor();
  });

  test('a button searches what the paper prints, and finds what the row says', async () => {
    const row = rowOf('raymond/recovery-overtaken');
    const page = await lab.open(`#v=1&view=papers&row=${row.id}`);
    await page.getByRole('button', { name: 'Search here' }).first().click();
    await page.getByRole('heading', { name: /^Violated in \d+ steps/ }).waitFor();
    expect(row.measured).toContain('violates');
  }, 60_000);

  test('a button compares the algorithms of a row on the same requests', async () => {
    const row = rows.find(
      ({ runs, seeds }) => comparable(runs.slice(0, 8), seeds[0] ?? 1).length > 1,
    )!;
    const ids = comparable(row.runs.slice(0, 8), seedOf(row));
    const page = await lab.open(`#v=1&view=papers&row=${row.id}`);
    await page.getByRole('button', { name: `Compare the ${ids.length} algorithms` }).click();
    await until(page, `document.querySelectorAll('.aligned canvas').length === ${ids.length}`);
  }, 60_000);

  test('rows are found by their words and their verdict', async () => {
    const page = await lab.open('#v=1&view=papers&row=raymond');
    await page.getByLabel('verdict').selectOption('refuted');
    const refuted = rows.filter((r) => r.paper === 'raymond' && r.verdict === 'refuted').length;
    await page.getByText(`${refuted} shown`).waitFor();
    await page.getByLabel('words').fill('no such words');
    await page.getByText('0 shown').waitFor();
  });

  test('nothing went wrong in any page', () => {
    expect(lab.errors).toEqual([]);
  });
});
