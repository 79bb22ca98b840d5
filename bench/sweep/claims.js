/**
 * What the sweep has to be told, because no declaration of an algorithm says it in a form that a program
 * could read: where else to run it, which failures it claims to survive, and what is known to go wrong.
 */

/** By kind of topology, those that matter. */
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
/** One of two that crashes leaves no group, and no quorum: that is more than is claimed. */
const among = (nodes, fault) => ({ ...fault, nodes });
const THREE_OR_MORE = [3, 4, 5, 6, 7, 8, 9, 10];
const arbiters = {
  '': [crash, copy],
  'fail-stop': [among(THREE_OR_MORE, crashForGood)],
};
const membership = ['ask-all', 'request-from-each', 'observed', 'quiet', 'fourth-request'];

/** And where more than one may be inside. */
export const topologiesForMore = { 'k-coterie': ['square'] };

/** By algorithm and option: the failures that it claims to survive (`recovers`), one at a time. */
export const faults = {
  raymond: { recovery: [crash] },
  'naimi-trehel': { recovery: [crash, loss] },
  'mishra-srimani': { '': [crash] },
  'nishio-li-manning': { '': [crash, loss, copy], propagation: [crash] },
  'ricart-agrawala': {
    ...Object.fromEntries(membership.map((way) => [`membership=${way}`, [crash, crashForGood]])),
    sponsor: [among(THREE_OR_MORE, crash)],
  },
  maekawa: { '': [copy] },
  sanders: { '': [copy] },
  kakugawa: { '': [copy] },
  'agrawal-el-abbadi': arbiters,
  majority: arbiters,
  gifford: arbiters,
  // Groups of three, or one crash may take a whole group away.
  'rangarajan-setia-tripathi': { ...arbiters, 'fail-stop': [among([3, 6, 9], crashForGood)] },
};

/** By algorithm: the options that ask for links that keep order, where the plain form does not. */
export const ordered = { 'ricart-agrawala': ['membership=fourth-request'] };

/** Texts that speak of links that may reorder only. */
export const reordering = { 'ricart-agrawala': ['removal'] };

/** What is violated and no error of ours: the property, a mark for the page, and why. */
export const known = [undefined, 'primes'].map((option) => ({
  id: 'raynal-primes',
  option,
  property: 'starvation-freedom',
  mark: '¹',
  why:
    'who polls for a right that lies with a site which does not want it polls for ever: the survey says so, ' +
    'and proposes `inform`. All states were seen, and nobody goes in wrongly.',
}));
