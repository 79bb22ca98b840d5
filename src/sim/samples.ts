/** How a measured quantity is spread. */
export interface Spread {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Measurements, all of them kept: percentiles are exact, not estimated. */
export class Samples {
  #values = new Float64Array(1024);
  #count = 0;

  add(value: number): void {
    if (this.#count === this.#values.length) {
      const values = new Float64Array(2 * this.#count);
      values.set(this.#values);
      this.#values = values;
    }
    this.#values[this.#count++] = value;
  }

  /** All zero when nothing was measured. */
  spread(): Spread {
    const sorted = this.#values.slice(0, this.#count).sort();
    if (this.#count === 0) return { mean: 0, p50: 0, p99: 0, max: 0 };
    let sum = 0;
    for (const value of sorted) sum += value;
    // The smallest value that at least so many percent of all do not exceed.
    const percentile = (p: number) => sorted[Math.ceil((p * this.#count) / 100) - 1]!;
    return {
      mean: sum / this.#count,
      p50: percentile(50),
      p99: percentile(99),
      max: sorted[this.#count - 1]!,
    };
  }
}

/** A mean of several runs, and how far the true mean may be from it, with 95 % confidence. */
export interface Estimate {
  readonly mean: number;
  readonly ci95: number;
}

/** Student's interval: few runs know little, and it says so. */
export function estimate(values: readonly number[]): Estimate {
  const count = values.length;
  const mean = values.reduce((sum, v) => sum + v, 0) / count;
  const squares = values.reduce((sum, v) => sum + (v - mean) * (v - mean), 0);
  const deviation = Math.sqrt(squares / (count - 1));
  return { mean, ci95: (student(count - 1) * deviation) / Math.sqrt(count) };
}

// The 97.5 % points of Student's distribution with 1 to 30 degrees of freedom.
const STUDENT = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048,
  2.045, 2.042,
];

function student(freedom: number): number {
  // Beyond the table the first two terms of Fisher's expansion are good to three decimals.
  return STUDENT[freedom - 1] ?? 1.95996 + 2.37227 / freedom + 2.8225 / (freedom * freedom);
}
