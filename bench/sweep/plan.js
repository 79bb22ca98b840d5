/**
 * Everything to check: each algorithm in each of its forms, over each kind of links that it claims.
 */
import { faults, ordered, otherTopologiesOf, reordering, topologiesForMore } from './claims.js';

/**
 * One line of the page, for one number of entries: an algorithm in one form, in worlds of growing size.
 * @typedef {object} Row
 * @property {string} id
 * @property {string} [printed] the name of the form, where it is one that a paper prints
 * @property {string} [option]
 * @property {string} [topology] where it is not the default
 * @property {number} [k]
 * @property {readonly ('exclusive' | 'shared')[]} modes
 * @property {boolean} [downgrade] a waiting exclusive request may be downgraded to a shared one
 * @property {number} [crashes]
 * @property {boolean} [forGood] a crashed site does not restart
 * @property {number} [losses]
 * @property {number} [duplications]
 * @property {readonly number[]} [nodes] the only sizes that a claim is about
 * @property {'any' | 'fifo'} links
 * @property {'any' | 'fifo'} claims the weakest links over which it claims to work
 * @property {number} entries of each site
 */

/** @returns {Row[]} */
export function planOf(catalogue, printed) {
  return catalogue.flatMap((algorithm) =>
    [...formsOf(algorithm), ...printedOf(algorithm, printed[algorithm.id] ?? [])].flatMap(rowsOf),
  );
}

/** Each option by itself, with each of its values; whole numbers with the two smallest. */
function optionsOf({ options }) {
  return Object.entries(options).flatMap(([name, { kind, values, min }]) => {
    if (kind === 'flag') return [name];
    return (kind === 'choice' ? values : [min, min + 1]).map((value) => `${name}=${value}`);
  });
}

/**
 * One difference from the plain form at a time: an option, a topology, a fault, k; and all modes.
 */
function formsOf(algorithm) {
  const { id, modes, k, links, topology: kind } = algorithm;
  const sets = modes.length > 1 ? [['exclusive'], modes] : [modes];
  const plain = [
    ...[undefined, ...optionsOf(algorithm)].map((option) => ({ option })),
    ...otherTopologiesOf(algorithm).map((topology) => ({ topology })),
  ];
  const forMore = (topologiesForMore[kind] ?? []).map((topology) => ({ topology }));
  const many = k ? [...plain, ...forMore].map((form) => ({ ...form, k: 2 })) : [];
  const failing = Object.entries(faults[id] ?? {}).flatMap(([option, each]) =>
    each.map((fault) => ({ ...(option !== '' && { option }), ...fault })),
  );
  const downgrading = plain
    .filter((form) => canDowngrade(algorithm, form))
    .map((form) => ({ ...form, modes, downgrade: true }));
  const inAllModes = [...plain, ...many].flatMap((form) =>
    sets.map((set) => ({ ...form, modes: set })),
  );
  const forms = [
    ...inAllModes,
    ...downgrading,
    ...failing.map((form) => ({ ...form, modes: ['exclusive'] })),
  ];
  return forms.map((form) => {
    const needsOrder = form.downgrade || ordered[id]?.includes(form.option);
    return { id, ...form, claims: needsOrder ? 'fifo' : links };
  });
}

/** Whether a waiting exclusive request can be downgraded to a shared one, with that option. */
function canDowngrade({ downgrade, downgrades = () => true }, { option }) {
  const [name, value = true] = option?.split('=') ?? [];
  return downgrade !== undefined && downgrades({ k: 1, options: name ? { [name]: value } : {} });
}

function printedOf({ id }, forms) {
  return forms.map(({ name, algorithm, shows: { options, topology, crashes } }) => ({
    ...{ id, printed: name, modes: ['exclusive'], claims: algorithm.links },
    ...(options && { option: options[0] }),
    ...(topology && { topology }),
    ...(crashes && { crashes }),
  }));
}

const rowsOf = (form) =>
  linksOf(form).flatMap((links) => [1, 2].map((entries) => ({ ...form, links, entries })));

/**
 * Both kinds of links; also where ours needs order, to see whether it matters. Printed texts over
 * the links that they assume.
 */
function linksOf({ id, printed, claims }) {
  if (reordering[id]?.includes(printed)) return ['any'];
  return printed !== undefined && claims === 'fifo' ? ['fifo'] : ['any', 'fifo'];
}

export const isClaimed = ({ links, claims }) => links === 'fifo' || claims === 'any';

/** The differences from the plain form, in words. */
export function variantOf(row) {
  const { option, topology, k, modes, downgrade, crashes, forGood, losses, duplications } = row;
  return [
    option,
    topology && `on ${topology}`,
    k && `k = ${k}`,
    modes.includes('shared') && 'with readers',
    downgrade && 'and writers that may downgrade',
    crashes && `${crashes} crash${forGood ? ' for good' : ''}`,
    losses && `${losses} loss`,
    duplications && `${duplications} message twice`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** The key of a row among the results. */
export const keyOf = (row) =>
  [
    row.id,
    row.printed && `as printed (${row.printed})`,
    variantOf(row),
    `${row.links} links`,
    `${row.entries} each`,
  ]
    .filter(Boolean)
    .join(', ');
