/**
 * A run as columns of numbers: a million steps in some tens of megabytes, where a trace of objects takes
 * hundreds. To see all of a step, run the simulation again up to it.
 */
import type { NodeId } from '../core/algorithm.ts';
import { receivers } from '../core/formats/trace-state.ts';
import type { TraceEvent } from '../core/trace.ts';
import { DELIVER, DELIVER_IN_ORDER, EXIT, FAULT, PEER, REQUEST, START, TIMER } from './events.ts';
import type { Mishap } from './network.ts';
import type { Observer } from './recorder.ts';
import type { Run } from './run.ts';
import { WAITING } from './sites.ts';

/** What happened at a step, by number: `EVENTS[columns.event[i]]`. */
export const EVENTS: readonly TraceEvent['event'][] = [
  ...([
    'request',
    'rerequest',
    'deliver',
    'lose',
    'duplicate',
    'delay',
    'start',
    'downgrade',
  ] as const),
  ...(['exit', 'crash', 'restart', 'timer', 'peer', 'partition', 'heal', 'cut'] as const),
];
const numberOf = Object.fromEntries(EVENTS.map((event, i) => [event, i])) as {
  readonly [E in TraceEvent['event']]: number;
};

/** The state of a copy of a message. */
export const UNDER_WAY = 0;
export const DELIVERED = 1;
export const LOST = 2;

type Column = Float64Array | Int32Array | Uint8Array;

/** Steps and copies of messages, each a row; only the first `steps` and `copies` of each array count. */
export class Columns {
  steps = 0;
  /** By step, the first being 0: when, at which site (−1: none), and what. */
  time = new Float64Array(1024);
  site = new Int32Array(1024);
  event = new Uint8Array(1024);
  /** The copy that was delivered, lost, doubled or delayed; −1 for none. */
  copy = new Int32Array(1024);
  /** The site's phase after it: 0 idle, 1 waiting, 2 inside, 3 down. */
  phase = new Uint8Array(1024);
  /** 1 if the site went in. */
  enters = new Uint8Array(1024);
  /** How many tokens the site holds after it. */
  tokens = new Uint8Array(1024);
  /** 1 where an intervention made it happen. */
  forced = new Uint8Array(1024);

  copies = 0;
  /** By copy: the number of its message, from where to where, its type, and the step that sent it. */
  id = new Int32Array(1024);
  from = new Int32Array(1024);
  to = new Int32Array(1024);
  /** The number of the type in the algorithm's declaration. */
  type = new Uint8Array(1024);
  sentAt = new Int32Array(1024);
  /** The step that delivered or lost it; −1 while it is under way. */
  endedAt = new Int32Array(1024);
  fate = new Uint8Array(1024);

  /** Makes room for one more row of steps. */
  nextStep(): number {
    if (this.steps === this.time.length) {
      for (const name of STEP_COLUMNS) this[name] = longer(this[name]) as never;
    }
    return this.steps++;
  }

  nextCopy(): number {
    if (this.copies === this.id.length) {
      for (const name of COPY_COLUMNS) this[name] = longer(this[name]) as never;
    }
    return this.copies++;
  }
}

const STEP_COLUMNS = [
  ...(['time', 'site', 'event', 'copy', 'phase', 'enters', 'tokens', 'forced'] as const),
];
const COPY_COLUMNS = ['id', 'from', 'to', 'type', 'sentAt', 'endedAt', 'fate'] as const;

function longer<C extends Column>(column: C): C {
  const copy = new (column.constructor as new (length: number) => C)(2 * column.length);
  copy.set(column);
  return copy;
}

/** Fills columns as a run goes. */
export class ColumnWriter implements Observer {
  readonly #run: Run;
  readonly #columns: Columns;
  readonly #types: readonly string[];
  /** The copies under way, by receiver and number of the message: several only if it was doubled. */
  readonly #open = new Map<number, number[]>();

  constructor(run: Run, columns: Columns) {
    this.#run = run;
    this.#columns = columns;
    this.#types = Object.keys(run.algorithm.messages);
  }

  step(failed: boolean): void {
    const { queue, machine, network, sites, failures } = this.#run;
    const { kind } = queue;
    const isFault = kind === FAULT;
    const { action } = isFault ? failures : { action: undefined };
    const site = action === undefined ? queue.site : 'site' in action ? action.site : -1;
    const isStep = !isFault || action?.kind === 'restart';
    const row = this.#write(
      site,
      action === undefined ? this.#eventOf(kind, site) : numberOf[action.kind],
    );
    const { columns } = { columns: this.#columns };
    if (kind === DELIVER || kind === DELIVER_IN_ORDER) this.#end(row, site, queue.id, DELIVERED);
    if (!isStep || failed) return;
    const effects = machine.site;
    if (effects.entered) columns.enters[row] = 1;
    for (let i = 0; i < effects.sends; i++) {
      const id = network.sent - effects.sends + 1 + i;
      const to = effects.to[i]!;
      const type = this.#types.indexOf(effects.messages[i]!.type);
      for (const receiver of receivers(site, to, sites.n))
        this.#post(row, id, site, receiver, type);
    }
  }

  mishap({ event, from, to, id, message }: Mishap): void {
    const row = this.#write(to, numberOf[event]);
    if (event === 'lose') this.#end(row, to, id, LOST);
    else this.#columns.copy[row] = this.#open.get(this.#key(to, id))?.[0] ?? -1;
    if (event === 'duplicate') this.#post(row, id, from, to, this.#types.indexOf(message.type));
  }

  #write(site: NodeId, event: number): number {
    const columns = this.#columns;
    const { now, sites, tokens, isForced } = this.#run;
    const row = columns.nextStep();
    columns.time[row] = now;
    columns.site[row] = site;
    columns.event[row] = event;
    columns.copy[row] = -1;
    columns.phase[row] = site < 0 ? 0 : sites.phase[site]!;
    columns.tokens[row] = site < 0 ? 0 : (tokens?.heldBy(site) ?? 0);
    columns.forced[row] = isForced ? 1 : 0;
    return row;
  }

  #eventOf(kind: number, site: NodeId): number {
    switch (kind) {
      case REQUEST:
        return numberOf.request;
      case EXIT:
        return this.#run.sites.phase[site] === WAITING ? numberOf.rerequest : numberOf.exit;
      case TIMER:
        return numberOf.timer;
      case PEER:
        return numberOf.peer;
      case START:
        return numberOf.start;
      default:
        return numberOf.deliver;
    }
  }

  #key(to: NodeId, id: number): number {
    return id * this.#run.sites.n + to;
  }

  #post(row: number, id: number, from: NodeId, to: NodeId, type: number): void {
    const columns = this.#columns;
    const copy = columns.nextCopy();
    columns.id[copy] = id;
    columns.from[copy] = from;
    columns.to[copy] = to;
    columns.type[copy] = type;
    columns.sentAt[copy] = row;
    columns.endedAt[copy] = -1;
    columns.fate[copy] = UNDER_WAY;
    const key = this.#key(to, id);
    const open = this.#open.get(key);
    if (open === undefined) this.#open.set(key, [copy]);
    else open.push(copy);
  }

  #end(row: number, to: NodeId, id: number, fate: number): void {
    const columns = this.#columns;
    const key = this.#key(to, id);
    const open = this.#open.get(key);
    const copy = open?.shift();
    if (open?.length === 0) this.#open.delete(key);
    if (copy === undefined) return;
    columns.copy[row] = copy;
    columns.endedAt[copy] = row;
    columns.fate[copy] = fate;
  }
}
