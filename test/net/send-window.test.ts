/** How much may be unacknowledged until a peer counts as congested. */
import { expect, test } from 'vitest';
import { SendWindow } from '../../src/net/send-window.ts';

const limits = { congestedBytes: 4096, maxUnackedBytes: 64 * 2 ** 20 };

/** So many messages, of which each is acknowledged after a delay that depends on the window. */
function run(count: number, delayOf: (bytes: number) => number, roundTripMs = 0, isFull = true) {
  const window = new SendWindow(limits);
  for (let number = 1, now = 0; number <= count; number++) {
    expect(window.mustAsk(window.bytes)).toBe(true);
    window.asks(number, now);
    window.wasFull = isFull;
    now += delayOf(window.bytes);
    window.acknowledged(number, now, roundTripMs);
    expect(window.mustAsk(0)).toBe(false);
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

test('a window that is never full grows to 64 KiB while the peer is fast, so that it is asked less often', () => {
  const calm = run(200, () => 1, 0, false);
  expect(calm).toBeGreaterThanOrEqual(65_536);
  expect(calm).toBeLessThan(1.25 * 65_536);
  expect(run(200, () => 1000, 0, false)).toBe(4096);
});

test('the peer is asked when half of the window is unacknowledged, and once only until it has answered', () => {
  const window = new SendWindow(limits);
  expect(window.mustAsk(2048)).toBe(false);
  expect(window.mustAsk(2049)).toBe(true);
  window.asks(9, 0);
  expect(window.mustAsk(100_000)).toBe(false);
  window.acknowledged(8, 1, 0);
  expect(window.mustAsk(100_000)).toBe(false);
  window.acknowledged(9, 1, 0);
  expect(window.mustAsk(100_000)).toBe(true);
  window.asks(12, 2);
  window.forgetQuestion();
  expect(window.mustAsk(100_000)).toBe(true);
});

test('the answer counts, and an acknowledgement of what was sent before the question does not', () => {
  const window = new SendWindow(limits);
  window.asks(5, 0);
  window.wasFull = true;
  window.acknowledged(4, 1, 0);
  expect(window.bytes).toBe(4096);
  window.acknowledged(7, 2, 0);
  expect(window.bytes).toBe(5120);
});
