/** `latchkey papers`: that its rows are whole, its verdicts earned, its pictures and pages fresh. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { draw } from '../../src/papers/chart/draw.ts';
import { asCsv } from '../../src/papers/csv.ts';
import { perform } from '../../src/papers/experiment.ts';
import { experiments } from '../../src/papers/experiments.ts';
import type { Figure, LineFigure } from '../../src/papers/figure.ts';
import { Instruments } from '../../src/papers/instruments.ts';
import { about } from '../../src/papers/judge.ts';
import { experimentOf, ledger } from '../../src/papers/ledger.ts';
import { asMarkdown } from '../../src/papers/markdown.ts';
import { contradictions, regressions } from '../../src/papers/regressions.ts';
import { paperIds, type Row, type Verdict } from '../../src/papers/row.ts';

const outcomes = experiments.map((experiment) => perform(experiment, new Instruments('quick')));
const rows = outcomes.flatMap((outcome) => outcome.rows);
const figures = outcomes.flatMap((outcome) => outcome.figures);

describe('the rows', () => {
  test('are at least four hundred, of every paper', () => {
    expect(rows.length).toBeGreaterThanOrEqual(400);
    for (const paper of paperIds) {
      expect(rows.filter((row) => row.paper === paper).length).toBeGreaterThan(20);
    }
  });
  test('are named once, by their paper', () => {
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    for (const { id, paper } of rows) expect(id).toMatch(new RegExp(`^${paper}/[a-z0-9-]+$`));
  });
  test.each(rows.map((row) => [row.id, row] as const))('%s is complete', (_, row) => {
    const { where, claim, expected, measured, tolerance, how } = row;
    for (const text of [where, claim, expected, measured, tolerance, ...how]) {
      expect(text).not.toMatch(/^\s*$|NaN|undefined|null|∞ to/);
    }
    expect(how.length).toBeGreaterThan(0);
    if (row.verdict !== 'confirmed') {
      expect(row.note.length).toBeGreaterThan(20);
      expect(row.note).not.toContain('no reason');
    }
    if (row.verdict === 'qualified') expect(row.note).toMatch(/^Only /);
  });
  test('come with the seeds of their runs', () => {
    const random = rows.filter(({ measured }) => measured.includes('±'));
    expect(random.length).toBeGreaterThan(20);
    for (const { seeds } of random) expect(seeds.length).toBeGreaterThanOrEqual(3);
  });
  test('are the same when measured again, to the byte', () => {
    for (const id of ['raymond/demand', 'rcv/others', 'survey/tokens']) {
      const at = experiments.findIndex((experiment) => experiment.id === id);
      const second = perform(experiments[at]!, new Instruments('quick'));
      expect(JSON.stringify(second)).toBe(JSON.stringify(outcomes[at]));
    }
  });
});

describe('the verdicts', () => {
  test('agree with the ledger', () => {
    expect(Object.fromEntries(rows.map(({ id, verdict }) => [id, verdict]))).toEqual(ledger);
    expect(regressions(rows)).toEqual([]);
  });
  test('are of all three kinds', () => {
    for (const kind of ['confirmed', 'qualified', 'refuted'] as const) {
      expect(rows.filter(({ verdict }) => verdict === kind).length).toBeGreaterThan(10);
    }
  });
  test('stand in the ledger under the experiment that measures them', () => {
    const measured = experiments.flatMap(({ id }, i) =>
      outcomes[i]!.rows.map((row) => [row.id, id] as const),
    );
    expect(Object.fromEntries(measured)).toEqual(experimentOf);
  });
  test('agree with the whole interval behind them', () => {
    expect(contradictions(rows)).toEqual([]);
  });
  test('that the interval denies are named', () => {
    const row = (verdict: Verdict, mean: number, ci95: number): Row => ({
      ...rows[0]!,
      ...{ id: `rcv/${verdict}`, verdict, interval: about('', 100, { mean, ci95 }).interval! },
    });
    const denied = (...given: Row[]) => contradictions(given).map((text) => text.split(',')[0]);
    expect(denied(row('confirmed', 101, 3), row('confirmed', 95, 0))).toEqual([]);
    // The mean is within the tolerance, the interval is not.
    expect(denied(row('confirmed', 101, 5))).toEqual(['rcv/confirmed is confirmed']);
    expect(denied(row('confirmed', 94, 0))).toEqual(['rcv/confirmed is confirmed']);
    expect(denied(row('refuted', 101, 3))).toEqual(['rcv/refuted is refuted']);
    expect(denied(row('refuted', 120, 3), row('qualified', 120, 3))).toEqual([]);
  });
  test('that fall are named, and so are rows that are gone; what rises is not', () => {
    const [first, second] = rows.filter(({ verdict }) => verdict === 'confirmed');
    const fallen = rows
      .filter(({ id }) => id !== second!.id)
      .map((row) => (row.id === first!.id ? { ...row, verdict: 'refuted' as const } : row));
    const complaints = regressions(fallen);
    expect(complaints).toHaveLength(2);
    expect(complaints[0]).toMatch(`${first!.id} was confirmed, and is refuted: expected`);
    expect(complaints[1]).toBe(`${second!.id} was confirmed, and is no longer measured`);
    const risen = rows.map((row) => ({ ...row, verdict: 'confirmed' as const }));
    expect(regressions(risen)).toEqual([]);
    const gone = regressions([], (id) => id.startsWith('rcv/'));
    expect(gone.length).toBeGreaterThan(10);
    expect(gone.every((text) => text.startsWith('rcv/'))).toBe(true);
  });
});

describe('the curves are the paper’s', () => {
  const curves = (id: string) => (figures.find((f) => f.id === id) as LineFigure).series;
  const at = (id: string, name: string) =>
    curves(id)
      .find((s) => s.name === name)!
      .points.map(({ y }) => y);
  /** Names from the lowest curve to the highest, at a place. */
  const order = (id: string, place: number, names: readonly string[]) =>
    [...names].sort((a, b) => at(id, a).at(place)! - at(id, b).at(place)!);
  const four = ['RCV', 'Maekawa', 'Broadcast', 'Ricart'];

  test('figure 4: Broadcast first, then RCV is the lowest; they cross between 5 and 10 nodes', () => {
    expect(order('rcv-figure-4', 0, four)).toEqual(['Broadcast', 'RCV', 'Maekawa', 'Ricart']);
    expect(order('rcv-figure-4', -1, four)).toEqual(['RCV', 'Maekawa', 'Broadcast', 'Ricart']);
    const below = at('rcv-figure-4', 'RCV').map((y, i) => y < at('rcv-figure-4', 'Broadcast')[i]!);
    expect(below).toEqual([false, true, true, true, true, true, true, true]);
  });
  test('figure 6: Ricart above Broadcast above RCV; the grid crosses Broadcast at the knee', () => {
    for (const place of [0, -1]) {
      const names = ['RCV', 'Broadcast', 'Ricart'];
      expect(order('rcv-figure-6', place, names)).toEqual(['RCV', 'Broadcast', 'Ricart']);
    }
    const above = at('rcv-figure-6', 'Maekawa, grid').map(
      (y, i) => y > at('rcv-figure-6', 'Broadcast')[i]!,
    );
    expect([above[0], above.at(-1)]).toEqual([false, true]);
  });
  test('figure 7: RCV crosses Maekawa, from far above to far below', () => {
    const [rcv, maekawa] = [at('rcv-figure-7', 'RCV'), at('rcv-figure-7', 'Maekawa')];
    const above = rcv.map((y, i) => y > maekawa[i]!);
    expect(above).toEqual([true, true, true, false, false, false, false]);
    expect(order('rcv-figure-7', -1, ['Ricart', 'RCV', 'Maekawa'])).toEqual([
      'Ricart',
      'RCV',
      'Maekawa',
    ]);
  });
  test('Raymond: from light to heavy demand the curve falls to its formula', () => {
    const measured = at('raymond-demand', 'Raymond');
    expect(measured[0]! / measured.at(-1)!).toBeGreaterThan(3);
    expect(measured.at(-1)!).toBeCloseTo(at('raymond-demand', '4(N−1)/N')[0]!, 1);
  });
  test('Lodha and Kshemkalyani: on section 4.1, above section 1 but where a request is alone', () => {
    const [measured, counted, said] = ['measured', 'section 4.1', '2(N−1)−x'].map((name) =>
      at('lk-concurrency', name),
    ) as [number[], number[], number[]];
    expect(measured).toEqual(counted);
    expect(measured.map((y, i) => y > said[i]!)).toEqual([false, ...Array(9).fill(true)]);
  });
});

describe('docs/papers.md and its data are the full run (npm run papers)', () => {
  const read = (name: string) => readFileSync(`docs/figures/${name}`, 'utf8');
  const published = JSON.parse(read('rows.json')) as Row[];
  const drawn = JSON.parse(read('figures.json')) as Figure[];

  test('all rows of the quick run, with their claims and verdicts', () => {
    const parts = ({ id, where, quote, reading, claim, verdict }: Row) => ({
      ...{ id, where, quote, reading, claim, verdict },
    });
    expect(published.map(parts)).toEqual(rows.map(parts));
    expect(contradictions(published)).toEqual([]);
  });
  test('all figures, as SVG and CSV', () => {
    const beside = ({ id, rows: ids }: Figure) => ({ id, ids });
    expect(drawn.map(beside)).toEqual(figures.map(beside));
    for (const { rows: ids } of drawn) {
      expect(ids!.length).toBeGreaterThan(0);
      for (const id of ids!) expect(published.map((row) => row.id)).toContain(id);
    }
    for (const figure of drawn) {
      expect(read(`${figure.id}.svg`)).toBe(draw(figure));
      expect(read(`${figure.id}.csv`)).toBe(asCsv(figure));
    }
    const names = drawn.flatMap(({ id }) => [`${id}.svg`, `${id}.csv`]);
    const others = readdirSync('docs/figures').filter((name) => !names.includes(name));
    expect(others.filter((name) => name !== 'index.html').sort()).toEqual([
      ...['figures.json', 'provenance.json', 'rows.json'],
    ]);
  });
  test('made by a commit and a version of Node that are named', () => {
    const { command, commit, node } = JSON.parse(read('provenance.json'));
    expect(command).toBe('latchkey papers');
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    expect(node).toMatch(/^v\d+/);
  });
  test('as a page', async () => {
    await expect(asMarkdown(published, drawn)).toMatchFileSnapshot('../../docs/papers.md');
  });
});
