/** Faults of links between members, and to the store. Members are in network namespaces. */
import { existsSync } from 'node:fs';
import { clock, inRounds, least, median, most, seconds, sleep, until } from './rounds.js';

const SETTINGS = { wholeNetwork: true };

/** The first member of a group is cut off from all others and from the store, while it holds a lock. */
const cutOffHolder = (context, settings) => {
  const { network, leaseMs, rounds } = context;
  return inRounds(context, { ...SETTINGS, ...settings, rounds }, async (round) => {
    const { team, members, number } = round;
    const first = settings.isFixed ? 0 : number;
    const [holder, waiter, third] = [0, 1, 2].map((i) => members[(first + i) % 3]);
    const fence = await holder.acquire('x');
    const waiting = waiter.acquire('x');
    await sleep(Math.random() * (leaseMs / 5));
    const at = clock();
    for (const to of [waiter.self, third.self, 'store']) network.cutBoth(holder.self, to);
    const next = await waiting;
    const entered = team.judge.hold('x', next).from;
    const lostAt = team.judge.hold('x', fence).lostAt;
    await waiter.ask({ type: 'release', lock: 'x' });
    for (const { self } of members) network.healOf(self);
    const healed = clock();
    await team.together(4 * leaseMs);
    const aheadMs = lostAt === null ? -1 : entered - lostAt;
    return { takesMs: entered - at, aheadMs, backMs: clock() - healed };
  });
};

const partitionSeen = (results) => {
  const of = (field) => results.map((one) => one[field]);
  return `\`lost\` at least ${seconds(least(of('aheadMs')))} before the next entry; next grant after ${seconds(median(of('takesMs')))} (median), at most ${seconds(most(of('takesMs')))}; back ${seconds(median(of('backMs')))} after healing`;
};

export const partition = {
  id: 'partition',
  fault: 'the holder is cut off from all others and from the store',
  demand: () => '`lost` before the next entry',
  needs: 'network',
  async run(context) {
    const { results, wrong } = await cutOffHolder(context, {});
    const good = results.filter(({ aheadMs }) => aheadMs > 0).length;
    return { rounds: context.rounds, good, seen: partitionSeen(results), wrong };
  },
};

const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
/** Stamps of bent processes have steps of 10 ms. */
const STEP_MS = 10;

export const clocks = {
  id: 'clocks',
  fault:
    'the same, where the clocks of the holder run at 0.9 and those of the others at 1.1 of real time (faketime)',
  demand: () => '`lost` before the next entry',
  needs: 'network',
  isPossible: () => existsSync(FAKETIME),
  async run(context) {
    const rateOf = (self) => (self.startsWith('a') ? '0.9' : '1.1');
    const placeMore = (self) => ({
      coarseClock: true,
      env: { LD_PRELOAD: FAKETIME, FAKETIME: `+0 x${rateOf(self)}` },
    });
    const { results, wrong } = await cutOffHolder(context, { isFixed: true, placeMore });
    const good = results.filter(({ aheadMs }) => aheadMs > STEP_MS).length;
    return { rounds: context.rounds, good, seen: partitionSeen(results), wrong };
  },
};

/** Which packets are dropped, of members a, b and c. */
const CUTS = [
  ['a to b', (a, b) => [[a, b]]],
  ['b to a', (a, b) => [[b, a]]],
  [
    'a to all members',
    (a, b, c) => [
      [a, b],
      [a, c],
    ],
  ],
  [
    'all members to a',
    (a, b, c) => [
      [b, a],
      [c, a],
    ],
  ],
  ['the store to a', (a) => [['store', a]]],
  ['a to the store', (a) => [[a, 'store']]],
];

export const oneWay = {
  id: 'one-way',
  fault:
    'packets are dropped in one direction: between two members, between one and the others, to or from the store',
  demand: ({ leaseMs }) => `the others go on in a view of two within 2 W = ${seconds(2 * leaseMs)}`,
  needs: 'network',
  async run(context) {
    const { network, leaseMs } = context;
    const rounds = CUTS.length * (context.rounds < 10 ? 1 : 2);
    const { results, wrong } = await inRounds(context, { ...SETTINGS, rounds }, async (round) => {
      const { team, members, number } = round;
      const [a, b, c] = members;
      await a.acquire('x');
      const [what, cutsOf] = CUTS[number % CUTS.length];
      const at = clock();
      for (const [from, to] of cutsOf(a.self, b.self, c.self)) network.cut(from, to);
      const hasTwo = async () => (await c.state()).members.length === 2;
      const done = await until(hasTwo, 3 * leaseMs, `a view of two after ${what}`);
      await c.acquire('fresh');
      await c.ask({ type: 'release', lock: 'fresh' });
      const takesMs = Math.max(done, clock()) - at;
      for (const { self } of members) network.healOf(self);
      await a.ask({ type: 'release', lock: 'x' }).catch(() => {});
      await team.together(4 * leaseMs);
      return { what, takesMs };
    });
    const good = results.filter(({ takesMs }) => takesMs <= 2 * leaseMs).length;
    const times = results.map(({ takesMs }) => takesMs);
    const seen = `resolved after ${seconds(median(times))} (median), at most ${seconds(most(times))}`;
    return { rounds, good, seen, wrong };
  },
};

const FLAP_MS = 300;

export const flapping = {
  id: 'flapping',
  fault:
    'a link between two members, then the link of one to the store, goes down and up every 0.3 s for 20 s, under load',
  demand: () => 'no violation; all members hold locks again afterwards',
  needs: 'network',
  async run(context) {
    const { network, leaseMs } = context;
    const rounds = 2;
    const settings = { ...SETTINGS, rounds, parallel: 1 };
    const { results, wrong } = await inRounds(context, settings, async (round) => {
      const { team, members, number } = round;
      const [a, b] = members;
      const load = { locks: ['x', 'y'], callers: 1, holdMs: 1, thinkMs: 5 };
      if (number === 0) await team.loadAll(load);
      const other = number === 0 ? b.self : 'store';
      for (const end = clock() + 20_000; clock() < end; ) {
        network.cutBoth(a.self, other);
        await sleep(FLAP_MS);
        for (const { self } of members) network.healOf(self);
        await sleep(FLAP_MS);
      }
      await team.together(4 * leaseMs);
      const since = clock();
      const isBack = () => members.every(({ heldAt }) => heldAt > since);
      await until(isBack, 2 * leaseMs, 'grants after flapping');
      return { entries: team.entries, losses: team.judge.losses };
    });
    const last = results.at(-1) ?? { entries: 0, losses: 0 };
    const seen = `${last.entries} entries, ${last.losses} locks lost`;
    return { rounds, good: wrong.length === 0 ? results.length : 0, seen, wrong };
  },
};
