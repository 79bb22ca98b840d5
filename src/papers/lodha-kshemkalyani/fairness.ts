/** Sections 1, 4.3, 4.4 and 5: order of service, what is assumed, and the improvements. */
import { Random } from '../../core/random.ts';
import type { Experiment } from '../experiment.ts';
import type { Runs } from '../instruments.ts';
import { atMost, exactly, same } from '../judge.ts';
import { finding, isProved } from '../report.ts';

const unit = { delay: 'constant:1', cs: 10 } as const;
const N = 6;

/** Requests of six sites at random times, now crowded and now sparse. */
function script(requests: number, seed: number): string {
  const random = new Random(seed, 'requests');
  let time = 0;
  return Array.from({ length: requests }, () => {
    time += random.exponential(random.below(2) === 0 ? 2 : 40);
    return `${time.toFixed(3)} request ${random.below(N)}`;
  }).join('\n');
}

export const fairness: Experiment = {
  id: 'lodha-kshemkalyani/fairness',
  paper: 'lodha-kshemkalyani',
  measure: (using) => {
    const lk = (nodes: number, ...options: string[]) => ({
      algorithm: 'lodha-kshemkalyani',
      nodes,
      options,
    });
    const requests = using.pick(300, 3000);
    const seeds = Array.from({ length: using.pick(3, 10) }, (_, i) => i + 1);
    const pairs = seeds.map((seed) => {
      const settings = {
        delay: 'constant:5',
        workload: 'script',
        script: script(requests, seed),
      } as const;
      const [a, b] = ['lodha-kshemkalyani', 'ricart-agrawala'].map((algorithm) =>
        using.watch({ algorithm, nodes: N }, settings),
      ) as [ReturnType<typeof using.watch>, ReturnType<typeof using.watch>];
      return a.order.filter((site, i) => site === b.order[i]).length;
    });
    const how =
      `lodha-kshemkalyani and ricart-agrawala, ${N} sites, the same ${requests} requests at ` +
      'random times, delay constant:5';
    const proof = using.check(lk(3), { entries: using.pick(1, 2) });
    const fcfs = proof.properties.find(({ name }) => name === 'fcfs');
    const printed = using.checkPrinted('lodha-kshemkalyani', 'figure-2');
    const restated = using.checkPrinted('ricart-agrawala', 'lk-fig1');
    const consistent = using.checkCharitably('ricart-agrawala', 'lk-fig1');
    const unordered = using.check(lk(3), { entries: 1, links: 'any' });
    const carvalho = using.watch(
      { algorithm: 'carvalho-roucairol', nodes: 2 },
      {
        delay: 'constant:5',
        workload: 'script',
        script: '0 request 0\n50 request 1\n52 request 0',
      },
    );
    // Site 0 is inside while the others ask, one after the other.
    const waiting = '0 request 0 stay 50\n10 request 1\n15 request 2\n20 request 3\n25 request 4';
    const exits = [[], ['delegate']].map((options) => {
      const trial = using.watch(lk(5, ...options), {
        ...unit,
        workload: 'script',
        script: waiting,
      });
      const exit = trial.steps.find(({ event, site }) => event === 'exit' && site === 0)!;
      return { ...trial, sent: exit.sends.length };
    });
    const saturated = [[], ['delegate'], ['linger']].map((options) =>
      using.run(lk(5, ...options), { ...unit, workload: 'saturated', entries: 500 }),
    );
    const costs = saturated.map(({ results }) => results[0]!.steady!.messagesPerEntry);
    const delays = ['lodha-kshemkalyani', 'ricart-agrawala'].map((algorithm) =>
      using.run({ algorithm, nodes: 10 }, { ...unit, workload: 'saturated', entries: 500 }),
    );
    return {
      claims: [
        {
          ...{ id: 'order-of-timestamps', where: 'theorem 1', from: [proof] },
          claim: 'Requests are served in the order of their timestamps.',
          judged: same('fcfs: proved', `fcfs: ${fcfs?.verdict ?? 'not judged'}`),
          note: 'As corrected, in every schedule of three processes.',
        },
        {
          ...{ id: 'order-of-ricart-agrawala', where: 'section 1', from: [{ how, seeds }] },
          claim: 'The order of service is that of Ricart and Agrawala’s algorithm on the same run.',
          judged: exactly(
            'entries in the same place',
            seeds.map(() => requests),
            pairs,
          ),
        },
        {
          ...{ id: 'theorems-as-printed', where: 'theorems 1 and 2, figure 2', from: [printed] },
          claim: 'The algorithm of figure 2 is safe, fair and live.',
          judged: isProved(printed),
          because:
            `${printed.depth} steps to a deadlock, with one request each: what is finished is ` +
            'struck from the queue of the moment only, and a higher request that comes later ' +
            'is never flushed. With entries 2, 2, 1 two get in.',
        },
        {
          ...{ id: 'ricart-agrawala-restated', where: 'figure 1', from: [restated, consistent] },
          claim: 'Figure 1 is the algorithm of Ricart and Agrawala.',
          judged: isProved(restated),
          only: {
            condition: 'if every REQUEST updates the highest number seen, as section 2.1 says',
            judged: isProved(consistent),
          },
          because:
            'Figure 1 is inconsistent with section 2.1: it updates the number only where it defers. Two ' +
            `are inside after ${restated.depth} steps.`,
        },
        {
          ...{ id: 'ordered-links', where: 'section 2.1', from: [unordered] },
          claim: 'Unlike Ricart and Agrawala’s it needs links that keep order.',
          judged: same('violated', unordered.verdict),
          note: `Without: ${finding(unordered)}.`,
        },
        {
          ...{ id: 'others-unfair', where: 'section 1', from: [carvalho] },
          claim: 'Carvalho and Roucairol’s variant is not fair in this sense.',
          judged: same('0, 0, 1', carvalho.order.join(', ')),
          note: 'Site 0 asks again after site 1, and enters before it: it still has the permission.',
        },
        {
          ...{ id: 'no-overhead', where: 'abstract', from: delays },
          claim: 'It introduces no other overhead than Ricart and Agrawala’s, in time or in bytes.',
          judged: atMost('bytes per message, Lodha–Kshemkalyani / Ricart–Agrawala', 1, [
            weight(delays[0]!) / weight(delays[1]!),
          ]),
          only: {
            condition: 'in time',
            judged: atMost('mean response time, Lodha–Kshemkalyani / Ricart–Agrawala', 1, [
              delays[0]!.results[0]!.responseTime.mean / delays[1]!.results[0]!.responseTime.mean,
            ]),
          },
          because:
            'A REPLY and a FLUSH carry the number of a request, where Ricart and Agrawala’s REPLY is ' +
            'empty. As corrected, a REQUEST carries one more.',
        },
        {
          ...{ id: 'improvement-1', where: 'section 5', from: exits },
          claim: 'Delegating, a site sends one REPLY at its exit in place of the m that it owes.',
          judged: exactly(
            'sent at the exit, m = 4',
            [4, 1],
            exits.map(({ sent }) => sent),
          ),
        },
        {
          ...{ id: 'improvement-1-saturated', where: 'section 5', from: saturated },
          claim: 'Delegating saves messages under load.',
          judged: atMost('with / without', 1, [costs[1]! / costs[0]!]),
          note: `Five processes: ${costs[0]} messages per entry, ${costs[1]} with it.`,
        },
        {
          ...{ id: 'improvement-2', where: 'section 5', from: saturated },
          claim:
            'Keeping deferred REQUESTs until one’s own next REQUEST answers them saves messages.',
          judged: atMost('with / without', 1, [costs[2]! / costs[0]!]),
          note: `Five processes: ${costs[0]} messages per entry, ${costs[2]} with it.`,
        },
      ],
    };
  },
};

const weight = ({ results }: Runs): number =>
  results[0]!.bytesPerEntry / results[0]!.messagesPerEntry;
