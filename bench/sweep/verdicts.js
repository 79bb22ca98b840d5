/** Turns the results of a sweep into verdicts. */
import { known } from './claims.js';
import { isClaimed, keyOf } from './plan.js';

const number = (value) => value.toLocaleString('en-US');

/** The violation of a row, if there is one. */
export const failureOf = ({ models, random }) =>
  models.find(({ verdict }) => verdict === 'violated') ?? random.find(({ property }) => property);

/** Why a violation of a row is no error of our code, if that is known. */
export const excuseOf = (row, failure) =>
  known.find(
    ({ id, option, property }) =>
      id === row.id && option === row.option && property === failure.property,
  );

/** Rows of our algorithms that fail where they claim not to. */
export function brokenClaims(plan, results) {
  return plan.flatMap((row) => {
    const key = keyOf(row);
    const failure = results.has(key) && failureOf(results.get(key));
    const isOurs = row.printed === undefined && isClaimed(row);
    return failure && isOurs && !excuseOf(row, failure) ? [{ key, ...failure }] : [];
  });
}

/** The result of a row in a few words: `**5** 142,261`, or `**3** deadlock-freedom, 14 steps`. */
export function outcomeOf(found) {
  const failure = failureOf(found);
  if (failure !== undefined) {
    const { n, property, depth, seed } = failure;
    return `**${n}** ${property}, ${depth === undefined ? `seed ${seed}` : `${depth} steps`}`;
  }
  const proved = found.models.findLast(({ verdict }) => verdict === 'proved');
  if (proved === undefined) return found.models.length === 0 ? '' : 'too large';
  return `**${proved.n}** ${number(proved.states)}${proved.reduction ? '°' : ''}`;
}

/** How far the random search went. */
export function beyondOf({ random }) {
  if (random.length === 0) return '';
  const sites = [...new Set(random.map(({ n }) => n))].join(', ');
  return `${sites}: ${number(random.reduce((sum, { schedules }) => sum + schedules, 0))}`;
}
