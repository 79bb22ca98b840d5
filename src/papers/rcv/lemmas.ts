/** Section 5: lemmas 1 to 8 and theorems 1 to 3, of our form and of the printed one. */
import { findPrinted } from '../../algorithms/catalogue.ts';
import { lemmas, type Snapshot } from '../../algorithms/relative-consensus-voting/lemmas.ts';
import type { Tuple } from '../../algorithms/relative-consensus-voting/tuples.ts';
import { check } from '../../check/check.ts';
import type { AnyAlgorithm, Global, NodeId, Site } from '../../core/algorithm.ts';
import type { Messages } from '../../core/message.ts';
import { makeWorld } from '../../topologies/world.ts';
import type { Claim, Experiment } from '../experiment.ts';
import type { Trial } from '../instruments.ts';
import { same } from '../judge.ts';
import { counted } from '../text.ts';

const ID = 'relative-consensus-voting';

/** The lemmas in their order: what each says, for the row. */
const SAYINGS = [
  'A site’s list MNL has fewer than N tuples.',
  'When every MNL in NSIT is nonempty, at least one node can be ordered.',
  'A node’s rank is determined after its RM has been forwarded at most N−1 times.',
  'When a request is ordered, all unfinished ones before it are still in that NONL.',
  'Two different tuples cannot achieve the same rank.',
  'In Exchange, one of MONL and NONL contains the other, and their tops are the same.',
  'Tuples in any NONLs are ranked in the same order.',
  'A node that executes the CS is on the top of its own NONL.',
];
const numbered = Object.values(lemmas);

/** What the printed form keeps, and the timestamp of the site's own request, which we add to watch it. */
type Tables = { nonl: Tuple[]; nsit: { ts: number; mnl: Tuple[] }[] };
type Watched = Tables & { current: number };
type Carried = { monl?: readonly Tuple[]; msit?: Tables['nsit']; host?: Tuple };

function snapshotOf({ sites, inside, inFlight }: Global<Watched, Messages>): Snapshot {
  return {
    sites: sites.map(({ nonl, nsit, current }) => ({ ordered: nonl, rows: nsit, ours: current })),
    inside,
    carried: inFlight.flatMap(({ to, message }) => {
      const { monl, msit, host = null } = message as Carried;
      return monl && msit ? [{ to, ordered: monl, rows: msit, host }] : [];
    }),
  };
}

/**
 * The same algorithm, of which each state is shown to `look`, and found to be in order. A timer that never
 * rests takes the place of a deadlock, so that the search goes on to the end.
 */
function watched(algorithm: AnyAlgorithm, look: (snapshot: Snapshot) => void): AnyAlgorithm {
  return {
    ...algorithm,
    init: (site) => ({ ...algorithm.init(site), current: 0 }),
    request(my: Watched, site: Site<Messages> & { readonly me: NodeId }, mode) {
      algorithm.request(my, site, mode);
      my.current = my.nsit[site.me]!.ts;
      site.timer('tick', 1);
    },
    timers: { tick: { fires: 'anytime', expired: (_, site) => site.timer('tick', 1) } },
    release(my: Watched, site) {
      algorithm.release(my, site);
      my.current = 0;
    },
    invariants: {
      'every state is looked at': (global) => {
        look(snapshotOf(global));
        return true;
      },
    },
  };
}

/** Whether each lemma holds in every state that the search of the printed form comes to. */
function asPrinted(form: string): Trial & { readonly fails: readonly boolean[] } {
  const { algorithm, shows } = findPrinted(ID, form);
  const fails = numbered.map(() => false);
  const look = (snapshot: Snapshot) => {
    for (const [i, holds] of numbered.entries()) if (!fails[i]) fails[i] = !holds(snapshot);
  };
  const { nodes, entries, links } = shows;
  const report = check(watched(algorithm, look), makeWorld(algorithm, { nodes }), {
    ...{ entries, ...(links && { links }) },
  });
  const isSafe = report.violation?.property !== 'mutual-exclusion';
  const end = isSafe ? 'every state' : 'every state until two are inside';
  const how =
    `as printed: ${ID}, ${counted(nodes, 'site')}, every schedule, entries ${entries.join()}, ` +
    `${report.links === 'any' ? 'links that may reorder' : 'ordered links'}, ${end}`;
  return { how, seeds: [], fails };
}

export const lemmasOfSection5: Experiment = {
  id: 'rcv/lemmas',
  paper: 'rcv',
  measure: (using) => {
    const subject = { algorithm: ID, nodes: 3 };
    const ours = using.check(subject, { entries: using.pick([2, 1, 1], [2, 2, 2]), links: 'any' });
    const printed = [asPrinted('section-4'), asPrinted('theorem-1')];
    const proved = (part: string) => {
      const found = ours.properties.find(({ name }) => name.includes(part));
      return same('proved', found?.verdict ?? 'not judged');
    };
    const claims = SAYINGS.flatMap((claim, i): Claim[] => [
      {
        ...{ id: `lemma-${i + 1}`, where: `lemma ${i + 1}`, from: [ours], claim },
        judged: proved(`(Lemma ${i + 1})`),
      },
      {
        ...{ id: `lemma-${i + 1}-as-printed`, where: `lemma ${i + 1}`, from: printed },
        claim: `As printed: ${claim[0]!.toLowerCase()}${claim.slice(1)}`,
        judged: same('holds', printed.some(({ fails }) => fails[i]) ? 'fails' : 'holds'),
        because:
          'docs/errata.md shows a run of the printed procedures in which sites come to disagree.',
      },
    ]);
    return {
      claims: [
        ...claims,
        {
          ...{ id: 'theorem-1', where: 'theorem 1', from: [ours] },
          claim: 'Mutual exclusion is achieved.',
          judged: proved('mutual-exclusion'),
        },
        {
          ...{ id: 'theorem-2', where: 'theorem 2', from: [ours] },
          claim: 'Deadlock is impossible.',
          judged: proved('deadlock-freedom'),
        },
        {
          ...{ id: 'theorem-3', where: 'theorem 3', from: [ours] },
          claim: 'Starvation is impossible.',
          judged: proved('starvation-freedom'),
        },
      ],
    };
  },
};
