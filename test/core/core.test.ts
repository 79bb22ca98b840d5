/** The basis of every layer: messages as data, options, plain values, suggestions for names, steps. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Algorithm, Site } from '../../src/core/algorithm.ts';
import { didYouMean, UsageError } from '../../src/core/errors.ts';
import { Machine } from '../../src/core/machine.ts';
import {
  decode,
  list,
  type Messages,
  optional,
  perSite,
  record,
  sizes,
} from '../../src/core/message.ts';
import {
  choice,
  flag,
  type OptionDeclarations,
  parseOptions,
  whole,
} from '../../src/core/option.ts';
import { clone, equal, freeze, type Plain } from '../../src/core/plain.ts';

const messages = {
  REQUEST: { seq: 'int', mode: 'mode' },
  REPLY: {},
  TOKEN: { queue: list('node'), granted: perSite('int'), to: optional('node') },
  TABLE: {
    rows: perSite(record({ version: 'int', votes: list(record({ node: 'node', time: 'int' })) })),
  },
} as const satisfies Messages;

describe('messages from JSON are checked', () => {
  const good = [
    { type: 'REQUEST', seq: 3, mode: 'shared' },
    { type: 'REPLY' },
    { type: 'TOKEN', queue: [2, 0], granted: [0, 1, 2], to: null },
    {
      type: 'TABLE',
      rows: [0, 1, 2].map((version) => ({ version, votes: [{ node: 1, time: 2 }] })),
    },
  ];
  test.each(good)('$type as declared is accepted', (message) => {
    expect(decode(messages, 3, message)).toBe(message);
  });

  test.each([
    ['not an object', 7],
    ['no type', { seq: 1 }],
    ['an unknown type', { type: 'HELLO' }],
    ['the name of a method', { type: 'constructor' }],
    ['a field missing', { type: 'REQUEST', seq: 1 }],
    ['a field too many', { type: 'REPLY', seq: 1 }],
    [
      'a field from the prototype',
      Object.assign(Object.create({ seq: 1 }), { type: 'REQUEST', mode: 'shared', x: 1 }),
    ],
    ['a fraction', { type: 'REQUEST', seq: 1.5, mode: 'shared' }],
    ['an unsafe integer', { type: 'REQUEST', seq: 2 ** 60, mode: 'shared' }],
    ['an unknown mode', { type: 'REQUEST', seq: 1, mode: 'both' }],
    ['a site that is not there', { type: 'TOKEN', queue: [3], granted: [0, 0, 0], to: null }],
    ['a negative site', { type: 'TOKEN', queue: [], granted: [0, 0, 0], to: -1 }],
    ['too few of one per site', { type: 'TOKEN', queue: [], granted: [0, 0], to: null }],
    ['a string for a list', { type: 'TOKEN', queue: 'ab', granted: [0, 0, 0], to: null }],
    ['a list for a record', { type: 'TABLE', rows: [[], [], []] }],
  ])('%s is refused', (_, message) => {
    expect(decode(messages, 3, message)).toBeUndefined();
  });

  test('no value makes the check throw', () => {
    fc.assert(fc.property(fc.anything(), (value) => void decode(messages, 3, value)));
  });

  test('sizes count the type, the fields and the lengths of lists', () => {
    const size = sizes(messages, 3);
    expect(good.map(size)).toEqual([
      1 + 4 + 1,
      1,
      1 + (2 + 2 * 2) + 3 * 4 + 1,
      1 + 3 * (4 + 2 + 2 + 4),
    ]);
    expect(
      sizes(messages, 100_000)({ type: 'TOKEN', queue: [1], granted: [], to: 5 } as never),
    ).toBe(1 + 2 + 4 + 400_000 + 1 + 4);
  });
});

describe('the types of messages', () => {
  type Sends = Site<typeof messages>['send'];
  const send = (() => {}) as Sends;
  test('types follow the declaration', () => {
    send(0, { type: 'REQUEST', seq: 1, mode: 'exclusive' });
    // @ts-expect-error a field that was not declared
    send(0, { type: 'REPLY', seq: 1 });
    // @ts-expect-error a message that was not declared
    send(0, { type: 'HELLO' });
    // @ts-expect-error a list of the wrong kind
    send(0, { type: 'TOKEN', queue: ['a'], granted: [], to: null });
    const keep: Algorithm<{ queue: number[] }, typeof messages>['on']['TOKEN'] = (
      my,
      _,
      __,
      { queue },
    ) => {
      // @ts-expect-error a received array must be copied before it is kept
      my.queue = queue;
    };
    expect(keep).toBeTypeOf('function');
  });
});

describe('options of an algorithm', () => {
  const declared = {
    greedy: flag('serve yourself first'),
    bounded: whole('rounds', 1, 9),
    increment: choice('how to count', ['random', 'priority']),
  } as const satisfies OptionDeclarations;
  const parse = (...settings: string[]) => parseOptions('raymond', declared, settings);

  test('options are off or absent unless given', () => {
    expect(parse()).toEqual({ greedy: false, bounded: undefined, increment: undefined });
  });
  test('options take the values that they declare', () => {
    expect(parse('greedy', 'bounded=3', 'increment=priority')).toEqual({
      greedy: true,
      bounded: 3,
      increment: 'priority',
    });
    expect(parse('increment')['increment']).toBe('random');
  });
  test.each([
    [
      'greed',
      'raymond has no option "greed": it has greedy, bounded, increment (did you mean "greedy"?)',
    ],
    ['toString', 'raymond has no option "toString": it has greedy, bounded, increment'],
    ['greedy=1', 'option greedy of raymond takes no value: write --option greedy, got "1"'],
    [
      'bounded',
      'option bounded of raymond takes a whole number from 1 to 9, as in bounded=1, got nothing',
    ],
    [
      'bounded=10',
      'option bounded of raymond takes a whole number from 1 to 9, as in bounded=1, got "10"',
    ],
    [
      'bounded=1.5',
      'option bounded of raymond takes a whole number from 1 to 9, as in bounded=1, got "1.5"',
    ],
    [
      'increment=randon',
      'option increment of raymond takes one of random, priority (did you mean "random"?), got "randon"',
    ],
  ])('%s is refused with the rule', (setting, message) => {
    expect(() => parse(setting)).toThrow(new UsageError(message));
  });
  test('an algorithm without options says so', () => {
    expect(() => parseOptions('lamport', {}, ['x'])).toThrow(
      'lamport has no option "x": it has none',
    );
  });
});

describe('suggestions for misspelled names', () => {
  const known = ['raymond', 'raymond-k', 'ricart-agrawala', 'lamport'];
  test.each([
    ['raymnd', 'raymond'],
    ['ricart', 'ricart-agrawala'],
    ['lamprot', 'lamport'],
  ])('%s suggests %s', (typed, meant) => {
    expect(didYouMean(typed, known)).toBe(` (did you mean "${meant}"?)`);
  });
  test('a name that is close to none suggests nothing', () =>
    expect(didYouMean('zookeeper', known)).toBe(''));
});

describe('plain data', () => {
  const hasNoProto = (value: unknown) => !JSON.stringify(value).includes('"__proto__":');
  const plain = fc.jsonValue().filter(hasNoProto) as fc.Arbitrary<Plain>;
  test('values are equal if they are at every depth, whatever the order of their fields', () => {
    const small = fc.jsonValue({ maxDepth: 2, depthSize: 'small' }).filter(hasNoProto);
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(equal(a, clone(a))).toBe(true);
        expect(equal(a, b)).toBe(isDeepStrictEqual(a, b));
        expect(equal([a], { 0: a })).toBe(false);
        expect(equal({ a, b }, { b, a })).toBe(true);
        expect(equal({ a }, { a, b })).toBe(false);
        expect(equal({ a, b }, { a })).toBe(false);
      }),
    );
  });
  test('a clone is equal and shares nothing', () => {
    fc.assert(
      fc.property(plain, (value) => {
        const copy = clone(value);
        expect(copy).toEqual(value);
        if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value);
      }),
    );
  });
  test('frozen data refuses writes at every depth', () => {
    const value = freeze({ a: [{ b: 1 }] });
    expect(() => {
      value.a[0]!.b = 2;
    }).toThrow(TypeError);
  });
});

describe('a step of the machine', () => {
  const echo: Algorithm<
    { heard: string[]; kept: number; lost: number },
    { A: { to: 'node' }; B: Record<never, never> }
  > = {
    id: 'echo',
    title: 'Echo',
    year: 2026,
    paper: '',
    family: 'permission',
    modes: ['exclusive'],
    k: false,
    topology: 'complete',
    defaultTopology: 'complete',
    links: 'any',
    options: {},
    messages: { A: { to: 'node' }, B: {} },
    claims: { messages: { formula: '?', bounds: () => ({ least: 0, most: 0 }) } },
    recovers: [],
    init: () => ({ heard: [], kept: 0, lost: 0 }),
    stable: ['kept'],
    request(my, site) {
      my.kept++;
      my.lost++;
      site.send(site.me, { type: 'A', to: 2 });
      site.send(1, { type: 'B' });
      my.heard.push('request is over');
    },
    release(_, site) {
      site.broadcast({ type: 'B' });
      site.timer('later', 5);
    },
    on: {
      A(my, site, from, { to }) {
        my.heard.push(`A from ${from}`);
        site.send(to, { type: 'B' });
        site.enter();
      },
      B(my, _, from) {
        my.heard.push(`B from ${from}`);
      },
    },
  };
  const machine = new Machine(
    echo,
    { n: 3, k: 1, topology: { kind: 'complete' }, options: {} },
    () => 0,
  );

  test('messages of a site to itself are handled before the step ends, and are not sent', () => {
    const my = machine.init(0) as { heard: string[] };
    machine.request(0, my, 'exclusive');
    expect(my.heard).toEqual(['request is over', 'A from 0']);
    const { to, messages: sent, sends, entered } = machine.site;
    expect(to.slice(0, sends)).toEqual([1, 2]);
    expect(sent.slice(0, sends)).toEqual([{ type: 'B' }, { type: 'B' }]);
    expect(entered).toBe(true);
  });
  test('a step has no effects of the step before', () => {
    const my = machine.init(1);
    machine.release(1, my);
    expect(machine.site.timers).toEqual([{ name: 'later', ticks: 5 }]);
    machine.receive(1, my, 0, { type: 'B' });
    expect([machine.site.sends, machine.site.entered, machine.site.timers]).toEqual([0, false, []]);
    expect(machine.site.others).toEqual([0, 2]);
  });
  test('a crash keeps only the stable fields', () => {
    const my = machine.init(0);
    machine.request(0, my, 'exclusive');
    expect(machine.afterCrash(0, my)).toEqual({ heard: [], kept: 1, lost: 0 });
  });
});
