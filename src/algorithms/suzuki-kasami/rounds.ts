/** Numbers below 2L, with `bounded=L`: which come round again after two rounds of L requests. */

/** What numbers are counted modulo: infinity unless they are bounded. */
export const modulusOf = (bounded: number | undefined): number =>
  bounded === undefined ? Number.POSITIVE_INFINITY : 2 * bounded;

/** Whether this number ends a round of L requests, which all must acknowledge. */
export const endsRound = (bounded: number | undefined, n: number): boolean =>
  bounded !== undefined && n % bounded === 0;
