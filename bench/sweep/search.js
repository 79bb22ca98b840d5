/**
 * Searches one row of the plan: more and more sites, as long as their spaces can be exhausted; then
 * larger worlds at random.
 */

/** @typedef {import('./plan.js').Row} Row */
/**
 * The result for one number of sites.
 * @typedef {object} Model
 * @property {number} n
 * @property {'proved' | 'violated' | 'bounded'} verdict
 * @property {number} states
 * @property {number} depth
 * @property {string} [reduction]
 * @property {string} [property] what is violated …
 * @property {string} [why]
 * @property {boolean} [loop] … by a cycle; depth includes the path to it
 * @property {number} [seconds]
 */
/**
 * @typedef {object} Walk
 * @property {number} n
 * @property {number} pct how often priorities change; 0 if all steps are equally likely
 * @property {number} schedules
 * @property {number} steps
 * @property {string} [property]
 * @property {string} [why]
 * @property {number} [seed]
 */
/** @typedef {{ models: Model[], random: Walk[] }} Found */

/** Larger worlds are not tried, however small their spaces. */
const MOST_SITES = 8;
/** The sizes for random search: the first that could not be exhausted, and these. */
const SIZES = [2, 3, 4, 5, 6, 7, 8, 9, 10];
const LARGER = [7, 10];
const RANDOM = { schedules: 500, steps: 20_000, seed: 1 };

/**
 * @param {Row} row
 * @param {{ find, findPrinted, makeWorld, check }} latchkey
 */
export function searcher(row, { find, findPrinted, makeWorld, check }) {
  const { id, printed, option, topology, k, modes, links, forGood } = row;
  const found = printed === undefined ? find(id) : findPrinted(id, printed).algorithm;
  const algorithm = forGood ? { ...found, restarts: () => false } : found;
  const { downgrade = false, crashes = 0, losses = 0, duplications = 0 } = row;
  const always = { entries: row.entries, links, modes, downgrade, crashes, losses, duplications };

  /** The world of n sites, if there is one: there is no plane of four points. */
  const worldOf = (n) => {
    if (row.nodes !== undefined && !row.nodes.includes(n)) return undefined;
    try {
      return makeWorld(algorithm, { nodes: n, k, topology, options: option ? [option] : [] });
    } catch (error) {
      if (error.name === 'UsageError') return undefined;
      throw error;
    }
  };
  return {
    worldOf,
    /** Every schedule of n sites. @returns {Model} */
    exhaust(n, settings) {
      const report = check(algorithm, worldOf(n), { ...always, ...settings });
      const { verdict, states, depth, reduction, violation, loop, seconds } = report;
      return {
        ...{ n, verdict, states, depth },
        ...(reduction && { reduction }),
        ...(violation && { property: violation.property, why: violation.why }),
        ...(loop && { loop: true }),
        ...(settings.clock && { seconds: Number(seconds.toFixed(1)) }),
      };
    },
    /** Some schedules of n sites. @returns {Walk} */
    walk(n, pct, settings) {
      const random = { ...RANDOM, ...(pct && { pct }) };
      // The number of states that a random search saw is not recorded.
      const report = check(algorithm, worldOf(n), { ...always, ...settings, maxStates: 1, random });
      const { schedules, transitions: steps, violation, seed } = report;
      return {
        ...{ n, pct, schedules, steps },
        ...(violation && { property: violation.property, why: violation.why, seed }),
      };
    },
  };
}

/**
 * @param {Row} row
 * @param {{ maxStates: number, maxSeconds: number, clock: () => number }} limits
 * @returns {Found}
 */
export function searchRow(row, latchkey, limits) {
  const search = searcher(row, latchkey);
  const models = exhaustMore(row, search, limits);
  const isOver = models.some(({ verdict }) => verdict === 'violated');
  // Every schedule over stronger links is also one over the weakest links that are claimed.
  const hasMore = !isOver && row.entries > 1 && row.links === row.claims;
  return { models, random: hasMore ? walkBeyond(models, search, limits) : [] };
}

function exhaustMore(row, { worldOf, exhaust }, limits) {
  const models = [];
  for (let n = 2; n <= MOST_SITES && isWorthATry(row, models, n, limits.maxStates); n++) {
    if (worldOf(n) === undefined) continue;
    models.push(exhaust(n, settingsFor(limits)));
    if (models.at(-1).verdict !== 'proved') break;
  }
  return models;
}

function walkBeyond(models, { worldOf, walk }, limits) {
  const walks = [];
  for (const n of sizesBeyond(models, worldOf)) {
    for (const pct of [0, 3]) walks.push(walk(n, pct, settingsFor(limits)));
    if (walks.some(({ property }) => property !== undefined)) break;
  }
  return walks;
}

/** The first size that was not exhausted, and larger ones. */
function sizesBeyond(models, worldOf) {
  const largest = models.findLast(({ verdict }) => verdict === 'proved')?.n ?? 1;
  const left = SIZES.filter((n) => n > largest && worldOf(n) !== undefined);
  return left.filter((n, i) => i === 0 || LARGER.includes(n));
}

function settingsFor({ maxStates, maxSeconds, clock }) {
  const end = clock() + maxSeconds;
  return { maxStates, clock, onProgress: () => (clock() > end ? 'out of time' : undefined) };
}

/**
 * Whether a search of n sites may fit the limits. Spaces grow by a factor from site to site, and
 * the factor itself changes little, which predicts the next size within a few per cent. A printed
 * text with an error may fail long before its space is exhausted.
 */
function isWorthATry(row, models, n, maxStates) {
  const [last, before, first] = models.toReversed();
  if (last === undefined || row.printed !== undefined) return true;
  // Three sites have fewer states than the square of what two have, but not by far.
  if (before === undefined) return last.n > 2 || last.states ** 2 < 2.6 * maxStates;
  const growth = growthOf(before, last);
  const acceleration = first === undefined ? 1.1 : Math.max(1, growth / growthOf(first, before));
  return last.states * (growth * acceleration) ** (n - last.n) < 1.05 * maxStates;
}

/** The factor by which one more site multiplies a space. */
const growthOf = (a, b) => (b.states / a.states) ** (1 / (b.n - a.n));
