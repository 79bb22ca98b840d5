/** Section 2: what it tells of other algorithms, where the text is enough to build or to run them. */
import { check } from '../../check/check.ts';
import { simulate } from '../../sim/simulate.ts';
import { makeWorld } from '../../topologies/world.ts';
import type { Experiment } from '../experiment.ts';
import type { Trial } from '../instruments.ts';
import { atLeast, between, exactly } from '../judge.ts';
import { isProved } from '../report.ts';
import { arbiterToken, COLLECT } from './arbiter.ts';
import { setting, TN } from './contenders.ts';

const SIZES = [5, 10, 30];

/** Runs of the algorithm with an arbiter, which is in no catalogue. */
function arbiters(workload: 'saturated' | 'solo') {
  const results = SIZES.map((nodes) =>
    simulate(arbiterToken, makeWorld(arbiterToken, { nodes }), {
      ...{ ...setting, workload, entries: 20 * nodes },
    }),
  );
  const how = `a token with an arbiter (src/papers/rcv/arbiter.ts), 5, 10 and 30 sites, ${workload}`;
  return { how, seeds: [1], results };
}

/** Every schedule of it, one entry each. */
function everySchedule(nodes: number) {
  const world = makeWorld(arbiterToken, { nodes });
  const report = check(arbiterToken, world, { entries: 1 });
  const trial: Trial = {
    how: `a token with an arbiter, ${nodes} sites, every schedule`,
    seeds: [],
  };
  return { ...report, ...trial };
}

export const section2: Experiment = {
  id: 'rcv/section-2',
  paper: 'rcv',
  measure: (using) => {
    const [heavy, light] = [arbiters('saturated'), arbiters('solo')];
    const proof = everySchedule(3);
    const conflicts = using.runs(
      { algorithm: 'maekawa', nodes: 7, topology: 'fpp' },
      { ...setting, workload: 'saturated', links: 'any', delay: 'exponential:5', entries: 700 },
      using.pick(3, 10),
    );
    const tree = using.watch(
      { algorithm: 'agrawal-el-abbadi', nodes: 15 },
      { ...setting, workload: 'solo', entries: 60 },
    );
    const asked = tree.steps.filter(({ event, site }) => event === 'request' && site !== 0);
    const ofRoot = asked.filter(({ sends }) => sends.some(({ to }) => to === 0));
    const lodha = (['once', 'solo'] as const).map((workload) =>
      using.run(
        { algorithm: 'lodha-kshemkalyani', nodes: 30 },
        { ...setting, workload, ...(workload === 'solo' && { entries: 60 }) },
      ),
    );
    return {
      claims: [
        {
          ...{ id: 'arbiter-heavy', where: 'section 2', from: [heavy] },
          claim: 'A token with an arbiter takes 3−2/N messages per entry at heavy load.',
          judged: exactly(
            '3−2/N',
            SIZES.map((n) => 3 - 2 / n),
            heavy.results.map(({ steady }) => steady!.messagesPerEntry),
          ),
          note: 'Of N entries: N−1 requests, N−1 announcements of the arbiter, N passages of the token.',
        },
        {
          ...{ id: 'arbiter-collect', where: 'section 2', from: [light] },
          claim: 'The response time has an extra request collect time.',
          judged: exactly(
            '2·Tn + the collect time',
            SIZES.map(() => 2 * TN + COLLECT),
            light.results.map(({ waitingTime }) => waitingTime.max),
          ),
        },
        {
          ...{ id: 'arbiter-safe', where: 'section 2', from: [proof] },
          claim: 'A token with an arbiter, as far as the text tells it, is safe and live.',
          judged: isProved(proof),
        },
        {
          ...{ id: 'maekawa-more-than-n', where: 'section 2', from: [conflicts] },
          claim: 'Without FIFO, and with many conflicts, Maekawa’s may take more than N messages.',
          judged: atLeast('messages per entry, N = 7', 7, [
            conflicts.of((r) => r.messagesPerEntry),
          ]),
          note: 'Ours has the extra mechanism that keeps it from deadlock where links reorder.',
        },
        {
          ...{ id: 'tree-root', where: 'section 2', from: [tree] },
          claim: 'The root of the tree is in all quorums as long as it is available.',
          judged: exactly('share of the requests that go to it', 1, ofRoot.length / asked.length),
        },
        {
          ...{ id: 'lodha-kshemkalyani', where: 'section 2', from: lodha },
          claim: 'Concurrency of requests brings messages to between N−1 and 2(N−1).',
          judged: between(
            'N−1 to 2(N−1), all at once and one at a time',
            [29, 58],
            lodha.map(({ results }) => results[0]!.messagesPerEntry),
          ),
        },
      ],
    };
  },
};
