/** What the survey remarks besides: a race, tokens that circulate, failures that are survived. */
import { check } from '../../check/check.ts';
import type { AnyAlgorithm } from '../../core/algorithm.ts';
import type { Experiment } from '../experiment.ts';
import { atLeast, exactly, same } from '../judge.ts';
import { isProved, isViolated } from '../report.ts';

const unit = { delay: 'constant:1', cs: 10 } as const;

/**
 * Suzuki and Kasami's P1 as the appendix prints it: a REQUEST can come after the queue was found empty
 * (line 17) and before Requesting is cleared (line 21). The timer is the time in between.
 */
function divisible(algorithm: AnyAlgorithm): AnyAlgorithm {
  return {
    ...algorithm,
    request(my, site, mode) {
      site.timer('line 21', 0); // P1 comes to its end before it begins again
      algorithm.request(my, site, mode);
    },
    release(my, site) {
      algorithm.release(my, site);
      if (my.token === null) return;
      my.requesting = true;
      site.timer('line 21', 1);
    },
    timers: {
      'line 21': {
        fires: 'anytime',
        expired: (my) => {
          my.requesting = false;
        },
      },
    },
  };
}

export const remarks: Experiment = {
  id: 'survey/remarks',
  paper: 'survey',
  measure: (using) => {
    const two = { algorithm: 'suzuki-kasami', nodes: 2 };
    const race = {
      ...check(divisible(using.algorithm(two.algorithm)), using.world(two), { entries: 1 }),
      ...{ how: 'suzuki-kasami with an exit in two steps, 2 sites, every schedule', seeds: [] },
    };
    const atomic = using.check(
      { ...two, options: ['bounded=2'] },
      { entries: Number.POSITIVE_INFINITY },
    );
    const ring = { algorithm: 'ring-token', nodes: 10 };
    const busy = using.run(ring, { ...unit, workload: 'saturated', entries: 500 });
    const idle = using.run(ring, { ...unit, workload: 'poisson', rate: 0.0001, entries: 200 });
    const line6 = { algorithm: 'raymond', nodes: 6, topology: 'line', options: ['recovery'] };
    const crash = (...sites: number[]) =>
      using.attempt(line6, {
        ...{ ...unit, workload: 'script', script: '60 request 5' },
        faults: JSON.stringify(
          sites.flatMap((site) => [
            { at: 20, crash: site },
            { at: 30 + site, restart: site },
          ]),
        ),
      });
    const [holder, surrounded] = [crash(0), crash(0, 1)];
    const naimi = using.check(
      { algorithm: 'naimi-trehel', nodes: 3, options: ['recovery'] },
      { entries: 1, crashes: 2 },
    );
    const mishra = using.check(
      { algorithm: 'mishra-srimani', nodes: 3 },
      { entries: 1, crashes: 1 },
    );
    const nishio = using.check(
      { algorithm: 'nishio-li-manning', nodes: 2 },
      { entries: 1, losses: 1 },
    );
    const moving = using.check(
      { algorithm: 'mishra-srimani', nodes: 3, options: ['moving-coordinator'] },
      { entries: 2 },
    );
    const single = moving.properties.find(({ name }) => name === 'token-uniqueness');
    return {
      claims: [
        {
          ...{ id: 'suzuki-kasami-race', where: 'section 4, appendix A', from: [race] },
          claim:
            'Suzuki–Kasami: a request that comes between lines 20 and 21 starves until another node asks.',
          judged: isViolated('deadlock-freedom', race),
          note: 'With an exit in two steps, as printed.',
        },
        {
          ...{ id: 'suzuki-kasami-atomic', where: 'section 4', from: [atomic] },
          claim: 'Suzuki–Kasami: with an indivisible exit no node starves.',
          judged: isProved(atomic),
          note: 'However often two nodes ask, with bounded numbers.',
        },
        {
          ...{ id: 'ring-heavy', where: 'section 3.1', from: [busy] },
          claim: 'A circulating token is very effective under high load.',
          judged: exactly('one message per entry', 1, busy.results[0]!.steady!.messagesPerEntry),
        },
        {
          ...{ id: 'ring-light', where: 'section 3.1', from: [idle] },
          claim:
            'Under light load a circulating token has a high cost: it moves though no node wants it.',
          judged: atLeast('messages per entry, ten sites', 10, [idle.results[0]!.messagesPerEntry]),
        },
        {
          ...{ id: 'raymond-recovers', where: 'section 4', from: [holder] },
          claim:
            'Raymond’s system recovers from a failed node, providing that not all its neighbours fail.',
          judged: exactly('entries', 1, holder.result.entries),
        },
        {
          ...{ id: 'raymond-lost', where: 'section 4', from: [surrounded] },
          claim:
            'Raymond’s system cannot recover from the failure of the holder and all of its neighbours.',
          judged: same('deadlock-freedom', surrounded.result.violations[0]?.property ?? 'recovers'),
        },
        {
          ...{ id: 'naimi-trehel-recovers', where: 'section 4', from: [naimi] },
          claim: 'Naimi–Trehel regenerates the token after node failures.',
          judged: isProved(naimi),
          note: 'Any two of three sites, at any moment; as reconstructed.',
        },
        {
          ...{ id: 'mishra-srimani-recovers', where: 'section 4', from: [mishra] },
          claim: 'Mishra–Srimani recovers from a single node failure.',
          judged: isProved(mishra),
          note: 'Any of three sites, at any moment; as reconstructed.',
        },
        {
          ...{ id: 'mishra-srimani-moving', where: 'section 4', from: [moving] },
          claim:
            'In Mishra and Srimani’s second algorithm control moves, and at any time there is ' +
            'one coordinator.',
          judged: same('one: proved', `one: ${single?.verdict ?? 'not judged'}`),
          note: 'As reconstructed.',
        },
        {
          ...{ id: 'nishio-li-manning-recovers', where: 'section 4', from: [nishio] },
          claim: 'Nishio–Li–Manning recovers from link failures: a lost token is regenerated.',
          judged: isProved(nishio),
          note: 'One lost message of any kind, two sites.',
        },
      ],
    };
  },
};
