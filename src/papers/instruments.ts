import { find, findPrinted } from '../algorithms/catalogue.ts';
import { type CheckReport, type CheckSettings, check } from '../check/check.ts';
import type { AnyAlgorithm, AnyWorld, NodeId } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import type { Shows } from '../core/printed.ts';
import type { TraceStep } from '../core/trace.ts';
import { type Estimate, estimate } from '../sim/samples.ts';
import type { Settings } from '../sim/settings.ts';
import { type Result, simulate } from '../sim/simulate.ts';
import { makeWorld } from '../topologies/world.ts';
import { checkCommand, simulateCommand } from './commands.ts';
import { checkedRun, type Run, simulatedRun } from './runs.ts';
import { runInWords, type Subject, subjectInWords } from './subject.ts';
import { counted, shown } from './text.ts';

/** `quick` has fewer and shorter runs, and the same rows. */
export type Effort = 'quick' | 'full';

/** What was run, in words, and with which seeds. */
export interface Trial {
  readonly how: string;
  readonly seeds: readonly number[];
  /** The command that repeats it, where the command line can say it. */
  readonly command?: string | undefined;
  /** The same as data, where plain data can say it. */
  readonly run?: Run | undefined;
}

export type { Subject };

/** Several runs that differ in their seeds only. */
export interface Runs extends Trial {
  readonly world: AnyWorld;
  readonly results: readonly Result[];
  /** Their mean, with its interval. */
  readonly of: (value: (result: Result) => number) => Estimate;
  readonly each: (value: (result: Result) => number) => number[];
}

/** One run that was watched. */
export interface Watched extends Trial {
  readonly world: AnyWorld;
  readonly result: Result;
  readonly steps: readonly TraceStep[];
  /** The sites that entered, one after the other. */
  readonly order: readonly NodeId[];
}

/** Some 100 MB: a search that finds more is no longer what it was meant to be, and is called bounded. */
const MAX_STATES = 2_000_000;

/** What experiments measure with: the simulator and the checker, on a catalogue that tests may change. */
export class Instruments {
  readonly effort: Effort;
  readonly #find: (id: string) => AnyAlgorithm;

  constructor(effort: Effort, findAlgorithm: (id: string) => AnyAlgorithm = find) {
    this.effort = effort;
    this.#find = findAlgorithm;
  }

  /** As much as there is time for. */
  pick<T>(quick: T, full: T): T {
    return this.effort === 'quick' ? quick : full;
  }

  algorithm(id: string): AnyAlgorithm {
    return this.#find(id);
  }

  world({ algorithm, ...choices }: Subject): AnyWorld {
    return makeWorld(this.#find(algorithm), choices);
  }

  /** So many runs, with the seeds 1, 2, 3 … or from another on; each must be without fault. */
  runs(subject: Subject, settings: Settings, count: number): Runs {
    const algorithm = this.#find(subject.algorithm);
    const world = this.world(subject);
    const seeds = Array.from({ length: count }, (_, i) => (settings.seed ?? 1) + i);
    const results = seeds.map((seed) => {
      const result = simulate(algorithm, world, { ...settings, seed });
      assertSound(subject, result);
      return result;
    });
    const each = (value: (result: Result) => number) => results.map(value);
    const of = (value: (result: Result) => number) =>
      count === 1 ? { mean: value(results[0]!), ci95: 0 } : estimate(each(value));
    const command = simulateCommand(algorithm, subject, settings, count);
    const run = simulatedRun(subject, settings);
    return { how: runInWords(subject, settings), seeds, command, run, world, results, of, each };
  }

  /** One run that may go wrong: `violations` says how. */
  attempt(subject: Subject, settings: Settings): Trial & { readonly result: Result } {
    const algorithm = this.#find(subject.algorithm);
    const result = simulate(algorithm, this.world(subject), settings);
    const command = simulateCommand(algorithm, subject, settings);
    const run = simulatedRun(subject, settings);
    return { how: runInWords(subject, settings), seeds: [1], command, run, result };
  }

  /** One run in which nothing is random but what the algorithm draws. */
  run(subject: Subject, settings: Settings): Runs {
    return this.runs(subject, settings, 1);
  }

  /** One run, with all that happened in it. */
  watch(subject: Subject, settings: Settings): Watched {
    const steps: TraceStep[] = [];
    const { how, seeds, command, run, results, world } = this.runs(
      subject,
      { ...settings, trace: (step) => steps.push(step) },
      1,
    );
    const order = steps.filter(({ enters }) => enters).map(({ site }) => site);
    return { how, seeds, command, run, world, result: results[0]!, steps, order };
  }

  /** Every schedule, or as many at random as the settings say. */
  check(subject: Subject, settings: CheckSettings = {}): Trial & CheckReport {
    return checked(this.#find(subject.algorithm), this.world(subject), subject, settings);
  }

  /** The same, and every state is held to these sentences in place of the algorithm's own invariants. */
  checkThat(
    subject: Subject,
    invariants: NonNullable<AnyAlgorithm['invariants']>,
    settings: CheckSettings = {},
  ): Trial & CheckReport {
    const algorithm = { ...this.#find(subject.algorithm), invariants };
    const report = checked(algorithm, this.world(subject), subject, settings);
    const claims = Object.keys(invariants).join('; ');
    const how = `${report.how}; in every state: ${claims}`;
    return { ...report, how, command: undefined, run: undefined };
  }

  /**
   * An algorithm as its paper prints it, in the smallest world that shows what is wrong with it, or in one
   * that differs from that.
   */
  checkPrinted(id: string, name: string, elsewhere?: Partial<Shows>): Trial & CheckReport {
    const { algorithm, shows } = findPrinted(id, name);
    const report = checkedIn(algorithm, id, { ...shows, ...elsewhere });
    const command = `${elsewhere ? report.command : `latchkey check ${id}`} --as-printed ${name}`;
    const run = report.run?.kind === 'check' ? { ...report.run, printed: name } : undefined;
    return { ...report, how: `as printed: ${report.how}`, command, run };
  }

  /** What the most charitable reading of a printed text gives, in the same world. */
  checkCharitably(id: string, name: string): Trial & CheckReport {
    const { charitable, shows } = findPrinted(id, name);
    const { algorithm, links = shows.links, reading } = charitable;
    assert(algorithm !== undefined, `a charitable reading of ${id} ${name} can be run: ${reading}`);
    const report = checkedIn(algorithm, id, { ...shows, ...(links && { links }) });
    const how = `read charitably: ${report.how}`;
    return { ...report, how, command: undefined, run: undefined };
  }
}

function checkedIn(algorithm: AnyAlgorithm, id: string, shows: Shows): Trial & CheckReport {
  const { violates: _, entries, links, crashes, ...choices } = shows;
  const settings = { entries, ...(links && { links }), ...(crashes && { crashes }) };
  const subject = { algorithm: id, ...choices };
  return checked(algorithm, makeWorld(algorithm, choices), subject, settings);
}

function checked(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  subject: Subject,
  settings: CheckSettings,
): Trial & CheckReport {
  const report = check(algorithm, world, { maxStates: MAX_STATES, ...settings });
  const { random, crashes = 0, modes = [] } = settings;
  const entries = [...new Set(report.entries)];
  const how = [
    subjectInWords(subject),
    random ? `${shown(report.schedules ?? 0)} random schedules` : 'every schedule',
    `entries ${entries.length === 1 ? `${shown(entries[0]!)} each` : report.entries.join()}`,
    report.links === 'any' ? 'links that may reorder' : 'ordered links',
    ...(crashes > 0 ? [counted(crashes, 'crash').replace(/hs$/, 'hes')] : []),
    ...(modes.length > 1 ? [modes.join(' and ')] : []),
  ].join(', ');
  const seeds = random?.seed === undefined ? [] : [random.seed];
  const command = checkCommand(algorithm, subject, settings);
  return { ...report, how, seeds, command, run: checkedRun(subject, settings) };
}

function assertSound({ algorithm }: Subject, { seed, violations }: Result): void {
  const [first] = violations;
  const what = first === undefined ? '' : `${first.property} at ${first.time}: ${first.why}`;
  assert(first === undefined, `${algorithm} runs without fault; seed ${seed} shows ${what}`);
}
