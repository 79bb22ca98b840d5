/** Simulated runs for the page: whole, and at any moment. */
import { find, findPrinted } from '../../src/algorithms/catalogue.ts';
import type { AnyAlgorithm, AnyWorld } from '../../src/core/algorithm.ts';
import { describe } from '../../src/core/formats/words.ts';
import { canRestart } from '../../src/core/machine.ts';
import type { AnyMessage } from '../../src/core/message.ts';
import { clone } from '../../src/core/plain.ts';
import type { TraceStep } from '../../src/core/trace.ts';
import { Columns, EVENTS } from '../../src/sim/columns.ts';
import {
  makeWorld,
  type OpenRun,
  openRun,
  type Result,
  requestScript,
  type Settings,
  simulate,
  type UnderWay,
} from '../../src/sim/index.ts';
import type { RunSpec } from '../model/spec.ts';
import { hubOf, lanesOf, pointersOf, structureOf } from './layouts.ts';
import type { Compared, Figures, Loaded, Moment, SweepSpec, Swept } from './protocol.ts';
import { trimmed } from './rows.ts';
import { tell } from './tell.ts';

/** A run that goes on for ever, or nearly, is shown up to here. */
const MOST_STEPS = 1_200_000;
/** A run with this many events in which a site waits and none enters counts as a livelock. */
const MOST_IN_VAIN = 20_000;

export function algorithmOf(spec: { algorithm: string; printed: string }): AnyAlgorithm {
  if (spec.printed === '') return find(spec.algorithm);
  return findPrinted(spec.algorithm, spec.printed).algorithm;
}

/** A million lanes are no picture, and would keep the page from answering. */
const MOST_SITES = 2_000;

function worldOf(algorithm: AnyAlgorithm, spec: RunSpec): AnyWorld {
  const { nodes, k, options, seed } = spec;
  if (nodes > MOST_SITES) {
    const most = MOST_SITES.toLocaleString('en');
    throw new Error(`the page draws up to ${most} sites, got ${nodes}: simulate more by command`);
  }
  const topology = spec.topology === '' ? undefined : spec.topology;
  return makeWorld(algorithm, { nodes, k, options, topology, seed });
}

/** A script, or a time at which to end: the number of entries follows from that. */
const hasOwnCount = ({ workload, until }: RunSpec): boolean => workload === 'script' || until > 0;

function settingsOf(spec: RunSpec, columns: Columns): Settings {
  const { seed, rate, entries, delay, cs, readers, interventions, script } = spec;
  return {
    ...{ seed, rate, delay, cs, readers, interventions, columns, maxEvents: MOST_IN_VAIN },
    workload: spec.workload as NonNullable<Settings['workload']>,
    entries: hasOwnCount(spec) ? undefined : entries,
    until: spec.until > 0 ? spec.until : undefined,
    faults: spec.faults === '' ? undefined : spec.faults,
    links: spec.links === '' ? undefined : (spec.links as 'any' | 'fifo'),
    script: spec.workload === 'script' ? script : undefined,
  };
}

export const load = (spec: RunSpec): Loaded => loadAlgorithm(algorithmOf(spec), spec);

export function loadAlgorithm(algorithm: AnyAlgorithm, spec: RunSpec): Loaded {
  const world = worldOf(algorithm, spec);
  const columns = new Columns();
  const run = openRun(algorithm, world, settingsOf(spec, columns));
  const tokensAtFirst = [...run.tokens];
  run.advance(MOST_STEPS);
  const { violation } = run;
  return {
    ...frameOf(algorithm, world, columns),
    rows: trimmed(columns, lastWanted(columns, world.n)),
    tokensAtFirst,
    figures: figuresOf(run.result()),
    violation: violation === undefined ? null : { ...violation },
    isUntimed: false,
  };
}

/** A token that circulates for ever is shown a little longer than anybody wants it. */
function lastWanted({ steps, site, event, phase, forced }: Columns, n: number): number {
  const deliver = EVENTS.indexOf('deliver');
  let last = steps;
  const isIdle = (row: number) =>
    event[row] === deliver && phase[row] === 0 && forced[row] === 0 && site[row]! >= 0;
  while (last > 0 && (isIdle(last - 1) || event[last - 1] === EVENTS.indexOf('timer'))) last--;
  return last + 8 * n + 40;
}

/** What of a run is the same at all of its moments. */
export function frameOf(algorithm: AnyAlgorithm, world: AnyWorld, columns?: Columns) {
  const types = Object.keys(algorithm.messages);
  return {
    nodes: world.n,
    types,
    carriers: types.map((type) => algorithm.tokens?.carriers.includes(type) ?? false),
    hasTokens: algorithm.tokens !== undefined,
    lanes: lanesOf(world),
    structure: { ...structureOf(world), hub: columns === undefined ? -1 : hubOf(columns, world.n) },
    fields: algorithm.fields ?? {},
  };
}

function figuresOf(result: Result): Figures {
  const { entries, messages, messagesPerEntry, bytesPerEntry, synchronizationDelay, time } = result;
  return {
    ...{ entries, messages, messagesPerEntry, bytesPerEntry, time },
    waiting: result.waitingTime.mean,
    waitingMax: result.waitingTime.max,
    response: result.responseTime.mean,
    handOver: synchronizationDelay.count === 0 ? null : synchronizationDelay.mean,
    jain: result.fairness.jain,
    maxBypass: result.fairness.maxBypass,
  };
}

/** The run that was looked at last: to go on from it is cheaper than to begin anew. */
let open: { readonly name: string; readonly run: OpenRun; readonly columns: Columns } | undefined;

function seek(spec: RunSpec, at: number) {
  const name = JSON.stringify(spec);
  if (open === undefined || open.name !== name || open.run.at > at) {
    const algorithm = algorithmOf(spec);
    const columns = new Columns();
    const run = openRun(algorithm, worldOf(algorithm, spec), settingsOf(spec, columns));
    open = { name, run, columns };
  }
  open.run.advance(at - open.run.at);
  return open;
}

export function moment({ spec, at }: { spec: RunSpec; at: number }): Moment {
  const algorithm = algorithmOf(spec);
  const world = worldOf(algorithm, spec);
  const { run, columns } = seek(spec, Math.max(0, at - 1));
  const before = clone(run.states) as unknown[];
  const messages = new Map(run.underWay().map((m) => [`${m.id} ${m.to}`, m.message]));
  const from = run.at;
  if (at > from) run.advance(at - from);
  const row = Math.min(at, run.at) - 1;
  const site = row < 0 ? -1 : columns.site[row]!;
  const phases = run.phases;
  return {
    ...{ at: run.at, time: run.time, phases, tokens: run.tokens, site },
    states: clone(run.states) as unknown[],
    waits: phases.map((_, j) => run.waits(j)),
    underWay: run.underWay().map(({ id, from: sender, to, message, arrives }) => ({
      ...{ id, from: sender, to, arrives },
      text: describe(message),
    })),
    timers: run.timers(),
    pointers: pointersOf(algorithm, world, run.states, phases),
    story:
      row < 0
        ? 'nothing has happened yet'
        : storyOf(algorithm, columns, row, messages, run.underWay()),
    before: site < 0 ? null : before[site],
    canRestart: canRestart(algorithm, world),
  };
}

/** What a row says, in the words of `latchkey simulate`. */
function storyOf(
  algorithm: AnyAlgorithm,
  columns: Columns,
  row: number,
  messages: ReadonlyMap<string, AnyMessage>,
  after: readonly UnderWay[],
): string {
  const site = columns.site[row]!;
  const copy = columns.copy[row]!;
  const types = Object.keys(algorithm.messages);
  const sent: { id: number; to: number; message: AnyMessage }[] = [];
  for (let c = columns.copies - 1; c >= 0 && columns.sentAt[c]! >= row; c--) {
    if (columns.sentAt[c] !== row) continue;
    const [id, to] = [columns.id[c]!, columns.to[c]!];
    const message = after.find((m) => m.id === id)?.message ?? { type: types[columns.type[c]!]! };
    sent.unshift({ id, to, message });
  }
  const delivered =
    copy < 0
      ? {}
      : {
          from: columns.from[copy]!,
          id: columns.id[copy]!,
          message: messages.get(`${columns.id[copy]} ${columns.to[copy]}`) ?? {
            type: types[columns.type[copy]!]!,
          },
        };
  const step = {
    ...{ step: row + 1, time: columns.time[row]!, site, event: EVENTS[columns.event[row]!]! },
    ...{ mode: 'exclusive', timer: '', peer: 0, alive: false, sides: [], link: [], by: 0 },
    ...delivered,
    ...{ sends: sent, enters: columns.enters[row] === 1, state: null },
  } as unknown as TraceStep;
  return tell(step, `${site}`);
}

/** The same requests to several algorithms: those of one script, whatever the algorithms do. */
export function compare({
  spec,
  algorithms,
}: {
  spec: RunSpec;
  algorithms: readonly string[];
}): Compared[] {
  const isOpen = spec.workload === 'poisson';
  const script = isOpen ? requestScript(spec.nodes, spec) : spec.script;
  const shared: RunSpec = isOpen ? { ...spec, workload: 'script', script } : spec;
  return algorithms.map((id) => {
    const { title, claims } = find(id);
    const own = { algorithm: id, title, claim: plainClaim(claims.messages.formula) };
    try {
      const plain = plainly(shared, id);
      const run = load(plain);
      return { ...own, run, course: courseOf(plain, run), error: '' };
    } catch (error) {
      return { ...own, run: null, course: [], error: (error as Error).message };
    }
  });
}

/** The run once more, with a look at what it has measured every so many steps. */
function courseOf(spec: RunSpec, { rows, figures }: Loaded): Compared['course'] {
  const algorithm = algorithmOf(spec);
  const { columns: _, ...settings } = settingsOf(spec, new Columns());
  const run = openRun(algorithm, worldOf(algorithm, spec), settings);
  const moments = rows.steps > MANY_STEPS ? 20 : 120;
  const course: { time: number; figures: Figures }[] = [];
  while (run.at < rows.steps && run.advance(Math.ceil(rows.steps / moments)) > 0) {
    course.push({ time: run.time, figures: figuresOf(run.result()) });
  }
  return [...course, { time: Math.max(run.time, figures.time), figures }];
}

/** Of longer runs each look costs some milliseconds. */
const MANY_STEPS = 50_000;

/** The same load on that algorithm, with its own structure, links and none of its variants. */
const plainly = (spec: RunSpec, algorithm: string): RunSpec => ({
  ...spec,
  ...{ algorithm, printed: '', topology: '', options: [], links: '', k: 1, interventions: [] },
});

/** What a paper claims of the algorithm without its variants, which follow a semicolon. */
const plainClaim = (formula: string): string => formula.replaceAll('`', '').split(';')[0]!;

/** A larger bound is none. */
const MOST_CLAIMED = 1e6;

/** Measures without pictures: each algorithm at each value, by the same requests. */
export function sweep({ spec, algorithms, over, values }: SweepSpec): Swept[] {
  return algorithms.flatMap((id) =>
    values.map((value) => {
      const { claims } = find(id);
      const point = { algorithm: id, value, claim: plainClaim(claims.messages.formula) };
      const one = plainly({ ...spec, [over]: value }, id);
      const isOpen = spec.workload === 'poisson';
      const script = isOpen ? requestScript(one.nodes, one) : spec.script;
      const load = isOpen ? { ...one, workload: 'script', script } : one;
      try {
        const { columns: _, ...settings } = settingsOf(load, new Columns());
        const algorithm = algorithmOf(load);
        const world = worldOf(algorithm, load);
        const { most } = claims.messages.bounds(world);
        return {
          ...point,
          most: most < MOST_CLAIMED ? most : null,
          figures: figuresOf(simulate(algorithm, world, settings)),
          error: '',
        };
      } catch (error) {
        // No such structure for so many sites, for example.
        return { ...point, most: null, figures: null, error: (error as Error).message };
      }
    }),
  );
}
