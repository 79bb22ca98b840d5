/** The model checker for the page, and the steps of what it found. */
import { catalogue, printed } from '../../src/algorithms/catalogue.ts';
import { check, makeWorld, Stepper } from '../../src/check/index.ts';
import type { AnyAlgorithm, AnyWorld, Links } from '../../src/core/algorithm.ts';
import { describe, happening } from '../../src/core/formats/words.ts';
import { canRestart, Machine } from '../../src/core/machine.ts';
import type { OptionDeclarations } from '../../src/core/option.ts';
import type { TraceStep } from '../../src/core/trace.ts';
import { topologyNames } from '../../src/topologies/named.ts';
import { pointersOf } from './layouts.ts';
import type { Checked, CheckSpec, Listed, Loaded, Moment, Trial } from './protocol.ts';
import { rowsOfTrace } from './rows.ts';
import { algorithmOf, frameOf } from './runs.ts';
import { tell } from './tell.ts';

export function listCatalogue(): Listed[] {
  return catalogue.map((algorithm) => ({
    id: algorithm.id,
    title: algorithm.title,
    family: algorithm.family,
    kind: algorithm.topology,
    defaultTopology: algorithm.defaultTopology,
    topologies: topologyNames(algorithm.topology).filter(({ name }) => !name.startsWith('file:')),
    k: algorithm.k,
    shared: algorithm.modes.includes('shared'),
    links: algorithm.links,
    options: Object.entries(algorithm.options as OptionDeclarations).map(([name, option]) => ({
      ...{ name, about: option.about, kind: option.kind },
    })),
    printed: (printed[algorithm.id] ?? []).map(({ name, about, quote, correction, shows }) => ({
      ...{ name, about, quote, correction, violates: shows.violates, nodes: shows.nodes },
      entries: shows.entries,
      links: shows.links ?? '',
      topology: shows.topology ?? '',
      options: shows.options ?? [],
      crashes: shows.crashes ?? 0,
    })),
  }));
}

/** The counterexample last found. */
let found:
  | {
      readonly algorithm: AnyAlgorithm;
      readonly world: AnyWorld;
      readonly links: Links;
      readonly trace: readonly TraceStep[];
    }
  | undefined;

export function checkOne(spec: CheckSpec, onProgress: (text: string) => void): Checked {
  return checkAlgorithm(algorithmOf(spec), spec, onProgress);
}

export function checkAlgorithm(
  algorithm: AnyAlgorithm,
  spec: CheckSpec,
  onProgress: (text: string) => void,
): Checked {
  const { nodes, options, entries, crashes, losses, maxStates } = spec;
  const topology = spec.topology === '' ? undefined : spec.topology;
  const world = makeWorld(algorithm, { nodes, options, topology });
  const links = spec.links === '' ? algorithm.links : (spec.links as Links);
  const began = performance.now();
  const report = check(algorithm, world, {
    ...{ crashes, losses, maxStates, links },
    entries: entries.length === 1 ? entries[0]! : entries,
    clock: () => (performance.now() - began) / 1000,
    onProgress: ({ states, seconds }) => {
      onProgress(`${states.toLocaleString('en')} states in ${seconds.toFixed(1)} s`);
      return undefined;
    },
  });
  const { trace } = report;
  found = trace === null ? undefined : { algorithm, world, links, trace };
  return {
    verdict: report.verdict,
    states: report.states,
    transitions: report.transitions,
    depth: report.depth,
    seconds: report.seconds,
    properties: report.properties.map(({ name, verdict }) => ({ name, verdict })),
    violation: report.violation ?? null,
    run: trace === null ? null : untimed(algorithm, world, trace, report.violation ?? null),
  };
}

function untimed(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  trace: readonly TraceStep[],
  violation: { readonly property: string; readonly why: string } | null,
): Loaded {
  const machine = new Machine(algorithm, world, () => 0);
  const states = Array.from({ length: world.n }, (_, site) => machine.init(site));
  const messages = trace.reduce((sum, { sends }) => sum + sends.length, 0);
  const entries = trace.filter(({ enters }) => enters).length;
  return {
    ...frameOf(algorithm, world),
    rows: rowsOfTrace(algorithm, world, trace),
    tokensAtFirst: tokensOf(algorithm, world, states),
    figures: {
      ...{ entries, messages, messagesPerEntry: 0, bytesPerEntry: 0, waiting: 0, waitingMax: 0 },
      ...{ response: 0, handOver: null, jain: 1, maxBypass: 0, time: trace.length },
    },
    violation: violation === null ? null : { ...violation, time: trace.length },
    isUntimed: true,
  };
}

/** How many tokens each site holds; a site that is down holds none. */
function tokensOf(algorithm: AnyAlgorithm, world: AnyWorld, states: readonly unknown[]): number[] {
  const { site } = new Machine(algorithm, world, () => 0);
  return states.map((state, i) => {
    site.begin(i);
    return state === null ? 0 : (algorithm.tokens?.held(state, site) ?? 0);
  });
}

/** An algorithm whose error a reader is to find: there is no schedule yet. */
export function beginTrial(algorithm: AnyAlgorithm, nodes: number): void {
  const world = makeWorld(algorithm, { nodes });
  found = { algorithm, world, links: algorithm.links, trace: [] };
}

/** So many steps of the counterexample, and then what was chosen instead. */
export function trial({ at, choices }: { at: number; choices: readonly number[] }): Trial {
  if (found === undefined) throw new Error('there is no counterexample: run the check first');
  const { algorithm, world, links, trace } = found;
  const stepper = new Stepper(algorithm, world, { links, faults: trace.length > 0 });
  const end = choices.length > 0 ? at : Math.max(0, at - 1);
  stepper.follow(trace, end);
  let before = structuredClone(stepper.states);
  const made = choices.length > 0 ? choices : [];
  if (made.length === 0 && at > 0) stepper.follow([trace[at - 1]!]);
  for (const choice of made) {
    before = structuredClone(stepper.states);
    const chosen = stepper.enabled()[choice];
    if (chosen === undefined) throw new Error(`there is no choice ${choice} here`);
    stepper.take(chosen);
  }
  const last = stepper.steps.at(-1);
  const phases = [...stepper.phases];
  const moment: Moment = {
    ...{ at: stepper.at, time: stepper.at, phases, site: last?.site ?? -1 },
    tokens: tokensOf(algorithm, world, stepper.states),
    states: structuredClone(stepper.states),
    waits: phases.map((_, site) => stepper.waits(site)),
    underWay: stepper.underWay().map(({ id, from, to, message }) => ({
      ...{ id, from, to, text: describe(message), arrives: null },
    })),
    timers: [],
    pointers: pointersOf(algorithm, world, stepper.states, phases),
    story: last === undefined ? 'nothing has happened yet' : tell(last, `${last.site}`),
    before: last === undefined ? null : before[last.site],
    canRestart: canRestart(algorithm, world),
  };
  const enabled = stepper.enabled().map((event, index) => ({
    site: event.site,
    index,
    text: happening({ ...event, step: 0, time: 0, sends: [], enters: false, state: null }),
  }));
  const shown = choices.length > 0 ? stepper.steps : trace;
  const wrong = stepper.wrong ?? null;
  return { run: untimed(algorithm, world, shown, wrong), moment, enabled, wrong };
}
