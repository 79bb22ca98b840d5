import { ln } from '../core/arithmetic.ts';
import { didYouMean, UsageError } from '../core/errors.ts';
import type { Random } from '../core/random.ts';

const FORMS =
  'constant:T, uniform:LEAST,MOST, exponential:MEAN or lognormal:MEAN,DEVIATION, as in constant:5';
const KINDS = ['constant', 'uniform', 'exponential', 'lognormal'];

/**
 * How long messages take. `constant:5`; `uniform:1,9`; `exponential:5`, of that mean; and
 * `lognormal:5,2`, where 5 and 2 are the mean and the standard deviation of the delay itself, not of
 * its logarithm.
 */
export class Delay {
  /** The delay where it is always the same, otherwise NaN. */
  readonly constant: number;
  readonly #kind: string;
  readonly #first: number;
  readonly #second: number;

  constructor(text: string) {
    const [kind = '', parameters = ''] = split(text);
    const values = parameters.split(',').map(toNumber);
    const wanted = kind === 'constant' || kind === 'exponential' ? 1 : 2;
    if (!KINDS.includes(kind)) {
      throw new UsageError(`a delay is ${FORMS}; there is no "${text}"${didYouMean(kind, KINDS)}`);
    }
    if (values.length !== wanted || values.includes(Number.NaN)) {
      throw new UsageError(`a delay is ${FORMS}; got "${text}"`);
    }
    const [first = 0, second = 0] = values;
    const isPositive = kind === 'uniform' ? first <= second && second > 0 : first > 0;
    if (!isPositive) {
      const rule =
        kind === 'uniform' ? 'LEAST is at most MOST, and MOST above 0' : 'it takes some time';
      throw new UsageError(`a delay is ${FORMS}, and ${rule}; got "${text}"`);
    }
    this.#kind = kind;
    this.constant = kind === 'constant' ? first : Number.NaN;
    if (kind === 'lognormal') {
      // What the logarithm's mean and variance must be for the delay's to be these.
      const ratio = second / first;
      const variance = ln(1 + ratio * ratio);
      this.#first = ln(first) - variance / 2;
      this.#second = Math.sqrt(variance);
    } else {
      this.#first = first;
      this.#second = second;
    }
  }

  sample(random: Random): number {
    switch (this.#kind) {
      case 'uniform':
        return this.#first + (this.#second - this.#first) * random.uniform();
      case 'exponential':
        return random.exponential(this.#first);
      case 'lognormal':
        return random.lognormal(this.#first, this.#second);
      default:
        return this.constant;
    }
  }
}

function split(text: string): string[] {
  const colon = text.indexOf(':');
  return colon < 0 ? [text] : [text.slice(0, colon), text.slice(colon + 1)];
}

/** Plain decimals only: `Number` would take "" for 0 and "0x10" for 16. */
function toNumber(text: string): number {
  const value = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : Number.NaN;
}
