/** How much may be unacknowledged until a peer counts as congested. */
import { expect, test } from 'vitest';
import { SendWindow } from '../../src/net/send-window.ts';

const limits = { congestedBytes: 4096, maxUnackedBytes: 64 * 2 ** 20 };

/** So many messages, of which each is acknowledged after a delay that depends on the window. */
function run(count: number, delayOf: (bytes: number) => number, roundTripMs = 0, isFull = true) {
  const window = new SendWindow(limits);
  for (let number = 1, now = 0; number <= count; number++) {
    window.measure(number, now);
    window.wasFull = isFull;
    now += delayOf(window.bytes);
    window.acknowledged(number, now, roundTripMs);
    expect(window.isMeasuring).toBe(false);
  }
  return window.bytes;
}

test('a full window becomes what the peer handles within 60 ms, on a fast machine as on a slow one', () => {
  for (const bytesPerMs of [200, 1000, 10_000]) {
    const ideal = 60 * bytesPerMs;
    const bytes = run(200, (unacked) => unacked / bytesPerMs);
    expect(bytes).toBeGreaterThan(0.75 * ideal);
    expect(bytes).toBeLessThan(1.3 * ideal);
  }
});

test('a peer far away gets a larger window, so that it can be kept busy', () => {
  const far = run(200, (unacked) => 200 + unacked / 1000, 100);
  expect(far).toBeGreaterThan(40_000);
});

test('the window is never less than `congestedBytes`, nor more than a quarter of what may be unacknowledged', () => {
  expect(run(200, () => 10_000)).toBe(4096);
  expect(run(200, () => 0)).toBe(16 * 2 ** 20);
});

test('a window that is not full stays as it is, because the peer may delay its acknowledgement', () => {
  expect(run(200, () => 0, 0, false)).toBe(4096);
});

test('only the measured message counts, and what was sent before it does not', () => {
  const window = new SendWindow(limits);
  window.measure(5, 0);
  window.wasFull = true;
  window.acknowledged(4, 1, 0);
  expect(window.isMeasuring).toBe(true);
  window.acknowledged(7, 2, 0);
  expect(window.bytes).toBe(5120);
});
