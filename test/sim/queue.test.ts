/** The parts that a run is made of: event queue, channels, random numbers, delays. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exp, ln } from '../../src/core/arithmetic.ts';
import { UsageError } from '../../src/core/errors.ts';
import { Random } from '../../src/core/random.ts';
import { Channels } from '../../src/sim/channels.ts';
import { Delay } from '../../src/sim/delay.ts';
import { DELIVER, REQUEST } from '../../src/sim/events.ts';
import { EventQueue } from '../../src/sim/queue.ts';
import { estimate } from '../../src/sim/samples.ts';

describe('the queue', () => {
  type Event = { time: number; kind: number; site: number; order: number };

  const commands = fc.array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ after: fc.nat(9), kind: fc.constantFrom(DELIVER, REQUEST) }),
      },
      { weight: 2, arbitrary: fc.constant('pop' as const) },
    ),
    { maxLength: 400 },
  );

  test('gives back what a sorted list does, ties in order of insertion', () => {
    fc.assert(
      fc.property(commands, (list) => {
        const queue = new EventQueue(4);
        const sorted: Event[] = [];
        let now = 0;
        let order = 0;
        const popBoth = () => {
          sorted.sort((a, b) => a.time - b.time || a.order - b.order);
          const expected = sorted.shift();
          expect(queue.pop()).toBe(expected !== undefined);
          if (expected === undefined) return;
          const { time, kind, site } = queue;
          expect({ time, kind, site, order: queue.order }).toEqual(expected);
          expect([queue.from, queue.clock]).toEqual([expected.site + 1, expected.site + 2]);
          if (kind === DELIVER) {
            expect(queue.message).toEqual({ type: `${site}` });
            expect(queue.id).toBe(site + 3);
          }
          now = time;
        };
        for (const command of list) {
          if (command === 'pop') {
            popBoth();
            continue;
          }
          const { kind } = command;
          const time = now + command.after;
          const site = order;
          if (kind === DELIVER) {
            const message = { type: `${site}` };
            Object.assign(queue, { arrival: time, sender: site + 1, stamp: site + 2 });
            queue.pushMessage(kind, site, message, site + 3);
          } else {
            queue.push(time, kind, site, site + 1, site + 2);
          }
          sorted.push({ time, kind, site, order: order++ });
        }
        expect(queue.length).toBe(sorted.length);
        while (sorted.length > 0) popBoth();
        expect(queue.pop()).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('an event put back comes before its equals that were inserted later', () => {
    const queue = new EventQueue(2);
    queue.arrival = 5;
    for (const site of [1, 2]) queue.pushMessage(DELIVER, site, { type: `M${site}` }, site);
    queue.pop();
    const { taken } = queue;
    expect(taken).toMatchObject({ site: 1, message: { type: 'M1' } });
    queue.pushBack(5, taken);
    queue.pop();
    expect(queue.taken).toEqual(taken);
    queue.pop();
    expect(queue.site).toBe(2);
  });

  test('knows whether a message to or from a site is under way', () => {
    const queue = new EventQueue(2);
    queue.push(9, REQUEST, 7, 0, 0);
    for (const [sender, site, arrival] of [
      [2, 1, 5],
      [4, 3, 4],
    ] as const) {
      Object.assign(queue, { arrival, sender });
      queue.pushMessage(DELIVER, site, { type: 'M' }, 1);
    }
    const of = [0, 1, 2, 3, 4, 7].filter((site) => queue.hasMessageOf(site));
    expect(of).toEqual([1, 2, 3, 4]);
  });
});

test('channels remember their last arrival, few sites or many', () => {
  for (const n of [10, 1_000_000]) {
    const channels = new Channels(n);
    const dumb = new Map<string, number>();
    const random = new Random(1, 'test');
    for (let i = 0; i < 20_000; i++) {
      const from = random.below(n);
      const to = (from + 1 + random.below(3)) % n;
      const wish = 100 * random.uniform();
      const arrival = Math.max(wish, dumb.get(`${from} ${to}`) ?? 0);
      dumb.set(`${from} ${to}`, arrival);
      expect(channels.arrive(from, to, wish)).toBe(arrival);
    }
  }
});

describe('arithmetic that is the same everywhere', () => {
  test('ln agrees with Math.log', () => {
    for (let x = 1e-12; x < 1e12; x *= 1.001) {
      expect(Math.abs(ln(x) - Math.log(x))).toBeLessThanOrEqual(
        4e-16 * Math.max(1, Math.abs(Math.log(x))),
      );
    }
    expect(ln(1)).toBe(0);
  });

  test('exp agrees with Math.exp', () => {
    for (let x = -50; x < 50; x += 0.013) {
      expect(Math.abs(exp(x) / Math.exp(x) - 1)).toBeLessThan(1e-15);
    }
    expect(exp(0)).toBe(1);
  });
});

describe('random numbers', () => {
  // Worked out by another program, in Python: sfc32 from the state (1, 0, FNV-1a of "test", 1), 20
  // rounds thrown away.
  test('are the same on every machine', () => {
    const random = new Random(1, 'test');
    expect([random.next(), random.next(), random.next()]).toEqual([
      4266000377, 1149150452, 2399837136,
    ]);
    expect(random.exponential(5)).toBe(4.82322117507279);
    expect(random.normal()).toBe(-0.21710872571455364);
    expect(random.lognormal(1, 0.5)).toBe(1.8067690484335253);
  });

  test('differ by seed, all 53 bits of it, and by stream', () => {
    const first = (seed: number, stream: string) => new Random(seed, stream).next();
    const all = [first(1, 'a'), first(2, 'a'), first(2 ** 40 + 1, 'a'), first(1, 'b')];
    expect(new Set(all).size).toBe(4);
  });

  test('below: each value as often as any other', () => {
    const random = new Random(9, 'test');
    const counts = [0, 0, 0, 0, 0, 0];
    for (let i = 0; i < 60_000; i++) counts[random.below(6)]! += 1;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400);
    // Three quarters of 2³²: with a bias the lower third would come up twice as often.
    let low = 0;
    for (let i = 0; i < 30_000; i++) if (random.below(3 * 2 ** 30) < 2 ** 30) low++;
    expect(Math.abs(low - 10_000)).toBeLessThan(400);
  });
});

describe('delays', () => {
  const moments = (text: string) => {
    const delay = new Delay(text);
    const random = new Random(5, 'test');
    const samples = Array.from({ length: 200_000 }, () => delay.sample(random));
    const mean = samples.reduce((a, b) => a + b) / samples.length;
    const variance = samples.reduce((a, b) => a + (b - mean) ** 2, 0) / samples.length;
    return { mean, deviation: Math.sqrt(variance), least: Math.min(...samples.slice(0, 9999)) };
  };

  test('have the mean and the deviation that they say', () => {
    expect(moments('constant:5')).toEqual({ mean: 5, deviation: 0, least: 5 });
    const uniform = moments('uniform:1,9');
    expect(uniform.mean).toBeCloseTo(5, 1);
    expect(uniform.deviation).toBeCloseTo(8 / Math.sqrt(12), 1);
    expect(uniform.least).toBeGreaterThanOrEqual(1);
    const exponential = moments('exponential:5');
    expect(exponential.mean).toBeCloseTo(5, 1);
    expect(exponential.deviation).toBeCloseTo(5, 1);
    const lognormal = moments('lognormal:5,2');
    expect(lognormal.mean).toBeCloseTo(5, 1);
    expect(lognormal.deviation).toBeCloseTo(2, 1);
  });

  const forms =
    'a delay is constant:T, uniform:LEAST,MOST, exponential:MEAN or lognormal:MEAN,DEVIATION, as in constant:5';
  const wrong = {
    '5': `${forms}; there is no "5"`,
    'costant:5': `${forms}; there is no "costant:5" (did you mean "constant"?)`,
    'constant:': `${forms}; got "constant:"`,
    'constant:-5': `${forms}; got "constant:-5"`,
    'constant:0x10': `${forms}; got "constant:0x10"`,
    'constant:5,6': `${forms}; got "constant:5,6"`,
    'uniform:3': `${forms}; got "uniform:3"`,
    'constant:0': `${forms}, and it takes some time; got "constant:0"`,
    'exponential:0': `${forms}, and it takes some time; got "exponential:0"`,
    'uniform:9,1': `${forms}, and LEAST is at most MOST, and MOST above 0; got "uniform:9,1"`,
    'lognormal:5,1e999': `${forms}; got "lognormal:5,1e999"`,
  };
  for (const [text, message] of Object.entries(wrong)) {
    test(`refuses ${text}`, () => {
      expect(() => new Delay(text)).toThrow(new UsageError(message));
    });
  }
});

test('Student: few runs know little', () => {
  expect(estimate([1, 3])).toEqual({ mean: 2, ci95: 12.706 });
  expect(estimate([5, 5, 5])).toEqual({ mean: 5, ci95: 0 });
  const many = Array.from({ length: 101 }, (_, i) => i);
  // t with 100 degrees of freedom is 1.984; the deviation of 0 … 100 is 29.3.
  expect(estimate(many).ci95).toBeCloseTo((1.984 * 29.3) / Math.sqrt(101), 2);
});
