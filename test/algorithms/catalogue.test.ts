/** The catalogue as a whole, and the algorithms as their papers print them. */
import { describe, expect, test } from 'vitest';
import { catalogue, find, findPrinted, printed } from '../../src/algorithms/catalogue.ts';
import type { Shows } from '../../src/core/printed.ts';
import { variantsOf } from '../support/demands.ts';
import { charitably, inWorld } from '../support/errata-doc.ts';
import { wrongFormulas } from '../support/errata-formulas.ts';
import { exceptional } from './bounds.ts';

/** A world with one entry less, or one site less; and none in which nothing could go wrong. */
function smallerWorlds({ nodes, entries, ...rest }: Shows): Shows[] {
  const fewerEntries = entries.flatMap((count, i) =>
    count === 0 ? [] : [{ ...rest, nodes, entries: entries.with(i, count - 1) }],
  );
  const fewerSites = entries.map((_, i) => ({
    ...{ ...rest, nodes: nodes - 1 },
    entries: entries.toSpliced(i, 1),
  }));
  return [...fewerEntries, ...(nodes > 2 ? fewerSites : [])];
}

describe('as printed', () => {
  for (const [id, forms] of Object.entries(printed)) {
    for (const form of forms) {
      const worlds = [form.shows, ...(form.also ? [form.also.shows] : [])];
      test(`${id} ${form.name}: the checker finds the error where it is said to show`, () => {
        for (const shows of worlds) {
          expect(inWorld(form.algorithm, shows).violation?.property).toBe(shows.violates);
          // And ours, in the same world, does not have it.
          expect(inWorld(find(id), shows).violation).toBeNull();
        }
      });
      test(`${id} ${form.name}: the world that shows the error is the smallest`, () => {
        for (const shows of worlds.flatMap(smallerWorlds)) {
          const { violation } = inWorld(form.algorithm, shows);
          expect(violation?.property, JSON.stringify(shows)).not.toBe(shows.violates);
        }
      });
      test(`${id} ${form.name}: its most charitable reading holds where the printed one fails`, () => {
        const kindly = charitably(form);
        if (kindly === undefined) expect(form.charitable.reading).toMatch(/^We know of none[.:]/);
        else expect(kindly.verdict).toBe('proved');
      });
      test(`${id} ${form.name}: every text is whole sentences`, () => {
        const { quote, reading, about, charitable, published, correction, also } = form;
        const own = [reading, about, charitable.reading, published, correction];
        for (const text of [...own, ...(also ? [also.about] : [])]) {
          expect(text).toMatch(/^[A-Z].*[.”]$/);
          expect(text).not.toMatch(/\b(whoever|someone|nobody)\b/i);
        }
        for (const words of [quote, ...(also ? [also.quote] : [])]) {
          expect(words.where).toMatch(/section|figure/);
          expect(words.text.length).toBeGreaterThan(20);
        }
      });
    }
  }
});

describe('formulas and definitions that are wrong', () => {
  test.each(wrongFormulas.map((f) => [f.title, f] as const))('%s', (_, { evidence }) => {
    const { printed: said, is } = evidence();
    expect(said).not.toBe(is);
  });
});

describe('the catalogue', () => {
  test('has each id once, and each printed form belongs to one of them', () => {
    const ids = catalogue.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Object.keys(printed).filter((id) => !ids.includes(id))).toEqual([]);
  });
  test('is held to its demands whole: each algorithm in one of the files of that name', () => {
    const parts = [
      catalogue.filter((a) => a.family === 'token'),
      catalogue.filter((a) => a.family === 'permission' && a.topology === 'complete'),
      catalogue.filter((a) => a.family === 'permission' && a.topology !== 'complete'),
    ];
    expect(parts.flat().length).toBe(catalogue.length);
  });
  test('every exception to the bounds is about something that exists', () => {
    const known = catalogue.flatMap((a) => [a.id, ...variantsOf(a).map((o) => `${a.id} ${o}`)]);
    expect(exceptional.filter((what) => !known.includes(what))).toEqual([]);
  });
  test('a form that is one error of another is within one of the same algorithm', () => {
    for (const forms of Object.values(printed)) {
      const wholes = [undefined, ...forms.filter((form) => !form.within).map(({ name }) => name)];
      for (const { within } of forms) expect(wholes).toContain(within);
    }
    expect(findPrinted('lodha-kshemkalyani').name).toBe('figure-2');
    expect(findPrinted('lodha-kshemkalyani', 'rcv-flush').name).toBe('rcv-flush');
  });
  test('an unknown id is answered with the nearest', () => {
    expect(() => find('raymnd')).toThrow(
      'there is no algorithm "raymnd" (did you mean "raymond"?): latchkey algorithms lists them',
    );
    expect(() => findPrinted('lamport')).toThrow('lamport has no printed form');
    expect(() => findPrinted('raymond')).toThrow('name one: section-8, section-8.1');
    expect(() => findPrinted('maekawa', 'orginal')).toThrow('(did you mean "original"?)');
  });
});
