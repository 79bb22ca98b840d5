/** What a run of the lab is: all that the simulator needs to make it again, here or on the command line. */
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
  algorithm: 'raymond',
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

/** The same run on the command line. */
export function commandOf(spec: RunSpec): string {
  const flags: string[] = [`--nodes ${spec.nodes}`];
  const isScript = spec.workload === 'script';
  flags.push(isScript ? '--workload script:requests.txt' : `--workload ${spec.workload}`);
  if (spec.workload === 'poisson') flags.push(`--rate ${spec.rate}`);
  if (!isScript && spec.until === 0) flags.push(`--entries ${spec.entries}`);
  if (spec.until > 0) flags.push(`--until ${spec.until}`);
  flags.push(`--delay ${spec.delay}`, `--cs ${spec.cs}`, `--seed ${spec.seed}`);
  if (spec.topology !== '') flags.push(`--topology ${spec.topology}`);
  if (spec.links !== '') flags.push(`--links ${spec.links}`);
  if (spec.k > 1) flags.push(`--k ${spec.k}`);
  if (spec.readers > 0) flags.push(`--readers ${spec.readers}`);
  for (const option of spec.options) flags.push(`--option ${option}`);
  const command = `latchkey simulate ${spec.algorithm} ${flags.join(' ')}`;
  const all = [...faultsOf(spec), ...spec.interventions];
  if (all.length === 0) return command;
  return `echo '${JSON.stringify(all)}' | ${command} --faults /dev/stdin`;
}

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
