/**
 * One process of the service world: a member as deployed (src/group), with its engine and its callers. What
 * an event does to it depends on nothing else, so it is computed once and kept.
 *
 * Clocks. A fence grows because an entry happens after the exit before it, and the Lamport clock counts
 * that. The checker need not know how far a clock has counted, but only which entries it has seen. So each clock, of a
 * member or in a message, has one of three levels. At `LATEST` it has seen the latest entry of the view; at `WRITER`
 * only the latest exclusive entry; at 0 not even that. Clocks then add few states, and the checker finds an entry
 * whose clock has not seen the entries before it.
 */
import type { Mode } from '../../core/algorithm.ts';
import { assert, InvariantViolation } from '../../core/assert.ts';
import { clone } from '../../core/plain.ts';
import { Malformed } from '../../core/wire.ts';
import type { RequestSpec } from '../../group/backend.ts';
import type { Message } from '../../group/codec.ts';
import type { Send, Timer } from '../../group/effects.ts';
import type { Engine } from '../../group/engine.ts';
import { EPOCH_ZERO } from '../../group/fence.ts';
import { LockAlgorithms, type Rules } from '../../group/lock-algorithm.ts';
import { GroupNode } from '../../group/node.ts';
import { Request } from '../../group/request.ts';
import { load, type SavedNode, save } from '../../group/snapshot.ts';
import type { StepError } from '../steps.ts';
import type { CallFault, LeasedEvent, Leasing } from './leasing.ts';

const WRITER = 2 ** 20;
const LATEST = 2 ** 21;

export interface Caller {
  readonly stage: 'idle' | 'waiting' | 'held';
  /** How many more requests the caller will make. */
  readonly left: number;
  readonly mode: Mode;
  readonly how: RequestSpec['how'];
}

/** A process as the checker sees it. */
export interface Local {
  readonly id: number;
  readonly incarnation: number;
  /** `left`: it has left the group by its own decision, and will not be back. */
  readonly phase: 'up' | 'down' | 'left';
  /** The process of each member with which this process has a session; 0 for none. */
  readonly sessions: readonly number[];
  readonly node: SavedNode | null;
  readonly callers: readonly Caller[];
  /** How many more times a peer will become congested, as this process sees it. */
  readonly congestions: number;
  /** With the engine `leased`: see leased-processes.ts. */
  readonly leased?: Leasing;
}

export type ServiceEvent = (
  | {
      readonly kind: 'request';
      readonly caller: number;
      readonly mode: Mode;
      readonly how: RequestSpec['how'];
    }
  | { readonly kind: 'cancel' | 'release'; readonly caller: number }
  | { readonly kind: 'deliver'; readonly from: number; readonly message: Message }
  | { readonly kind: 'session'; readonly from: number; readonly incarnation: number }
  | { readonly kind: 'timer'; readonly timer: string }
  | { readonly kind: 'congestion'; readonly peer: number; readonly isCongested: boolean }
  | { readonly kind: 'start' | 'crash' | 'leave' | 'restart' | 'sweep' | 'due' }
  | LeasedEvent
) & { readonly calls?: CallFault };

export interface Grant {
  readonly caller: number;
  readonly mode: Mode;
  readonly epoch: number;
  readonly level: number;
}

/** The outcome of an event. */
export interface Outcome {
  readonly local: Local;
  readonly sends: readonly { readonly to: number; readonly message: Message }[];
  readonly grants: readonly Grant[];
  /** The callers whose tries were refused, and the callers that were told of a loss or a failure. */
  readonly refused: readonly number[];
  readonly failed: readonly number[];
  readonly lost: readonly number[];
  readonly error: StepError | undefined;
}

export interface ProcessSettings {
  readonly members: number;
  readonly rules: Rules;
  readonly permits: number;
  readonly turns: number;
  /** Whether members put idle locks away after each step, and forget them at any moment. @default false */
  readonly forgets?: boolean;
  readonly makeEngine: (id: string) => Engine;
}

const NAME = 'x';
/** Longer than any timer of a lock. */
const LATER_MS = 1000;
export const memberName = (id: number): string => 'abcdefgh'[id]!;
export const idOf = (name: string): number => 'abcdefgh'.indexOf(name);

export class Processes {
  protected readonly settings: ProcessSettings;
  readonly #algorithms: LockAlgorithms;

  constructor(settings: ProcessSettings) {
    this.settings = settings;
    this.#algorithms = new LockAlgorithms(settings.rules, settings.members, 1);
  }

  /** Whether the lock's algorithm has readers. */
  get canShare(): boolean {
    const { permits, members } = this.settings;
    this.#algorithms.resize(members);
    return permits === 0 && this.#algorithms.of(NAME, permits).canShare;
  }

  initial(id: number, callers: number, left: number, congestions: number): Local {
    const idle: Caller = { stage: 'idle', left, mode: 'exclusive', how: 'wait' };
    return {
      id,
      incarnation: 1,
      phase: 'up',
      sessions: Array<number>(this.settings.members).fill(0),
      node: null,
      callers: Array<Caller>(callers).fill(idle),
      congestions,
    };
  }

  /** Lowers the clocks that have not seen an entry. */
  static lowered(level: number, isWriter: boolean): number {
    return isWriter ? 0 : Math.min(level, WRITER);
  }

  run(before: Local, event: ServiceEvent): Outcome {
    const nothing = { sends: [], grants: [], refused: [], failed: [], lost: [], error: undefined };
    if (event.kind === 'crash') {
      return { ...nothing, local: this.dead(before, 'down') };
    }
    if (event.kind === 'restart') {
      const { members } = this.settings;
      const sessions = Array<number>(members).fill(0);
      const fresh: Local = {
        ...before,
        phase: 'up',
        incarnation: before.incarnation + 1,
        sessions,
        node: null,
      };
      return this.run(fresh, { kind: 'start' });
    }
    const node = this.revive(before);
    const oldEpoch = node.epoch;
    let error: StepError | undefined;
    let local = before;
    try {
      local = this.step(node, before, event);
    } catch (thrown) {
      if (!(thrown instanceof InvariantViolation || thrown instanceof Malformed)) throw thrown;
      const why = `member ${memberName(before.id)} finds it untrue that ${thrown.message}`;
      error = { property: 'assertion', why };
    }
    return this.conclude(node, local, oldEpoch, event, error);
  }

  protected dead(before: Local, phase: 'down' | 'left'): Local {
    const callers = before.callers.map((caller) => ({ ...caller, ...IDLE }));
    const sessions = before.sessions.map(() => 0);
    return { ...before, phase, node: null, sessions, callers };
  }

  /** The other members hear that a process leaves only if it had joined them. Otherwise it must be restarted. */
  protected departed(node: GroupNode): 'down' | 'left' {
    return node.view === null ? 'down' : 'left';
  }

  protected revive({ id, incarnation, node: saved }: Local): GroupNode {
    const { members, rules, turns, forgets = false, makeEngine } = this.settings;
    const ids = Array.from({ length: members }, (_, i) => memberName(i));
    const self = { id: memberName(id), incarnation };
    const peers = this.peers(ids.filter((other) => other !== self.id));
    const engine = makeEngine(self.id);
    const limits = { namesKept: 0, locksKeptOpen: forgets ? 0 : 1 };
    const settings = { self, peers, rules, turns, ...limits };
    const node = new GroupNode(settings, engine, this.#algorithms);
    node.now = EPOCH_ZERO;
    if (saved === null) return node;
    engine.start(node.engineEnvironment);
    load(node, saved);
    node.effects.clear();
    return node;
  }

  /** The members that a process is configured with. */
  protected peers(others: string[]): string[] {
    return others;
  }

  protected step(node: GroupNode, before: Local, event: ServiceEvent): Local {
    switch (event.kind) {
      case 'start':
        node.step({ type: 'start' });
        return before;
      case 'request': {
        const { caller, mode, how } = event;
        const spec = { name: NAME, permits: this.settings.permits, mode, how };
        node.step({ type: 'request', request: new Request(spec, node.self, caller) });
        const { left } = before.callers[caller]!;
        return withCaller(before, caller, { stage: 'waiting', left: left - 1, mode, how });
      }
      case 'cancel':
      case 'release':
        node.step({ type: 'release', request: requestOf(node, event.caller)! });
        return withCaller(before, event.caller, { ...before.callers[event.caller]!, ...IDLE });
      case 'deliver':
        node.step({
          type: 'message',
          from: memberName(event.from),
          message: clone(event.message),
        });
        return before;
      case 'session': {
        const { from, incarnation } = event;
        const peer = { id: memberName(from), incarnation };
        node.step({ type: 'session', peer });
        const sessions = before.sessions.with(from, incarnation);
        return { ...before, sessions };
      }
      case 'timer':
        node.step({ type: 'timer', timer: timerOf(node, event.timer) });
        return before;
      case 'congestion': {
        const { peer, isCongested } = event;
        node.step({ type: 'congestion', peer: memberName(peer), isCongested });
        return { ...before, congestions: before.congestions - (isCongested ? 1 : 0) };
      }
      case 'sweep':
        this.#sweep(node);
        return before;
      case 'due':
        this.#expireDue(node);
        return before;
      case 'leave':
        node.step({ type: 'leave', reason: new Error('left') });
        return before;
      default:
        throw new Error(`no step for ${event.kind}`);
    }
  }

  /** The lock has been idle since the last sweep. */
  #sweep(node: GroupNode): void {
    for (const lock of node.locks) lock.usedAt = Number.NEGATIVE_INFINITY;
    node.step({ type: 'timer', timer: node.locks.sweepTimer! });
  }

  /**
   * The lock has been idle for a moment, and a timer of its site is due. Where locks are forgotten, time also passes if none
   * is: what other members asked before is then no longer recent. There are several times as many states then.
   */
  #expireDue(node: GroupNode): void {
    const { locks } = node;
    const { permits, forgets } = this.settings;
    const { machine } = this.#algorithms.of(NAME, permits);
    const isDue = (my: unknown) => forgets === true || machine.isTimerDue(my);
    for (const { record, sites } of locks) {
      if (record !== null && isDue(sites.all[0]!.my)) locks.due.add(record);
    }
    for (const record of locks.idle()) if (isDue(record.state)) locks.due.add(record);
    if (locks.due.timer === null) return;
    node.now += LATER_MS;
    node.step({ type: 'timer', timer: locks.due.timer });
  }

  /** Reads what the step has recorded. */
  protected conclude(
    node: GroupNode,
    stepped: Local,
    oldEpoch: number,
    event: ServiceEvent,
    thrown: StepError | undefined,
  ): Outcome {
    const { effects } = node;
    let error = thrown;
    // A new view has had no entry, so its clocks need not have seen one.
    const base = node.epoch === oldEpoch ? 0 : WRITER;
    if (base > 0 && node.clock >= WRITER) {
      const why = `the clock of ${node.self} does not count from the beginning of the view`;
      error ??= { property: 'fence-reset', why };
    }
    let local = stepped;
    const grants: Grant[] = [];
    const told = { refused: [] as number[], failed: [] as number[], lost: [] as number[] };
    let latest = Number.POSITIVE_INFINITY;
    for (const outcome of effects.outcomes) {
      const caller = outcome.request.caller as number;
      const was = local.callers[caller]!;
      assert(outcome.type !== 'wanted', 'the callers of this world are lent nothing');
      if (outcome.type === 'granted') {
        const { mode, epoch, clock } = outcome.request;
        const level = grants.length > 0 ? LATEST : levelOf(clock - 1 + base);
        grants.push({ caller, mode, epoch, level });
        latest = clock;
        error ??= unless(was.stage === 'waiting', `${nameOf(local, caller)} is granted twice`);
        local = withCaller(local, caller, { ...was, stage: 'held' });
      } else {
        if (outcome.type === 'lost') {
          error ??= unless(was.stage === 'held', `${nameOf(local, caller)} loses what it has not`);
        }
        told[outcome.type].push(caller);
        local = withCaller(local, caller, { ...was, ...IDLE });
      }
    }
    const isWriter = grants.some(({ mode }) => mode === 'exclusive');
    const level = (clock: number): number => {
      if (clock >= latest) return LATEST;
      const seen = levelOf(clock + base);
      return grants.length > 0 ? Processes.lowered(seen, isWriter) : seen;
    };
    const sends = [...effects.sends]
      .map((send) => ({ to: idOf(send.to), message: messageOf(send, level) }))
      .filter(({ to }) => local.sessions[to] !== 0);
    node.clock = level(node.clock);
    error ??= disagreement(node, local);
    if (event.kind === 'leave') local = this.dead(local, this.departed(node));
    else local = { ...local, node: save(node) };
    return { local, sends, grants, ...told, error };
  }
}

const IDLE = { stage: 'idle', mode: 'exclusive', how: 'wait' } as const;

const levelOf = (clock: number): number =>
  clock >= LATEST ? LATEST : clock >= WRITER ? WRITER : 0;

function withCaller(local: Local, caller: number, state: Caller): Local {
  return { ...local, callers: local.callers.with(caller, state) };
}

export const nameOf = ({ id, callers }: Local, caller: number): string =>
  callers.length === 1
    ? `the caller at ${memberName(id)}`
    : `caller ${caller} at ${memberName(id)}`;

const unless = (isTrue: boolean, why: string): StepError | undefined =>
  isTrue ? undefined : { property: 'outcome-told', why };

/** Whether a caller waits or holds although its member knows nothing of it: it would do so for ever. */
function disagreement(node: GroupNode, local: Local): StepError | undefined {
  for (const [caller, { stage }] of local.callers.entries()) {
    const request = requestOf(node, caller);
    const known = request?.stage ?? 'idle';
    if (known === stage) continue;
    const why = `${nameOf(local, caller)} believes that its request is ${stage}, and it is ${known}`;
    return { property: 'outcome-told', why };
  }
  return undefined;
}

function requestOf(node: GroupNode, caller: number): Request | undefined {
  for (const lock of node.locks) {
    for (const request of [...lock.queue, ...lock.held()]) {
      if (request.caller === caller) return request;
    }
  }
  return node.admission.refused.find(
    (request) => request.caller === caller && request.stage === 'waiting',
  );
}

function timerOf(node: GroupNode, name: string): Timer {
  if (node.admission.timer?.name === name) return node.admission.timer;
  for (const { turnTimer, yielding, probe, sites } of node.locks) {
    const all = [turnTimer, yielding.timer, probe.timer, ...sites.timers];
    const found = all.find((timer) => timer?.name === name);
    if (found) return found;
  }
  throw new Error(`the timer ${name} is not set`);
}

function messageOf(send: Send, level: (clock: number) => number): Message {
  if (send.type !== 'lock') return clone({ type: send.type, message: send.message } as Message);
  const { lock, fromSlot, toSlot, message, clock } = send;
  return {
    type: 'lock',
    epoch: lock.epoch,
    name: lock.name,
    permits: lock.permits,
    fromSlot,
    toSlot,
    clock: level(clock),
    message: clone(message),
  };
}

/** The same process, or message, after an entry elsewhere that its clock has not seen. */
export function loweredLocal(local: Local, isWriter: boolean, epoch: number): Local {
  if (local.node === null || local.node.epoch !== epoch) return local;
  const clock = Processes.lowered(local.node.clock, isWriter);
  return clock === local.node.clock ? local : { ...local, node: { ...local.node, clock } };
}

export function loweredMessage(message: Message, isWriter: boolean, epoch: number): Message {
  if (message.type !== 'lock' || message.epoch !== epoch) return message;
  const clock = Processes.lowered(message.clock, isWriter);
  return clock === message.clock ? message : { ...message, clock };
}

export const isAtLevel = (grant: Grant): boolean =>
  grant.mode === 'exclusive' ? grant.level === LATEST : grant.level >= WRITER;

/** The congestions that can begin or end. */
export function congestionsOf({ id, sessions, node, congestions }: Local): ServiceEvent[] {
  const isCongested = (peer: number) =>
    node?.admission.congested.includes(memberName(peer)) ?? false;
  return [...sessions.keys()]
    .filter((peer) => peer !== id && (congestions > 0 || isCongested(peer)))
    .map((peer) => ({ kind: 'congestion', peer, isCongested: !isCongested(peer) }));
}

/** The timers that are set, by name. */
export function timersOf({ node }: Local): string[] {
  const [lock] = node?.locks ?? [];
  const ofMember = node === null || node.admission.after === null ? [] : ['admission'];
  if (lock === undefined) return ofMember;
  return [
    ...ofMember,
    ...(lock.isTurnOver ? ['turn'] : []),
    ...(lock.yielding.after !== null ? ['yield'] : []),
    ...(lock.probe.isTimed ? ['try'] : []),
    ...lock.siteTimers.map(([name]) => name),
  ];
}
