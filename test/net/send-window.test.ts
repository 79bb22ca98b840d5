/** How much may be unacknowledged until a peer counts as congested. */
import { expect, test } from 'vitest';
import { SendWindow } from '../../src/net/send-window.ts';

const limits = { congestedBytes: 4096, maxUnackedBytes: 64 * 2 ** 20 };

/** The window after so many milliseconds in which the peer acknowledged so many bytes per millisecond. */
function after(
  ms: number,
  rate: number,
  roundTripMs = 0,
  window = new SendWindow(limits),
): SendWindow {
  for (let now = 0; now <= ms; now += 5) window.sample(now, now * rate, roundTripMs);
  return window;
}

test('is what the peer acknowledges within 50 ms, on a fast machine as on a slow one', () => {
  expect(after(1000, 1000).bytes).toBe(50_000);
  expect(after(1000, 10_000).bytes).toBe(500_000);
});

test('is larger by two round trips, so that a peer far away can be kept busy', () => {
  expect(after(1000, 1000, 100).bytes).toBe(250_000);
});

test('is never less than `congestedBytes`, nor more than a quarter of what may be unacknowledged', () => {
  expect(after(1000, 1).bytes).toBe(4096);
  expect(after(1000, 1e9).bytes).toBe(16 * 2 ** 20);
});

test('shrinks over some periods when less is acknowledged, since there may have been less to send', () => {
  const window = after(1000, 1000);
  window.sample(1030, 1_000_000, 0);
  expect(window.bytes).toBe(45_000);
  for (let now = 1060; now < 4000; now += 30) window.sample(now, 1_000_000, 0);
  expect(window.bytes).toBe(4096);
});
