/**
 * Chrome's trace events as JSON, for https://ui.perfetto.dev. Each site is a thread, with slices
 * while it waits, is inside or is down, and a small slice for each of its steps. Each message is an
 * arrow. Counters show the messages in flight and the waiting sites.
 *
 * A unit of simulated time is shown as a second. No two steps have the same time here: steps that
 * coincide follow each other by a microsecond, so that slices nest and each arrow has distinct
 * ends.
 */
import type { NodeId } from '../algorithm.ts';
import type { AnyMessage } from '../message.ts';
import type { TraceStep } from '../trace.ts';
import type { Trace } from './native.ts';
import { isOfMessage, type Phase, receivers, TraceState } from './trace-state.ts';
import { happening, subject } from './words.ts';

/** Microseconds. */
const UNIT = 1_000_000;
/** The longest duration of a step; it is shorter if the next step of the site comes sooner. */
const MOMENT = UNIT / 10;
const PID = 1;

type Event = { readonly ph: string; readonly ts: number } & { readonly [field: string]: unknown };

export function toChrome({ header, steps }: Trace): string {
  const { nodes, violation } = header;
  const at = momentsOf(steps);
  const end = (at.at(-1) ?? 0) + MOMENT;
  const lasting = durations(steps, at, end);
  const traceState = new TraceState(nodes, header.links);
  const since = Array<number>(nodes).fill(0);
  const sent = new Map<number, { readonly ts: number; readonly tid: number }>();
  const events: Event[] = [];
  const counters = new Counters(events);
  let flows = 0;

  const showPhase = (site: NodeId, phase: Phase, until: number): void => {
    if (phase === 'idle') return;
    const ts = since[site]!;
    events.push({ ph: 'X', name: phase, cat: 'phase', ...place(site), ts, dur: until - ts });
  };
  const arrow = (id: number, { type: name }: AnyMessage, site: NodeId, ts: number): void => {
    const flow = { name, cat: 'message', id: ++flows, pid: PID };
    // An arrow is bound to the slices around its ends; at its end only with `bp: e`.
    events.push({ ph: 's', ...flow, ...sent.get(id)! });
    events.push({ ph: 'f', bp: 'e', ...flow, tid: site + 1, ts });
  };

  steps.forEach((step, i) => {
    const { site } = step;
    const ts = at[i]!;
    const was = traceState.phases[site];
    traceState.apply(step);
    const is = traceState.phases[site];
    if (was !== undefined && (was !== is || step.event === 'rerequest')) {
      showPhase(site, was, ts);
      since[site] = ts;
    }
    const message = isOfMessage(step) ? step.message : undefined;
    const shown = { ...place(site), ts, args: { step: step.step, ...(message && { message }) } };
    if (isStep(step)) {
      const name = step.event === 'deliver' ? step.message.type : happening(step);
      events.push({ ph: 'X', name, cat: 'step', ...shown, dur: lasting[i]! });
    } else {
      events.push({
        ph: 'i',
        name: happening(step),
        cat: 'fault',
        ...shown,
        s: site < 0 ? 'p' : 't',
      });
    }
    if (step.event === 'deliver') arrow(step.id, step.message, site, ts);
    for (const { id } of step.sends) sent.set(id, { ts, tid: site + 1 });
    counters.count(step, nodes, ts, Number(is === 'waiting') - Number(was === 'waiting'));
  });
  for (const [site, phase] of traceState.phases.entries()) showPhase(site, phase, end);
  if (violation) {
    const { property: name, why } = violation;
    events.push({
      ph: 'i',
      name,
      cat: 'violation',
      pid: PID,
      tid: 1,
      ts: end,
      s: 'g',
      args: { why },
    });
  }
  // Outer slices before inner ones, and both before the arrows that are bound to them.
  events.sort((a, b) => a.ts - b.ts || rank(a) - rank(b));
  const all = [...names(header), ...events].map((event) => JSON.stringify(event));
  const other = JSON.stringify({ displayTimeUnit: 'ms', otherData: header });
  return `${other.slice(0, -1)},"traceEvents":[\n${all.join(',\n')}\n]}\n`;
}

/** Whether the site itself acts, rather than the network on its messages. */
const isStep = ({ site, event }: TraceStep): boolean =>
  site >= 0 && event !== 'lose' && event !== 'duplicate' && event !== 'delay';

const place = (site: NodeId) => ({ pid: PID, tid: Math.max(0, site) + 1 });

const rank = ({ ph, cat }: Event): number =>
  cat === 'phase' ? 0 : ['X', 's', 'f', 'i', 'C'].indexOf(ph) + 1;

function momentsOf(steps: readonly TraceStep[]): number[] {
  let last = -1;
  return steps.map(({ time }) => {
    last = Math.max(Math.round(time * UNIT), last + 1);
    return last;
  });
}

/** The duration of each step: never beyond the next step of its site, where phases may change. */
function durations(steps: readonly TraceStep[], at: readonly number[], end: number): number[] {
  const next = new Map<NodeId, number>();
  const durations: number[] = [];
  for (let i = steps.length - 1; i >= 0; i--) {
    const step = steps[i]!;
    durations[i] = Math.min(MOMENT, (next.get(step.site) ?? end) - at[i]!);
    if (isStep(step)) next.set(step.site, at[i]!);
  }
  return durations;
}

function names(header: Trace['header']): object[] {
  const name = (kind: string, tid: number, text: string) => ({
    ph: 'M',
    name: kind,
    pid: PID,
    tid,
    args: { name: text },
  });
  const sites = Array.from({ length: header.nodes }, (_, i) =>
    name('thread_name', i + 1, `site ${i}`),
  );
  return [name('process_name', 1, subject(header)), ...sites];
}

class Counters {
  readonly #events: Event[];
  #underWay = 0;
  #waiting = 0;

  constructor(events: Event[]) {
    this.#events = events;
  }

  /** `waits` is the change in the number of waiting sites. */
  count(step: TraceStep, n: number, ts: number, waits: number): void {
    const waiting = this.#waiting + waits;
    let underWay = this.#underWay;
    if (isOfMessage(step)) underWay += step.event === 'duplicate' ? 1 : -1;
    for (const { to } of step.sends) underWay += receivers(step.site, to, n).length;
    if (underWay !== this.#underWay) this.#show('messages', { 'under way': underWay }, ts);
    if (waiting !== this.#waiting) this.#show('sites', { waiting }, ts);
    this.#underWay = underWay;
    this.#waiting = waiting;
  }

  #show(name: string, args: object, ts: number): void {
    this.#events.push({ ph: 'C', name, pid: PID, tid: 1, ts, args });
  }
}
