/** Deadlocks in a survey. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SurveyEntry } from '../../src/group/backend.ts';
import { cyclesOf } from '../../src/group/cycles.ts';

const entry = (clientId: string, name: string, more: Partial<SurveyEntry> = {}): SurveyEntry => ({
  name,
  permits: 0,
  mode: 'exclusive',
  clientId,
  member: 'a',
  forMs: 1,
  ...more,
});
const cycles = (held: readonly SurveyEntry[], pending: readonly SurveyEntry[]) =>
  cyclesOf({ held, pending, unreachable: [] });

describe('a circle of callers', () => {
  test('is named, with what each holds and waits for', () => {
    const held = [entry('x', 'A'), entry('y', 'B')];
    const pending = [entry('x', 'B'), entry('y', 'A')];
    expect(cycles(held, pending)).toEqual([
      [
        { clientId: 'x', member: 'a', holds: 'A', waitsFor: 'B' },
        { clientId: 'y', member: 'a', holds: 'B', waitsFor: 'A' },
      ],
    ]);
  });
  test('of three members is found, and a caller that waits for them is not part of it', () => {
    const held = ['A', 'B', 'C'].map((name, i) => entry(`m${i}`, name, { member: `m${i}` }));
    const pending = [
      entry('bystander', 'A'),
      ...['B', 'C', 'A'].map((name, i) => entry(`m${i}`, name, { member: `m${i}` })),
    ];
    const found = cycles(held, pending);
    expect(found).toHaveLength(1);
    expect(found[0]!.map(({ clientId }) => clientId).sort()).toEqual(['m0', 'm1', 'm2']);
  });
  test('two circles are two', () => {
    const held = ['A', 'B', 'C', 'D'].map((name) => entry(`of ${name}`, name));
    const pending = ['BA', 'AB', 'DC', 'CD'].map(([wants, of]) => entry(`of ${of}`, wants!));
    expect(cycles(held, pending)).toHaveLength(2);
  });
  test('through a shared lock is one, as a writer waits for every reader', () => {
    const reads = { mode: 'shared' } as const;
    const held = [entry('x', 'A', reads), entry('z', 'A', reads), entry('y', 'B')];
    expect(cycles(held, [entry('y', 'A'), entry('x', 'B')])).toHaveLength(1);
  });
});

describe('no circle', () => {
  test('a queue, a chain and readers beside each other are none', () => {
    const shared = { mode: 'shared' } as const;
    expect(cycles([entry('x', 'A')], [entry('y', 'A'), entry('z', 'A')])).toEqual([]);
    expect(cycles([entry('x', 'A'), entry('y', 'B')], [entry('x', 'B')])).toEqual([]);
    expect(
      cycles(
        [entry('x', 'A', shared), entry('y', 'B', shared)],
        [entry('x', 'B', shared), entry('y', 'A', shared)],
      ),
    ).toEqual([]);
  });
  test('a process that waits for a lock of its own may have another caller that releases it', () => {
    expect(cycles([entry('x', 'A')], [entry('x', 'A')])).toEqual([]);
  });
  test('a semaphore waits for any of its holders, and one of them can finish', () => {
    const of2 = { permits: 2 };
    const held = [entry('x', 'S', of2), entry('free', 'S', of2), entry('y', 'B')];
    expect(cycles(held, [entry('x', 'B'), entry('y', 'S', of2)])).toEqual([]);
    const stuck = [entry('x', 'S', of2), entry('z', 'S', of2), entry('y', 'B')];
    const pending = [entry('x', 'B'), entry('z', 'B'), entry('y', 'S', of2)];
    expect(cycles(stuck, pending)).toHaveLength(1);
  });
});

test('in any survey, each caller of a circle holds what the caller before it waits for', () => {
  const names = fc.constantFrom('A', 'B', 'C', 'D');
  const callers = fc.constantFrom('x', 'y', 'z', 'w');
  const some = (from: fc.Arbitrary<string>) => fc.tuple(from, names);
  fc.assert(
    fc.property(
      fc.uniqueArray(some(callers), { selector: ([, name]) => name }),
      fc.array(some(callers), { maxLength: 8 }),
      (holds, waits) => {
        const held = holds.map(([who, name]) => entry(who, name));
        const pending = waits.map(([who, name]) => entry(who, name));
        for (const cycle of cycles(held, pending)) {
          expect(cycle.length).toBeGreaterThan(1);
          cycle.forEach(({ clientId, holds: lock, waitsFor }, i) => {
            expect(held).toContainEqual(entry(clientId, lock));
            expect(pending).toContainEqual(entry(clientId, waitsFor));
            expect(cycle[(i + 1) % cycle.length]!.holds).toBe(waitsFor);
          });
        }
      },
    ),
    { numRuns: 2000 },
  );
});

/** How many fields of the entries `run` reads, and how many values it adds to sets. */
function workOf(
  entries: readonly (readonly SurveyEntry[])[],
  run: (entries: SurveyEntry[][]) => void,
): number {
  let work = 0;
  const handler: ProxyHandler<SurveyEntry> = {
    get(target, field) {
      work++;
      return target[field as keyof SurveyEntry];
    },
  };
  const { add } = Set.prototype;
  Set.prototype.add = function (this: Set<unknown>, value: unknown) {
    work++;
    return add.call(this, value);
  };
  try {
    run(entries.map((list) => list.map((one) => new Proxy(one, handler))));
  } finally {
    Set.prototype.add = add;
  }
  return work;
}

describe('of ten thousand holders and ten thousand waiting requests each is looked at a few times', () => {
  const list = (make: (i: number) => SurveyEntry) =>
    Array.from({ length: 10_000 }, (_, i) => make(i));
  const reads = { mode: 'shared' } as const;
  test.each([
    [
      'in a chain',
      list((i) => entry(`h${i}`, `lock ${i}`)),
      list((i) => entry(`h${i}`, `lock ${i + 1}`)),
    ],
    [
      'readers and writers of one lock',
      list((i) => entry(`r${i}`, 'x', reads)),
      list((i) => entry(`w${i}`, 'x')),
    ],
    [
      'readers of one lock',
      list((i) => entry(`r${i}`, 'x', reads)),
      list((i) => entry(`q${i}`, 'x', reads)),
    ],
    ['of one process', list((i) => entry('p', `lock ${i}`)), list((i) => entry('q', `lock ${i}`))],
  ])('%s', (_, held, pending) => {
    const work = workOf([held, pending], ([holders, waiting]) => {
      expect(cycles(holders!, waiting!)).toEqual([]);
    });
    // A search that looks at each request for each holder takes a hundred million steps.
    expect(work).toBeLessThan(50 * (held.length + pending.length));
  });
});
