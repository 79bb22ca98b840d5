/** How bench/faults judges what it has seen. */
import { describe, expect, test } from 'vitest';
import { judgeOutages } from '../../bench/faults/store-faults.js';

const outages = (parts: readonly number[], losses = 0) =>
  parts.map((part) => ({ part, during: 400, losses }));

describe('short outages of the store', () => {
  test('are judged once, by their median', () => {
    const noisy = judgeOutages(outages([1.04, 1.03, 0.88, 1.02, 1.05]));
    expect(noisy).toMatchObject({ rounds: 1, good: 1 });
    expect(noisy.seen).toContain('103 % of undisturbed (median of 104 %, 103 %, 88 %');
    expect(judgeOutages(outages([1.04, 0.9, 0.88, 0.94, 1.05]))).toMatchObject({ good: 0 });
  });

  test('do not pass with a lost lock, however high the throughput is', () => {
    expect(judgeOutages(outages([1, 1, 1, 1, 1], 1))).toMatchObject({ good: 0 });
    expect(judgeOutages([])).toMatchObject({ good: 0 });
  });
});
