/** The judge of `soak`, on histories that are known to be right or wrong. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FencedRegister, Judge } from '../../src/soak/judge.ts';

describe('the judge', () => {
  test('accepts holds that follow each other with growing fences', () => {
    const judge = new Judge();
    judge.stamp('x', 'a', 1n, 10);
    judge.stamp('x', 'a', 1n, 20);
    judge.stamp('x', 'b', 5n, 21);
    judge.stamp('y', 'c', 2n, 15);
    expect([judge.violations, judge.holds]).toEqual([[], 3]);
  });

  test('finds a holder that acts after the next one has entered', () => {
    const judge = new Judge();
    judge.stamp('x', 'a', 1n, 10);
    judge.stamp('x', 'b', 2n, 20);
    // Reported late, as by a process that was stopped.
    judge.stamp('x', 'a', 1n, 25);
    expect(judge.violations).toEqual([
      'x: b enters with fence 2, and a with fence 1 acts 5.0 ms later',
    ]);
  });

  test('finds a fence that falls', () => {
    const judge = new Judge();
    judge.stamp('x', 'a', 7n, 10);
    judge.stamp('x', 'b', 6n, 20);
    expect(judge.violations).toHaveLength(1);
  });

  test('finds two members with one fence', () => {
    const judge = new Judge();
    judge.stamp('x', 'a', 7n, 10);
    judge.stamp('x', 'b', 7n, 20);
    expect(judge.violations).toEqual(['x: b and a both have the fence 7']);
  });

  test('does not depend on the order in which stamps are reported', () => {
    const hold = fc.record({ length: fc.nat(5), gap: fc.integer({ min: 1, max: 5 }) });
    fc.assert(
      fc.property(
        fc.array(hold, { maxLength: 12 }),
        fc.infiniteStream(fc.nat()),
        (holds, order) => {
          let time = 0;
          const stamps = holds.flatMap(({ length, gap }, i) => {
            const from = time + gap;
            time = from + length;
            return [from, time].map((at) => ({
              fence: BigInt(i + 1),
              at,
              key: order.next().value!,
            }));
          });
          stamps.sort((a, b) => a.key - b.key);
          const judge = new Judge();
          for (const { fence, at } of stamps) judge.stamp('x', `${fence}`, fence, at);
          expect(judge.violations).toEqual([]);
          // The same with a last stamp of the first holder at the end of time.
          if (holds.length < 2) return;
          judge.stamp('x', '1', 1n, time);
          expect(judge.violations).not.toEqual([]);
        },
      ),
    );
  });

  test('knows when a lock was lost, and the hold that came next', () => {
    const judge = new Judge();
    judge.stamp('x', 'a', 1n, 10);
    judge.lost('x', 1n, 15);
    judge.stamp('x', 'b', 4n, 20);
    expect(judge.hold('x', 1n)?.lostAt).toBe(15);
    expect(judge.next('x', 1n)).toMatchObject({ member: 'b', from: 20 });
    expect([judge.hold('x', 2n), judge.next('x', 4n), judge.losses]).toEqual([null, null, 1]);
  });
});

test('the fenced register accepts a write again, and refuses one with a lower fence', () => {
  const register = new FencedRegister();
  const answers = [4n, 4n, 9n, 4n].map((fence) => register.write('x', fence));
  expect(answers).toEqual([true, true, true, false]);
  expect(register.write('y', 1n)).toBe(true);
  expect([register.accepted, register.refused]).toEqual([4, 1]);
});
