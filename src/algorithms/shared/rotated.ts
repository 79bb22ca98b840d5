/** The same in the same order, beginning elsewhere: `[2, 3, 0, 1]`. */
export const rotated = <T>(items: readonly T[], first: number): readonly T[] => [
  ...items.slice(first),
  ...items.slice(0, first),
];

/** All sites, in the order of a ring, beginning with this one. */
export const ringFrom = (me: number, n: number): readonly number[] =>
  Array.from({ length: n }, (_, d) => (me + d) % n);
