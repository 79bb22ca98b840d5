/** Names of locks, drawn from a seed: all equally likely, or by Zipf's law with exponent 1. */

export function namesFrom(distribution, count, seed) {
  const random = uniform(seed);
  if (distribution === 'uniform') return () => `user/${Math.floor(random() * count)}`;
  const cumulative = new Float64Array(count);
  let sum = 0;
  for (let rank = 1; rank <= count; rank++) {
    sum += 1 / rank;
    cumulative[rank - 1] = sum;
  }
  return () => `user/${firstAbove(cumulative, random() * sum)}`;
}

/** The index of the first value that is greater than `limit`. */
function firstAbove(ascending, limit) {
  let [low, high] = [0, ascending.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Numbers from 0 up to 1 (mulberry32). */
function uniform(seed) {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
