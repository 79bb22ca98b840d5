/**
 * The Informal Trace Format of Apalache and Quint (ADR-015): the run as a list of global states, the
 * first before any step, each with the action that led to it.
 *
 * | variable | what it is |
 * |---|---|
 * | `phase` | of each site: idle, waiting, inside or down |
 * | `local` | of each site: its state, as its algorithm keeps it |
 * | `underWay` | the messages in flight, oldest first by receiver: `{ id, from, to, message }` |
 * | `mbt::actionTaken` | the event that led here; `init` at the start |
 * | `mbt::nondetPicks` | the site that acted, and the other choices: options, as Quint writes them |
 *
 * Integers are `#bigint`, always. A message is a variant, `{ tag: TYPE, value: FIELDS }`, so that all of
 * them have one type. ITF has no null and no reals. A field that is null anywhere in the trace is an
 * option everywhere in it: `{ tag: "None", value: { "#tup": [] } }` or `{ tag: "Some", value }`. So it
 * has one type in all states. `local` is an option, too, where a site's state is not known. A number that is no
 * integer is a string; simulated time, which may be one, is in the `#meta` of each state.
 */
import type { AnyMessage } from '../message.ts';
import type { TraceStep } from '../trace.ts';
import type { Trace } from './native.ts';
import { type InFlight, TraceState } from './trace-state.ts';
import { subject } from './words.ts';

const VARS = ['phase', 'local', 'underWay', 'mbt::actionTaken', 'mbt::nondetPicks'];
const PICKS = ['site', 'mode', 'from', 'id', 'timer', 'peer', 'alive', 'sides'] as const;

const UNIT = { '#tup': [] };
const none = { tag: 'None', value: UNIT };
const some = (value: unknown) => ({ tag: 'Some', value });

export function toItf({ header, steps, initial }: Trace): string {
  const { nodes, links, violation, loop } = header;
  const first = initial ?? Array<null>(nodes).fill(null);
  const encoder = new Encoder(
    [...first, ...steps.filter(({ site }) => site >= 0).map((s) => s.state)],
    steps,
  );
  const traceState = new TraceState(nodes, links);
  // Most sites do nothing in most steps, so a site is encoded only when it changes.
  const locals = first.map((state) => encoder.local(state));
  const stateAt = (index: number, step: TraceStep | undefined): string =>
    JSON.stringify({
      '#meta': { index, ...(step && { time: step.time }) },
      phase: traceState.phases,
      local: locals,
      underWay: traceState.inFlight().flatMap((sent) => encoder.inFlight(sent)),
      'mbt::actionTaken': step?.event ?? 'init',
      'mbt::nondetPicks': picks(step),
    });
  const states = [stateAt(0, undefined)];
  for (const step of steps) {
    traceState.apply(step);
    if (step.site >= 0) locals[step.site] = encoder.local(step.state);
    states.push(stateAt(step.step, step));
  }
  const meta = {
    format: 'ITF',
    'format-description': 'https://apalache-mc.org/docs/adr/015adr-trace.html',
    description: `latchkey ${header.source}: ${subject(header)}`,
    source: header.algorithm,
    status: violation === undefined ? 'ok' : 'violation',
    ...(violation && { violation }),
  };
  // The last state of a cycle equals the state before its first step, so the cycle continues with
  // that step.
  const head = JSON.stringify({ '#meta': meta, vars: VARS, ...(loop !== undefined && { loop }) });
  return `${head.slice(0, -1)},"states":[\n${states.join(',\n')}\n]}\n`;
}

function picks(step: TraceStep | undefined): object {
  const fields = (step ?? {}) as { readonly [name: string]: unknown };
  const pick = (value: unknown) => (value === undefined ? none : some(plain(value)));
  return Object.fromEntries(PICKS.map((name) => [name, pick(fields[name])]));
}

/** Integers in a form that no JSON reader rounds; no value here may be null. */
function plain(value: unknown): unknown {
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { '#bigint': String(BigInt(value)) } : String(value);
  }
  return Array.isArray(value) ? value.map(plain) : value;
}

/** Encodes an algorithm's own values. A field that is ever null becomes an option. */
class Encoder {
  /** Where a null occurs: `local.next`, `REQUEST.from`, with `[]` for any position in a list. */
  readonly #options = new Set<string>();

  constructor(states: readonly unknown[], steps: readonly TraceStep[]) {
    for (const state of states) this.#findNulls('local', state);
    for (const { sends } of steps) {
      for (const { message } of sends) this.#findNulls(message.type, message);
    }
  }

  #findNulls(path: string, value: unknown): void {
    if (value === null) this.#options.add(path);
    else if (Array.isArray(value)) for (const item of value) this.#findNulls(`${path}[]`, item);
    else if (typeof value === 'object') {
      for (const [name, field] of Object.entries(value)) this.#findNulls(`${path}.${name}`, field);
    }
  }

  local(state: unknown): unknown {
    return this.#encode('local', state);
  }

  inFlight({ id, from, to, message, copies }: InFlight): unknown[] {
    const fields = { id: plain(id), from: plain(from), to: plain(to) };
    return Array(copies).fill({ ...fields, message: this.#message(message) });
  }

  #message({ type, ...fields }: AnyMessage): object {
    const isEmpty = Object.keys(fields).length === 0;
    return { tag: type, value: isEmpty ? UNIT : this.#encode(type, fields) };
  }

  #encode(path: string, value: unknown): unknown {
    if (value === null) return none;
    const whole = this.#inside(path, value);
    return this.#options.has(path) ? some(whole) : whole;
  }

  #inside(path: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#encode(`${path}[]`, item));
    if (typeof value !== 'object') return plain(value);
    return Object.fromEntries(
      Object.entries(value!).map(([name, field]) => [name, this.#encode(`${path}.${name}`, field)]),
    );
  }
}
