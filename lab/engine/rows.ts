/** Runs as columns, trimmed to what they hold; and traces of the checker as the same columns. */
import type { AnyAlgorithm, AnyWorld } from '../../src/core/algorithm.ts';
import { receivers } from '../../src/core/formats/trace-state.ts';
import { Machine } from '../../src/core/machine.ts';
import type { TraceStep } from '../../src/core/trace.ts';
import { Columns, DELIVERED, EVENTS, LOST, UNDER_WAY } from '../../src/sim/columns.ts';
import type { Rows } from './protocol.ts';

/** Up to so many steps; what is still under way then has not ended. */
export function trimmed(columns: Columns, most = columns.steps): Rows {
  const steps = Math.min(most, columns.steps);
  let { copies } = columns;
  while (copies > 0 && columns.sentAt[copies - 1]! >= steps) copies--;
  const hasEnded = (_: number, copy: number) => columns.endedAt[copy]! < steps;
  return {
    steps,
    time: columns.time.slice(0, steps),
    site: columns.site.slice(0, steps),
    event: columns.event.slice(0, steps),
    copy: columns.copy.slice(0, steps),
    phase: columns.phase.slice(0, steps),
    enters: columns.enters.slice(0, steps),
    tokens: columns.tokens.slice(0, steps),
    forced: columns.forced.slice(0, steps),
    copies,
    id: columns.id.slice(0, copies),
    from: columns.from.slice(0, copies),
    to: columns.to.slice(0, copies),
    type: columns.type.slice(0, copies),
    sentAt: columns.sentAt.slice(0, copies),
    endedAt: columns.endedAt.slice(0, copies).map((at, i) => (hasEnded(at, i) ? at : -1)),
    fate: columns.fate.slice(0, copies).map((fate, i) => (hasEnded(fate, i) ? fate : UNDER_WAY)),
  };
}

/** What of columns goes to the page without being copied. */
export const buffersOf = (rows: Rows): ArrayBuffer[] =>
  Object.values(rows)
    .filter((column) => typeof column !== 'number')
    .map((column) => (column as Float64Array).buffer as ArrayBuffer);

const PHASE_AFTER: { readonly [event: string]: number } = {
  request: 1,
  rerequest: 1,
  exit: 0,
  crash: 3,
  restart: 0,
};

/** A trace of the checker: its time is the number of the step. */
export function rowsOfTrace(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  steps: readonly TraceStep[],
): Rows {
  const columns = new Columns();
  const types = Object.keys(algorithm.messages);
  const machine = new Machine(algorithm, world, () => 0);
  const phases = new Uint8Array(world.n);
  const open = new Map<string, number[]>();
  for (const step of steps) {
    const row = columns.nextStep();
    const { site } = step;
    if (site >= 0) phases[site] = step.enters ? 2 : (PHASE_AFTER[step.event] ?? phases[site]!);
    columns.time[row] = step.step;
    columns.site[row] = site;
    columns.event[row] = EVENTS.indexOf(step.event);
    columns.copy[row] = -1;
    columns.phase[row] = site < 0 ? 0 : phases[site]!;
    columns.enters[row] = step.enters ? 1 : 0;
    machine.site.begin(Math.max(0, site));
    const holds = site >= 0 && step.state !== null && algorithm.tokens !== undefined;
    columns.tokens[row] = holds ? algorithm.tokens!.held(step.state, machine.site) : 0;
    if (step.event === 'deliver' || step.event === 'lose') {
      const copy = open.get(`${step.id} ${site}`)?.shift() ?? -1;
      columns.copy[row] = copy;
      columns.endedAt[copy] = row;
      columns.fate[copy] = step.event === 'lose' ? LOST : DELIVERED;
    }
    for (const { id, to, message } of step.sends) {
      for (const receiver of receivers(site, to, world.n)) {
        const copy = columns.nextCopy();
        columns.id[copy] = id;
        columns.from[copy] = site;
        columns.to[copy] = receiver;
        columns.type[copy] = types.indexOf(message.type);
        columns.sentAt[copy] = row;
        columns.endedAt[copy] = -1;
        const name = `${id} ${receiver}`;
        open.set(name, [...(open.get(name) ?? []), copy]);
      }
    }
  }
  return trimmed(columns);
}
