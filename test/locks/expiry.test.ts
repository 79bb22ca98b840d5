/** Requests that time out: many at once, and what their errors cost. */
import { performance } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { Expiry } from '../../src/locks/expiry.ts';
import { LockManager, TimeoutError } from '../../src/locks/index.ts';
import { OneProcess } from '../support/one-process.ts';

const make = () => new LockManager(new OneProcess().backend('a'));
const turn = () => new Promise(setImmediate);

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('requests that time out at once', () => {
  test('are refused in their order, for some ten milliseconds in each turn of the event loop', async () => {
    const expiry = new Expiry();
    const refused: { request: number; turn: number }[] = [];
    let turns = 0;
    let counting = setImmediate(function count() {
      turns++;
      counting = setImmediate(count);
    });
    for (let request = 0; request < 20; request++) {
      expiry.run({
        expire() {
          spin(3);
          refused.push({ request, turn: turns });
        },
      });
    }
    expect(refused.length).toBeLessThanOrEqual(4);
    while (refused.length < 20) await turn();
    clearImmediate(counting);
    expect(refused.map(({ request }) => request)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    for (let i = 0; i <= turns; i++) {
      expect(refused.filter((one) => one.turn === i).length).toBeLessThanOrEqual(4);
    }
  });

  test('are refused in later turns, too, and one by one as well', async () => {
    const expiry = new Expiry();
    let refused = 0;
    const request = { expire: () => refused++ };
    for (let i = 1; i <= 3; i++) {
      expiry.run(request);
      expect(refused).toBe(i);
      await turn();
    }
  });

  test('are not refused if they are granted before it is their turn', async () => {
    const locks = make();
    const [x] = [await locks.acquire('x'), await locks.acquire('y')];
    const names = [...Array<string>(10).fill('y'), 'x'];
    const outcomes = await Promise.all(
      names.map(async (name, i) => {
        try {
          (await locks.acquire(name, { timeoutMs: 20 })).release();
          return 'granted';
        } catch {
          spin(6);
          if (i === 2) x.release();
          return 'refused';
        }
      }),
    );
    expect(outcomes).toEqual([...Array<string>(10).fill('refused'), 'granted']);
    expect(locks.stats).toMatchObject({ timedOut: 10, waiting: 0 });
  });
});

test('A TimeoutError carries no stack, as a timer makes it, and leaves the limit of stacks alone', async () => {
  const locks = make();
  await locks.acquire('x');
  const error: unknown = await locks.acquire('x', { timeoutMs: 1 }).catch((reason) => reason);
  expect(error).toBeInstanceOf(TimeoutError);
  expect((error as Error).stack).not.toMatch(/\n\s+at /);
  expect(new Error('with a stack').stack).toMatch(/\n\s+at /);
});
