/** From a lock that takes no message to a lock that a person holds, in seconds. */
const BOUNDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  30, 60, 300, 1800,
];

/** A histogram of durations. To add one costs a short loop and no allocation: it is done twice for each lock. */
export class Durations {
  readonly #name: string;
  readonly #help: string;
  /** How many fell below each bound and above the one before it; the last are above all bounds. */
  readonly #counts = new Float64Array(BOUNDS.length + 1);
  #sum = 0;

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(seconds: number): void {
    let i = 0;
    while (i < BOUNDS.length && seconds > BOUNDS[i]!) i++;
    this.#counts[i]!++;
    this.#sum += seconds;
  }

  /** In the text format of Prometheus, where each bucket counts all that fell below its bound. */
  text(): string {
    let total = 0;
    const buckets = [...BOUNDS, '+Inf'].map((bound, i) => {
      total += this.#counts[i]!;
      return `${this.#name}_bucket{le="${bound}"} ${total}`;
    });
    return `# HELP ${this.#name} ${this.#help}
# TYPE ${this.#name} histogram
${buckets.join('\n')}
${this.#name}_sum ${this.#sum}
${this.#name}_count ${total}
`;
  }
}
