import { expect, test } from 'vitest';
import { Durations } from '../../src/daemon/durations.ts';

test('each bucket of a histogram counts all durations up to its bound', () => {
  const durations = new Durations('wait_seconds', 'From request to grant');
  for (const seconds of [0.0001, 0.0002, 0.5, 4_000]) durations.add(seconds);
  const lines = durations.text().split('\n');
  expect(lines.slice(0, 4)).toEqual([
    '# HELP wait_seconds From request to grant',
    '# TYPE wait_seconds histogram',
    'wait_seconds_bucket{le="0.0001"} 1',
    'wait_seconds_bucket{le="0.00025"} 2',
  ]);
  expect(lines).toContain('wait_seconds_bucket{le="0.25"} 2');
  expect(lines).toContain('wait_seconds_bucket{le="0.5"} 3');
  expect(lines.slice(-5)).toEqual([
    'wait_seconds_bucket{le="1800"} 3',
    'wait_seconds_bucket{le="+Inf"} 4',
    'wait_seconds_sum 4000.5003',
    'wait_seconds_count 4',
    '',
  ]);
});
