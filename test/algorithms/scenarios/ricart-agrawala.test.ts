/** Ricart and Agrawala 1981, sections 2 to 5, 6.4 to 6.6 and the appendix. Its sites count from 1. */
import { describe, expect, test } from 'vitest';
import { ricartAgrawala } from '../../../src/algorithms/ricart-agrawala.ts';
import { check } from '../../../src/check/check.ts';
import { Machine } from '../../../src/core/machine.ts';
import type { AnyMessage } from '../../../src/core/message.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number, ...options: string[]) =>
  makeWorld(ricartAgrawala, { nodes, options });
const BOTH = ['exclusive', 'shared'] as const;

// "exactly 2(N−1) messages": one REQUEST to and one REPLY from each other site (section 4).
test.each([2, 3, 5, 20, 50])('2(N−1) messages per entry for N = %i, whatever the load', (n) => {
  for (const workload of ['once', 'saturated', 'poisson', 'solo'] as const) {
    for (const [seed, readers] of [
      [1, 0],
      [2, 0.5],
      [3, 1],
    ] as const) {
      const settings = { workload, seed, readers, entries: 60, delay: 'uniform:1,9' };
      const { messagesPerEntry, byType, violations } = simulate(ricartAgrawala, world(n), settings);
      expect(violations).toEqual([]);
      expect(messagesPerEntry).toBe(2 * (n - 1));
      expect(byType['REQUEST']).toBe(byType['REPLY']);
    }
  }
});

test('alone in the world, a site asks nobody', () => {
  expect(simulate(ricartAgrawala, world(1), { entries: 10 })).toMatchObject({
    entries: 10,
    messages: 0,
  });
});

// Section 5.3: a round trip to get in, one way from an exit to the next entry.
test('in after a round trip, and one hop from an exit to the next entry', () => {
  const settings = { delay: 'constant:5', cs: 10, seed: 1, entries: 100 } as const;
  const alone = simulate(ricartAgrawala, world(5), { ...settings, workload: 'solo' });
  expect(alone.waitingTime).toMatchObject({ mean: 10, max: 10 });
  const busy = simulate(ricartAgrawala, world(5), { ...settings, workload: 'saturated' });
  expect(busy.synchronizationDelay).toMatchObject({ mean: 5, max: 5 });
});

// Section 2.3 and Figure 1, its letters in the comments: "node 2 … node 3 … node 1".
test('the three sites of Figure 1, message by message: 12 messages, in the order 2, 3, 1', () => {
  const machine = new Machine(ricartAgrawala, world(3), () => 0);
  const states = [1, 2, 3].map((_, me) => machine.init(me));
  const underWay: { from: number; to: number; message: AnyMessage }[] = [];
  const entered: number[] = [];
  let sent = 0;
  const act = (site: number, step: (me: number, my: unknown) => void): string[] => {
    step(site - 1, states[site - 1]);
    const { messages, to, sends } = machine.site;
    if (machine.site.entered) entered.push(site);
    sent += sends;
    return messages.slice(0, sends).map((message, i) => {
      underWay.push({ from: site, to: to[i]! + 1, message });
      return `${message.type} to ${to[i]! + 1}`;
    });
  };
  const request = (site: number) => act(site, (me, my) => machine.request(me, my, 'exclusive'));
  const exit = (site: number) => act(site, (me, my) => machine.release(me, my));
  const deliver = (type: string, from: number, to: number) => {
    const at = underWay.findIndex((m) => m.message.type === type && m.from === from && m.to === to);
    const [letter] = underWay.splice(at, 1);
    return act(to, (me, my) => machine.receive(me, my, from - 1, letter!.message));
  };

  expect(request(3)).toEqual(['REQUEST to 1', 'REQUEST to 2']); // a
  expect(request(2)).toEqual(['REQUEST to 1', 'REQUEST to 3']); // b
  expect(deliver('REQUEST', 2, 1)).toEqual(['REPLY to 2']); // c: "has not yet made a request itself"
  expect(deliver('REQUEST', 2, 3)).toEqual(['REPLY to 2']); //    "node 2 wins on the node number"
  expect(deliver('REQUEST', 3, 2)).toEqual([]); //                "A reply is deferred"
  expect(request(1)).toEqual(['REQUEST to 2', 'REQUEST to 3']); // d
  expect(states[0]).toMatchObject({ ours: 2 }); //                "It uses sequence number 2"
  expect(deliver('REQUEST', 1, 2)).toEqual([]); //                "overtakes the REPLY"
  expect(deliver('REPLY', 1, 2)).toEqual([]);
  expect(deliver('REPLY', 3, 2)).toEqual([]);
  expect(entered).toEqual([2]); //                                e
  expect(deliver('REQUEST', 1, 3)).toEqual([]);
  expect(exit(2)).toEqual(['REPLY to 1', 'REPLY to 3']); //       f
  expect(deliver('REPLY', 2, 1)).toEqual([]); //                  g
  expect(deliver('REPLY', 2, 3)).toEqual([]);
  expect(deliver('REQUEST', 3, 1)).toEqual(['REPLY to 3']);
  expect(deliver('REPLY', 1, 3)).toEqual([]);
  expect(entered).toEqual([2, 3]); //                             h
  expect(exit(3)).toEqual(['REPLY to 1']); //                     i
  expect(deliver('REPLY', 3, 1)).toEqual([]);
  expect(entered).toEqual([2, 3, 1]); //                          j
  expect(exit(1)).toEqual([]); // "does nothing since it knows of no other node"
  expect({ sent, underWay }).toEqual({ sent: 12, underWay: [] });
});

describe('how many others go in between a request and its entry', () => {
  const bypass = (links: 'any' | 'fifo') =>
    check(ricartAgrawala, world(3), { entries: [4, 4, 1], links, reportBypass: true }).bypass;

  // "No more than 2∗(N−1) critical sections are possible before A may enter" (Appendix).
  test('2(N−1) = 4 where links keep the order', () => {
    expect(bypass('fifo')).toMatchObject({ max: 4 });
  });
  // "the worst case analysis shows that N(N+1)/2 − 1 nodes can enter" (Appendix); A has "the highest
  // node number and therefore the least priority in breaking ties".
  test('N(N+1)/2 − 1 = 5 where they do not, and that only for the site of the highest number', () => {
    const { max, bySite } = bypass('any')!;
    expect([max, ...bySite.map((counts) => counts.length - 1)]).toEqual([5, 3, 4, 5]);
  });
});

describe('bounded (section 6.4)', () => {
  // With finitely many numbers there are finitely many states, however often the sites ask.
  test.each([
    [2, ['exclusive'], 120],
    [2, BOTH, 393],
    [3, ['exclusive'], 25_830],
    [3, BOTH, 152_015],
  ] as const)('%i sites, %o, for ever: %i states', (n, modes, states) => {
    const report = check(ricartAgrawala, world(n, 'bounded'), {
      entries: Number.POSITIVE_INFINITY,
      modes,
    });
    expect(report).toMatchObject({ verdict: 'proved', states });
  });
  test.each(['ring', 'ring-marked', 'implicit-reply', 'increment=priority'])(
    'for ever, %s',
    (o) => {
      const entries = Number.POSITIVE_INFINITY;
      expect(check(ricartAgrawala, world(3, 'bounded', o), { entries }).verdict).toBe('proved');
    },
  );
  test('no number exceeds 2N−2', () => {
    const seen = new Set<number>();
    simulate(ricartAgrawala, world(5, 'bounded'), {
      ...{ workload: 'saturated', entries: 500, delay: 'uniform:1,9', seed: 3 },
      trace: ({ state }) => seen.add((state as { highest: number }).highest),
    });
    expect([...seen].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('increments (section 6.5)', () => {
  const orderOf = (options: string[], settings: Parameters<typeof simulate>[2]) => {
    const order: number[] = [];
    simulate(ricartAgrawala, world(5, ...options), {
      ...settings,
      trace: ({ site, enters }) => enters && order.push(site),
    });
    return order;
  };
  const first = (seed: number, ...options: string[]) =>
    orderOf(options, { workload: 'once', seed })[0];

  // "Deliberate priority can be introduced by instructing high priority nodes to use small increments"
  test('priority: of two that have not heard of each other, site 0 overtakes site 4', () => {
    // Site 2 asks first. 4 asks before it has heard of that, 0 after it, and after 4.
    const script = '0 request 2\n4 request 4\n6 request 0';
    const settings = { workload: 'script', script, delay: 'constant:5' } as const;
    expect(orderOf([], settings)).toEqual([2, 4, 0]);
    expect(orderOf(['increment=priority'], settings)).toEqual([2, 0, 4]);
  });
  // Everyone starts above the highest number that it has seen: small steps overtake no old request.
  test('priority: under saturation all get the same', () => {
    const settings = { workload: 'saturated', entries: 2000, seed: 1 } as const;
    const { fairness } = simulate(ricartAgrawala, world(5, 'increment=priority'), settings);
    expect(fairness.entriesByNode).toEqual([400, 400, 400, 400, 400]);
  });
  // "This favoritism can be reduced by incrementing the sequence number by a random integer."
  test('random: when all ask at once, it is no longer always site 0 that is first', () => {
    const seeds = Array.from({ length: 40 }, (_, i) => i);
    expect(new Set(seeds.map((seed) => first(seed)))).toEqual(new Set([0]));
    expect(new Set(seeds.map((seed) => first(seed, 'increment=random'))).size).toBe(5);
  });
});

describe('readers and writers (section 6.6)', () => {
  const script = (...lines: string[]) => {
    const inside: string[] = [];
    simulate(ricartAgrawala, world(4), {
      ...{ workload: 'script', script: lines.join('\n'), delay: 'constant:1', cs: 10 },
      trace: ({ time, site, enters }) => enters && inside.push(`${site} at ${time}`),
    });
    return inside;
  };
  test('readers never wait for readers', () => {
    expect(
      script('0 request 0 shared', '3 request 1 shared', '5 request 2 shared', '6 request 3'),
    ).toEqual(['0 at 2', '1 at 5', '2 at 7', '3 at 18']);
  });
  // The paper has it that "writers are given priority"; they are served in their turn.
  test('a reader that asks after a waiting writer waits for it', () => {
    expect(script('0 request 0 shared', '3 request 1', '6 request 2 shared')).toEqual([
      '0 at 2',
      '1 at 13',
      '2 at 24',
    ]);
  });
  test.each([
    [[], [2, 2, 2], 638_876],
    [['ring'], [2, 2, 2], 72_528],
    [['ring-marked'], [2, 2, 2], 445_083],
    [['implicit-reply'], [2, 1, 1], 100_713],
    [['broadcast-replies'], [2, 1, 1], 182_055],
    [['broadcast-sequenced'], [2, 1, 1], 345_430],
  ])('safe and live with both: %j, %j entries, %i states', (options, entries, states) => {
    const report = check(ricartAgrawala, world(3, ...options), { entries, modes: BOTH });
    expect(report.violation).toBeNull();
    expect(report).toMatchObject({ verdict: 'proved', states });
  });
});

test.each([
  ['ring broadcast', 'broadcast and ring are two ways to ask'],
  ['membership implicit-reply', 'implicit-reply and membership are two ways to ask'],
  ['ring bounded broadcast-replies', 'broadcast-replies and ring are two ways to ask'],
  ['bounded broadcast-sequenced', 'needs no sequence numbers: leave out bounded'],
  [
    'membership=quiet increment',
    'only where numbers grow by one and without end: leave out increment',
  ],
  ['increment=fast', 'takes one of random, priority, got "fast"'],
  ['bounded=7', 'takes no value: write --option bounded'],
])('the options %s are refused', (options, why) => {
  expect(() => world(3, ...options.split(' '))).toThrow(why);
});
test('the numbers of a form are chosen freely, and implicit replies go with a broadcast', () => {
  expect(world(3, 'implicit-reply', 'broadcast', 'bounded', 'increment').n).toBe(3);
  expect(world(3, 'implicit-reply', 'broadcast-replies').n).toBe(3);
});
