/** Section 6: piggybacked requests, and the greedy strategy. */
import type { Tree } from '../../core/topology.ts';
import type { Experiment } from '../experiment.ts';
import type { Runs, Watched } from '../instruments.ts';
import { about, atMost, exactly } from '../judge.ts';
import { isProved } from '../report.ts';
import { completeSize, figure7 } from './cost.ts';

const unit = { delay: 'constant:1', cs: 10 } as const;
const saturated = (entries: number) => ({ ...unit, workload: 'saturated', entries }) as const;

/** The share of the REQUESTs that rode on a PRIVILEGE. */
function piggybacked({ results }: Runs): number {
  const { REQUEST: alone = 0, PRIVILEGE_REQUEST: riding = 0 } = results[0]!.byType;
  return riding / (alone + riding);
}

/** The valencies of those that are no leaves over those of all. */
function claimedShare({ world }: Runs): number {
  const valencies = (world.topology as Tree).neighbours.map((list) => list.length);
  const sum = (list: readonly number[]) => list.reduce((all, v) => all + v, 0);
  return sum(valencies.filter((v) => v > 1)) / sum(valencies);
}

/** Mean of the sites within, and of the leaves. */
function byPlace({ world }: Watched, values: readonly number[]) {
  const { neighbours } = world.topology as Tree;
  const mean = (isLeaf: boolean) => {
    const own = values.filter((_, i) => (neighbours[i]!.length === 1) === isLeaf);
    return own.reduce((sum, v) => sum + v, 0) / own.length;
  };
  return { within: mean(false), leaves: mean(true) };
}

/** How long each site takes on average from its request to its entry, or to its exit. */
function times({ steps, world }: Watched, until: 'entry' | 'exit'): number[] {
  const asked = new Map<number, number>();
  const sums = Array.from({ length: world.n }, () => ({ time: 0, count: 0 }));
  for (const { event, site, time, enters } of steps) {
    if (event === 'request') asked.set(site, time);
    if (until === 'entry' ? !enters : event !== 'exit') continue;
    sums[site]!.time += time - asked.get(site)!;
    sums[site]!.count++;
  }
  return sums.map(({ time, count }) => time / count);
}

export const variations: Experiment = {
  id: 'raymond/variations',
  paper: 'raymond',
  measure: (using) => {
    const piggyback = using.run(figure7('piggyback'), saturated(20_000));
    const plain = using.watch(figure7(), saturated(2000));
    const greedy = using.watch(figure7('greedy'), saturated(2000));
    const greedyProof = using.check(
      { algorithm: 'raymond', nodes: 3, topology: 'line', options: ['greedy'] },
      { entries: Number.POSITIVE_INFINITY },
    );
    const valencies = [3, 4, 5, 10];
    const complete = valencies.map((k) => {
      const nodes = completeSize(k, k === 10 ? 3 : 5);
      return using.run(
        { algorithm: 'raymond', nodes, options: ['piggyback'], topology: `radiating:${k}` },
        saturated(30 * nodes),
      );
    });
    const line = using.run(
      { algorithm: 'raymond', nodes: 100, topology: 'line', options: ['piggyback'] },
      saturated(5000),
    );
    const light = using.run(figure7('piggyback'), {
      ...unit,
      workload: 'poisson',
      rate: 0.000_01,
      entries: 2000,
    });
    const entries = byPlace(greedy, greedy.result.fairness.entriesByNode);
    const delays = byPlace(greedy, times(greedy, 'entry'));
    const stays = byPlace(greedy, times(greedy, 'exit'));
    const fair = byPlace(plain, times(plain, 'entry'));
    return {
      claims: [
        {
          ...{ id: 'piggyback-figure-7', where: 'section 6.1', from: [piggyback] },
          claim: 'On figure 7’s tree, saturated, 2/3 of the REQUESTs are piggybacked.',
          judged: about(
            'Σ valency of nonleaves / Σ valency',
            claimedShare(piggyback),
            piggybacked(piggyback),
          ),
        },
        {
          ...{ id: 'piggyback-messages', where: 'section 6.1', from: [piggyback] },
          claim: 'Piggybacking leaves 2.4 messages per entry of the 3.6, figure 7, saturated.',
          judged: exactly('3.6 − 2/3 · 1.8', 2.4, piggyback.results[0]!.steady!.messagesPerEntry),
        },
        ...valencies.map((k, i) => ({
          ...{ id: `piggyback-valency-${k}`, where: 'section 6.1', from: [complete[i]!] },
          claim:
            `On a large complete tree of valency ${k}, piggybacking eliminates K/2(K−1) of the ` +
            'REQUESTs.',
          judged: about('K/2(K−1)', k / (2 * (k - 1)), piggybacked(complete[i]!)),
        })),
        {
          ...{ id: 'piggyback-line', where: 'section 6.1', from: [line] },
          claim: 'On a line almost all REQUESTs are piggybacked.',
          judged: about('all', 1, piggybacked(line)),
        },
        {
          ...{ id: 'piggyback-light', where: 'section 6.1', from: [light] },
          claim: 'In a low demand system almost no REQUEST is piggybacked.',
          judged: atMost('', 0.02, [piggybacked(light)]),
        },
        {
          ...{ id: 'greedy-entries', where: 'section 6.2', from: [greedy] },
          claim: 'Greedy, figure 7, saturated: a nonleaf enters three times as often as a leaf.',
          judged: about('3', 3, entries.within / entries.leaves),
        },
        {
          ...{ id: 'greedy-delay', where: 'section 6.2', from: [greedy] },
          claim: 'Greedy, figure 7, saturated: a leaf is delayed three times as long as a nonleaf.',
          judged: about('3', 3, delays.leaves / delays.within),
          only: {
            condition: 'if the time inside counts, from request to exit',
            judged: about('3', 3, stays.leaves / stays.within),
          },
          because:
            'The times between entries are as three to one; take the same stay from both, and ' +
            'the rest is more.',
        },
        {
          ...{ id: 'greedy-average', where: 'section 6.2', from: [plain, greedy] },
          claim: 'Greedy reduces the average delay.',
          judged: atMost('greedy / standard', 1, [
            greedy.result.waitingTime.mean / plain.result.waitingTime.mean,
          ]),
        },
        {
          ...{ id: 'greedy-throughput', where: 'section 6.2', from: [plain, greedy] },
          claim: 'Greedy increases the number of entries in a given time.',
          judged: atMost('standard / greedy', 1, [
            plain.result.throughput / greedy.result.throughput,
          ]),
        },
        {
          ...{ id: 'standard-fair', where: 'section 6.2', from: [plain] },
          claim: 'In the standard algorithm the delays of leaves and nonleaves are almost equal.',
          judged: about('leaf / nonleaf', 1, fair.leaves / fair.within),
        },
        {
          ...{ id: 'greedy-starvation', where: 'section 6.2', from: [greedyProof] },
          claim: 'The greedy strategy is starvation-free.',
          judged: isProved(greedyProof),
        },
      ],
    };
  },
};
