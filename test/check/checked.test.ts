/** docs/checked.md says how far everything was searched: whole, fresh, and true of the code as it is now. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkedPage } from '../../bench/sweep/page.js';
import { keyOf, planOf, type Row } from '../../bench/sweep/plan.js';
import { readResults } from '../../bench/sweep/results.js';
import { searcher } from '../../bench/sweep/search.js';
import { brokenClaims, failureOf } from '../../bench/sweep/verdicts.js';
import { catalogue, find, findPrinted, printed } from '../../src/algorithms/catalogue.ts';
import { check } from '../../src/check/check.ts';
import { makeWorld } from '../../src/topologies/world.ts';
import { variantsOf } from '../support/demands.ts';

const plan: Row[] = planOf(catalogue, printed);
const results = readResults();
/** As many states as can be searched again here. */
const SMALL = 20_000;
const rowsOf = (id: string, name?: string) =>
  plan.filter((row) => row.id === id && row.printed === name);

describe('the plan', () => {
  test.each(catalogue)(
    '$id: each of its options, modes and links, k, and what it survives (bench/sweep/claims.js)',
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
  test('has every form as printed', () => {
    const forms = Object.entries(printed).flatMap(([id, each]) =>
      each.map(({ name }) => [id, name]),
    );
    for (const [id, name] of forms) expect(rowsOf(id!, name)).not.toEqual([]);
  });
  test('has each name once', () => {
    expect(new Set(plan.map(keyOf)).size).toBe(plan.length);
  });
});

describe('the results (npm run sweep)', () => {
  test('every row of the plan has one, and no other', () => {
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
  test('one that did would be seen, searched whole or at random', () => {
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
  test('every text with an error fails somewhere, in what it is said to', () => {
    for (const [id, forms] of Object.entries(printed)) {
      for (const { name, shows } of forms) {
        const found = rowsOf(id, name).flatMap((row) => results.get(keyOf(row)) ?? []);
        const failures = found.map(failureOf);
        expect(failures.map((failure) => failure?.property)).toContain(shows.violates);
      }
    }
  });
  test('are what docs/checked.md shows', () => {
    expect(readFileSync('docs/checked.md', 'utf8')).toBe(checkedPage(catalogue, plan, results));
  });
});

describe('the smaller ones again', () => {
  const latchkey = { find, findPrinted, makeWorld, check };
  test.each(catalogue)('$id: the same states, the same verdict', ({ id }) => {
    for (const row of plan.filter((each) => each.id === id)) {
      const { exhaust } = searcher(row, latchkey);
      for (const { seconds: _, ...model } of results.get(keyOf(row))?.models ?? []) {
        if (model.states <= SMALL)
          expect({ row, ...exhaust(model.n, {}) }).toEqual({ row, ...model });
      }
    }
  });
});
