/** The catalogue as a whole, and the algorithms as their papers print them. */
import { describe, expect, test } from 'vitest';
import { catalogue, find, findPrinted, printed } from '../../src/algorithms/catalogue.ts';
import { variantsOf } from '../support/demands.ts';
import { inItsWorld } from '../support/errata-doc.ts';
import { wrongFormulas } from '../support/errata-formulas.ts';
import { exceptional } from './bounds.ts';

describe('as printed', () => {
  for (const [id, forms] of Object.entries(printed)) {
    for (const form of forms) {
      test(`${id} ${form.name}: the checker finds the error where it is said to show`, () => {
        expect(inItsWorld(form.algorithm, form).violation?.property).toBe(form.shows.violates);
        // And ours, in the same world, does not have it.
        expect(inItsWorld(find(id), form).violation).toBeNull();
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
