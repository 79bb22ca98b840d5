/** docs/checked.md says how far everything was searched: it is complete, current and true of this code. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkedPage } from '../../bench/sweep/page.js';
import { keyOf, planOf, type Row } from '../../bench/sweep/plan.js';
import { readResults } from '../../bench/sweep/results.js';
import { searcher } from '../../bench/sweep/search.js';
import { readServiceResults, serviceKey, serviceRows } from '../../bench/sweep/service.js';
import { brokenClaims, failureOf } from '../../bench/sweep/verdicts.js';
import { catalogue, find, findPrinted, printed } from '../../src/algorithms/catalogue.ts';
import { check } from '../../src/check/check.ts';
import { checkService } from '../../src/check/service/check-service.ts';
import { fixed } from '../../src/engines/fixed.ts';
import { makeWorld } from '../../src/topologies/world.ts';
import { variantsOf } from '../support/demands.ts';

const plan: Row[] = planOf(catalogue, printed);
const results = readResults();
/** The largest search that is repeated here, in states. */
const SMALL = 20_000;
const rowsOf = (id: string, name?: string) =>
  plan.filter((row) => row.id === id && row.printed === name);

describe('the plan of the sweep', () => {
  test.each(catalogue)(
    '$id: the plan has each option, mode and kind of links, k, and each fault that it survives (bench/sweep/claims.js)',
    (a) => {
      const rows = rowsOf(a.id);
      expect(new Set(rows.map(({ option }) => option))).toEqual(
        new Set([undefined, ...variantsOf(a)]),
      );
      expect(rows.some(({ modes }) => modes.length === a.modes.length)).toBe(true);
      expect(rows.some(({ k }) => k === 2)).toBe(a.k);
      const isFaulty = ({ crashes, losses, duplications }: Row) =>
        crashes || losses || duplications;
      expect(rows.some(isFaulty)).toBe(a.recovers.length > 0);
      for (const links of ['any', 'fifo'])
        expect(rows.some((row) => row.links === links)).toBe(true);
    },
  );
  test('the plan has every printed form', () => {
    const forms = Object.entries(printed).flatMap(([id, each]) =>
      each.map(({ name }) => [id, name]),
    );
    for (const [id, name] of forms) expect(rowsOf(id!, name)).not.toEqual([]);
  });
  test('the plan has each key once', () => {
    expect(new Set(plan.map(keyOf)).size).toBe(plan.length);
  });
});

describe('the results of the sweep (npm run sweep)', () => {
  test('every row of the plan has a result, and no other result is kept', () => {
    const keys = new Set(plan.map(keyOf));
    expect([...keys].filter((key) => !results.has(key))).toEqual([]);
    expect([...results.keys()].filter((key) => !keys.has(key))).toEqual([]);
  });
  test('every row has at least one world', () => {
    expect([...results].filter(([, { models }]) => models.length === 0)).toEqual([]);
  });
  test('no algorithm of ours fails where it claims not to', () => {
    expect(brokenClaims(plan, results)).toEqual([]);
  });
  test('a broken claim would be reported, found exhaustively or at random', () => {
    const key = keyOf(rowsOf('raymond')[0]!);
    const wrong = { property: 'mutual-exclusion', why: '0 and 1 are inside at once', n: 3 };
    const model = { ...wrong, verdict: 'violated', states: 9, depth: 4 } as const;
    const walk = { ...wrong, pct: 0, schedules: 1, steps: 9, seed: 1 };
    for (const found of [
      { models: [model], random: [] },
      { models: [], random: [walk] },
    ]) {
      expect(brokenClaims(plan, new Map(results).set(key, found))).toMatchObject([{ key, n: 3 }]);
    }
  });
  test('every printed text with an error violates the property that its entry names', () => {
    for (const [id, forms] of Object.entries(printed)) {
      for (const { name, shows } of forms) {
        const found = rowsOf(id, name).flatMap((row) => results.get(keyOf(row)) ?? []);
        const failures = found.map(failureOf);
        expect(failures.map((failure) => failure?.property)).toContain(shows.violates);
      }
    }
  });
  test('docs/checked.md shows the results', () => {
    expect(readFileSync('docs/checked.md', 'utf8')).toBe(checkedPage(catalogue, plan, results));
  });
});

describe('the smaller searches are repeated', () => {
  const latchkey = { find, findPrinted, makeWorld, check };
  test.each(catalogue)('$id: each has the recorded states and verdict', ({ id }) => {
    for (const row of plan.filter((each) => each.id === id)) {
      const { exhaust } = searcher(row, latchkey);
      for (const { seconds: _, ...model } of results.get(keyOf(row))?.models ?? []) {
        if (model.states <= SMALL)
          expect({ row, ...exhaust(model.n, {}) }).toEqual({ row, ...model });
      }
    }
  });
});

describe('the lock service itself (node bench/sweep/service.js)', () => {
  const known = readServiceResults();
  test('every row has a result, and none is violated', () => {
    const rows = serviceRows.map((row) => known[serviceKey(row)]);
    expect(serviceRows.filter((_, i) => rows[i] === undefined).map(serviceKey)).toEqual([]);
    expect(rows.filter(({ verdict }) => verdict === 'violated')).toEqual([]);
  });
  const small = serviceRows.filter((row) => known[serviceKey(row)]?.states < SMALL);
  test.each(small.map((row) => [serviceKey(row), row] as const))('%s', (key, row) => {
    const { verdict, states, transitions } = checkService({ ...row, makeEngine: fixed });
    expect({ verdict, states, transitions }).toMatchObject({
      verdict: known[key].verdict,
      states: known[key].states,
      transitions: known[key].transitions,
    });
  });
});
