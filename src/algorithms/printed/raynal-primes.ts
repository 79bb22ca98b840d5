/**
 * Raynal's primes as the survey tells it: a site computes "the total product of all values received",
 * which leaves out its own.
 *
 * Then the first owner passes the test for ever, as the others never change their X; and no other site
 * ever does, as what the first owner gave away does not cancel out.
 */
import type { Printed } from '../../core/printed.ts';
import { raynalPrimes, rules } from '../raynal-primes.ts';
import { retold } from './published.ts';

const algorithm: typeof raynalPrimes = {
  ...raynalPrimes,
  ...rules(({ odd }, { me, n }) =>
    odd.every((left, j) => {
      const before = (j + n - 1) % n;
      const factors = [
        j !== 0 && j !== me, //        A_j, if it was in X_j at first
        left && j !== me, //           A_j again, for each time that j left
        odd[before] && before !== me, // 1/A_j, for each time that the one before it left
      ];
      const exponentIsOdd = factors.filter(Boolean).length % 2 === 1;
      return exponentIsOdd === (j !== me);
    }),
  ),
};

export const valuesReceived: Printed = {
  name: 'survey',
  quote: {
    where: 'the survey, section 5, on Raynal',
    text:
      'When all replies have arrived, node i computes T, the total product of all values Xj received. If ' +
      'T equals Q/Ai, then node i can proceed to enter its CS.',
  },
  reading: 'Node i receives nothing from itself, so that its own X is not a factor of T.',
  about:
    'T lacks the X of the node that computes it. The first owner may enter again and again, and no ' +
    'other node ever enters.',
  charitable: {
    reading: 'The own X of the node is one of the values.',
    algorithm: raynalPrimes,
  },
  published: retold,
  correction:
    'T is the product over all sites, the own X included. It then is Q/A of the owner and of no other site.',
  algorithm,
  shows: { nodes: 2, entries: [0, 1], options: ['inform'], violates: 'deadlock-freedom' },
};
