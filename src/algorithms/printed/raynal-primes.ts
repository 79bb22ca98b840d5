/**
 * Raynal's primes as the survey tells it: a site computes "the total product of all values received",
 * which leaves out its own.
 *
 * Then the first owner passes the test for ever, as the others never change their X; and nobody else
 * ever does, as what the first owner gave away does not cancel out.
 */
import type { Printed } from '../../core/algorithm.ts';
import { raynalPrimes, rules } from '../raynal-primes.ts';

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
  about:
    'T is the product of the values received, without one’s own: the first owner may go in for ' +
    'ever, and nobody else ever does',
  correction:
    'T is the product over all sites, one’s own X included: then it is Q/A of the owner and ' +
    'of nobody else',
  algorithm,
  shows: { nodes: 2, entries: [1, 1], options: ['inform'], violates: 'deadlock-freedom' },
};
