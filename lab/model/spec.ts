/** What a run of the lab is: all that the simulator needs to make it again, here or on the command line. */
import { FIRST_ALGORITHM } from '../stories/first-choices.ts';

export interface RunSpec {
  readonly algorithm: string;
  /** The name of the printed form, or empty for ours. */
  readonly printed: string;
  readonly nodes: number;
  /** Empty for the algorithm's own choice. */
  readonly topology: string;
  readonly k: number;
  readonly options: readonly string[];
  readonly workload: string;
  readonly rate: number;
  readonly entries: number;
  readonly delay: string;
  readonly cs: number;
  /** Empty for what the algorithm needs. */
  readonly links: string;
  readonly readers: number;
  readonly seed: number;
  /** The text of the script, for that workload. */
  readonly script: string;
  /** What goes wrong, by time, as the JSON that `simulate --faults` reads; empty for nothing. */
  readonly faults: string;
  /** Ends the run at this time; 0 to let it drain. */
  readonly until: number;
  readonly interventions: readonly Intervention[];
}

/** As `simulate --faults` takes it: `{ after: 12, lose: 7 }`. */
export type Intervention = { readonly after: number } & { readonly [field: string]: unknown };

export const FIRST: RunSpec = {
  algorithm: FIRST_ALGORITHM,
  printed: '',
  nodes: 7,
  topology: '',
  k: 1,
  options: [],
  workload: 'poisson',
  rate: 0.01,
  entries: 40,
  delay: 'uniform:2,8',
  cs: 10,
  links: '',
  readers: 0,
  seed: 1,
  script: '',
  faults: '',
  until: 0,
  interventions: [],
};

/** The loads, in words. */
export const LOADS: { readonly [workload: string]: string } = {
  poisson: 'at random',
  saturated: 'saturated',
  once: 'all at once',
  solo: 'one at a time',
  script: 'a script',
};

/** The entries of `faults`; none where the text is no list. */
export function faultsOf({ faults }: RunSpec): readonly { readonly [field: string]: unknown }[] {
  if (faults === '') return [];
  try {
    const list: unknown = JSON.parse(faults);
    return Array.isArray(list) ? list : [];
  } catch {
    return []; // the simulator says what is wrong with it
  }
}
