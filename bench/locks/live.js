/** Forms without which an algorithm is of no use as a lock. */
const FORMS = {
  // Else the right stays with whoever has it and does not want it, and all others wait.
  'raynal-primes': ['inform'],
};

/** The rule by which an algorithm serves the locks whose names match. */
export const ruleFor = (algorithm, match = '*') => ({
  match,
  algorithm,
  options: FORMS[algorithm] ?? [],
});

/** As it is called in tables. */
export const titleOf = (algorithm) => [algorithm, ...(FORMS[algorithm] ?? [])].join(', ');

/** Its token, or its turn, goes round for ever, wanted or not: what comes after it would be disturbed. */
export const isRestless = (algorithm) => ['ring-token', 'raynal-primes'].includes(algorithm);
