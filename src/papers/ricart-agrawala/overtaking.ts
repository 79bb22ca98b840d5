/** Sections 2.2, 2.4 and the appendix: the processes of a node; how many others enter before a request. */
import type { TraceStep } from '../../core/trace.ts';
import type { Experiment } from '../experiment.ts';
import { atMost, exactly } from '../judge.ts';
import { isProved } from '../report.ts';

/**
 * For each request: how often some one other site went in after all had processed its REQUEST, and before
 * its own entry; the most of all.
 */
function entriesAfterProcessing(steps: readonly TraceStep[], n: number): number {
  const processedBy = new Map<number, Set<number>>();
  const overtakers = new Map<number, number[]>();
  let most = 0;
  for (const step of steps) {
    if (step.event === 'request') processedBy.set(step.site, new Set());
    if (step.event === 'deliver' && step.message.type === 'REQUEST') {
      processedBy.get(step.from)?.add(step.site);
      if (processedBy.get(step.from)?.size === n - 1) overtakers.set(step.from, Array(n).fill(0));
    }
    if (!step.enters) continue;
    processedBy.delete(step.site);
    overtakers.delete(step.site);
    for (const counts of overtakers.values()) {
      counts[step.site]! += 1;
      most = Math.max(most, counts[step.site]!);
    }
  }
  return most;
}

export const overtaking: Experiment = {
  id: 'ricart-agrawala/overtaking',
  paper: 'ricart-agrawala',
  measure: (using) => {
    const ra = (nodes: number) => ({ algorithm: 'ricart-agrawala', nodes });
    const wild = using.watch(ra(6), {
      ...{ workload: 'saturated', cs: 1, delay: 'exponential:10' },
      entries: using.pick(3000, 30_000),
    });
    const bypass = (links: 'any' | 'fifo', nodes: number) => {
      const entries = Array.from({ length: nodes }, (_, i) => (i === nodes - 1 ? 1 : nodes + 1));
      return using.check(ra(nodes), { entries, links, reportBypass: true });
    };
    const ordered = [bypass('fifo', 2), bypass('fifo', 3)];
    const free = [bypass('any', 2), bypass('any', 3)];
    const served = using.check(ra(3), { entries: 2 });
    const processes = using.checkPrinted('ricart-agrawala', 'section-2.2');
    const whole = using.checkCharitably('ricart-agrawala', 'section-2.2');
    const most = (reports: typeof free) => reports.map((report) => report.bypass!.max);
    return {
      claims: [
        {
          ...{ id: 'once-processed', where: 'section 2.4', from: [wild] },
          claim: 'Once all have processed A’s REQUEST, no node enters twice before A has entered.',
          judged: atMost('once', 1, [entriesAfterProcessing(wild.steps, 6)]),
        },
        {
          ...{ id: 'overtaking-fifo', where: 'appendix', from: ordered },
          claim: 'If messages keep their order, at most 2(N−1) entries come before A’s.',
          judged: exactly('2(N−1), for N = 2 and 3', [2, 4], most(ordered)),
        },
        {
          ...{ id: 'overtaking-any', where: 'appendix', from: free },
          claim: 'If messages do not keep their order, N(N+1)/2 − 1 entries can come before A’s.',
          judged: exactly('N(N+1)/2 − 1, for N = 2 and 3', [2, 5], most(free)),
        },
        {
          ...{ id: 'first-come', where: 'section 2.4', from: [served] },
          claim: 'The virtual order is first come, first served; no deadlock, no starvation.',
          judged: isProved(served),
          note: 'By number and node: a site that is inside has the lowest of all that wait.',
        },
        {
          ...{
            id: 'processes-as-printed',
            where: 'sections 2.2 and 3.2',
            from: [processes, whole],
          },
          claim:
            'The three processes of a node need the semaphore only where section 2.2 takes it.',
          judged: isProved(processes),
          only: {
            condition: 'if the semaphore is given back after the whole REQUEST is handled',
            judged: isProved(whole),
          },
          because:
            'A node may leave between Defer_it := TRUE and Reply_Deferred[j] := TRUE. It sends no REPLY ' +
            `then: ${processes.depth} steps to a deadlock of two sites.`,
        },
      ],
    };
  },
};
