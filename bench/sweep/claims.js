/**
 * What no declaration of an algorithm says in a form that a program could read: where else to run
 * it, which failures it claims to survive, and which violations are known.
 */

/** The relevant topologies, by kind. */
const byKind = {
  tree: ['line', 'star', 'binary'],
  graph: ['line', 'ring', 'complete'],
  coterie: ['grid', 'fpp', 'tree', 'majority', 'triangle'],
  agreement: ['grid', 'fpp', 'tree', 'triangle', 'all'],
  information: ['maekawa', 'maekawa:majority', 'ricart-agrawala', 'central', 'mixed'],
  votes: ['majority', 'read-one'],
  groups: ['grid', 'majority'],
  'k-coterie': ['parts', 'majority'],
};

/** The topologies to run an algorithm on besides its default. */
export function otherTopologiesOf({ id, topology: kind, defaultTopology }) {
  if (id === 'agrawal-el-abbadi') return ['star']; // on a line everyone is asked, which is no quorum
  return (byKind[kind] ?? []).filter((name) => name !== defaultTopology);
}

const crash = { crashes: 1 };
const crashForGood = { crashes: 1, forGood: true };
const loss = { losses: 1 };
const copy = { duplications: 1 };
/**
 * A crash of one site of two leaves no group, and no quorum: no algorithm claims to survive that.
 */
const among = (nodes, fault) => ({ ...fault, nodes });
const THREE_OR_MORE = [3, 4, 5, 6, 7, 8, 9, 10];
const arbiters = {
  '': [crash, copy],
  'fail-stop': [among(THREE_OR_MORE, crashForGood)],
};
const membership = ['ask-all', 'request-from-each', 'observed', 'quiet', 'fourth-request'];

/** The same where more than one site may be inside. */
export const topologiesForMore = { 'k-coterie': ['square'] };

/** By algorithm and option: the failures that it claims to survive (`recovers`), one at a time. */
export const faults = {
  raymond: Object.fromEntries(
    ['recovery', 'rebuild=timestamps', 'rebuild=privileges', 'unnumbered'].map((o) => [o, [crash]]),
  ),
  'naimi-trehel': { recovery: [crash, loss] },
  'mishra-srimani': { '': [crash] },
  'nishio-li-manning': { '': [crash, loss, copy], propagation: [crash] },
  'ricart-agrawala': {
    ...Object.fromEntries(
      [...membership.map((way) => `membership=${way}`), 'join-broadcast', 'restart-timer'].map(
        (option) => [option, [crash, crashForGood]],
      ),
    ),
    sponsor: [among(THREE_OR_MORE, crash)],
  },
  maekawa: { '': [copy] },
  sanders: { '': [copy] },
  kakugawa: { '': [copy] },
  'agrawal-el-abbadi': arbiters,
  majority: arbiters,
  gifford: arbiters,
  // Groups of three, because one crash could otherwise remove a whole group.
  'rangarajan-setia-tripathi': { ...arbiters, 'fail-stop': [among([3, 6, 9], crashForGood)] },
};

/** By algorithm: the options that need ordered links, where the plain form does not. */
export const ordered = {
  raymond: ['unnumbered'],
  'ricart-agrawala': ['membership=fourth-request'],
};

/** Printed texts that are about reordering links only. */
export const reordering = { 'ricart-agrawala': ['removal'] };

/**
 * Known violations that are no error of our code: the property, a mark for the page, and the
 * reason.
 */
export const known = [undefined, 'primes'].map((option) => ({
  id: 'raynal-primes',
  option,
  property: 'starvation-freedom',
  mark: '¹',
  why:
    'A site polls for ever while the right lies with a site that does not want it: the survey says so, ' +
    'and proposes `inform`. All states were seen, and no site enters wrongly.',
}));
