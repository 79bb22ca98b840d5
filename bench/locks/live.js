/** Options without which an algorithm is useless as a lock. */
const FORMS = {
  // Otherwise the right stays at a site that does not want it, and all others wait.
  'raynal-primes': ['inform'],
};

/** The rule by which an algorithm serves the locks whose names match. */
export const ruleFor = (algorithm, match = '*') => ({
  match,
  algorithm,
  options: FORMS[algorithm] ?? [],
});

/** The name of an algorithm in tables. */
export const titleOf = (algorithm) => [algorithm, ...(FORMS[algorithm] ?? [])].join(', ');

/**
 * Its token, or its turn, circulates for ever, even without requests, and would disturb later
 * measurements.
 */
export const circulates = (algorithm) => ['ring-token', 'raynal-primes'].includes(algorithm);
