/**
 * The algorithm's side of a lock at one member: its site or, for a semaphore, one site a permit. They ask,
 * enter and leave; who in this process wants that is the other side's matter (instance.ts).
 */
import type { Mode, NodeId } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { EVERYONE, EVERYONE_IN_ORDER } from '../core/machine.ts';
import type { AnyMessage } from '../core/message.ts';
import { clone, type Plain } from '../core/plain.ts';
import type { Correspondent, Home } from './home.ts';
import type { Kind } from './kind.ts';
import type { Request } from './request.ts';

/** A site, and who of this process is inside through it. */
export interface Entrance {
  readonly slot: number;
  my: unknown;
  /** Leaving: nobody is inside through it any more, and perhaps it asks again as it goes. */
  phase: 'idle' | 'asking' | 'inside' | 'leaving';
  mode: Mode;
  readonly holders: Request[];
  /** How many have been served since we entered. */
  turns: number;
  /** The last request that was there when nobody was inside. */
  lastAsked: number;
}

export class Sites {
  readonly entrances: readonly Entrance[];
  /** A site has entered, or has written to another of this member, since this was last set to false. */
  isStirred = false;
  readonly #home: Home;
  readonly #kind: Kind;
  readonly #lock: Correspondent;
  /** Sites are dealt out from another member for each name: roots and first tokens are spread. */
  readonly #turnedBy: number;
  #mail: { readonly from: NodeId; readonly slot: number; readonly message: AnyMessage }[] = [];
  #timers: Map<string, () => void> | null = null;

  /** As at the beginning, or in the states that they were in. */
  constructor(home: Home, kind: Kind, lock: Correspondent, states: readonly Plain[] | null) {
    this.#home = home;
    this.#kind = kind;
    this.#lock = lock;
    this.#turnedBy = hash(lock.name) % home.size;
    this.entrances = Array.from({ length: kind.slots }, (_, slot) => ({
      slot,
      my: states === null ? this.initially(slot) : clone(states[slot]!),
      phase: 'idle',
      mode: 'exclusive',
      holders: [],
      turns: 0,
      lastAsked: 0,
    }));
  }

  initially(slot: number): unknown {
    return this.#kind.machine.init(this.siteAt(slot));
  }

  siteAt(slot: number, member = this.#home.index): NodeId {
    const { size } = this.#home;
    return ((member + size - this.#turnedBy) % size) * this.#kind.slots + slot;
  }

  #memberOf(site: NodeId): number {
    return (Math.floor(site / this.#kind.slots) + this.#turnedBy) % this.#home.size;
  }

  start(): void {
    for (const entrance of this.entrances) {
      this.#kind.machine.start(this.siteAt(entrance.slot), entrance.my);
      this.#carryOut(entrance);
    }
  }

  request(entrance: Entrance, mode: Mode): void {
    entrance.phase = 'asking';
    entrance.mode = mode;
    this.#kind.machine.request(this.siteAt(entrance.slot), entrance.my, mode);
    this.#carryOut(entrance);
  }

  /** Whether a request would be granted without a message to anyone. */
  wouldEnter(entrance: Entrance, mode: Mode): boolean {
    const { machine } = this.#kind;
    machine.request(this.siteAt(entrance.slot), clone(entrance.my), mode);
    return machine.site.entered && machine.site.sends === 0;
  }

  release(entrance: Entrance): void {
    entrance.phase = 'idle';
    this.#kind.machine.release(this.siteAt(entrance.slot), entrance.my);
    this.#carryOut(entrance);
  }

  /** Whether it had better wait to see if someone wants in again, and then leave and ask in one. */
  savesByAgain({ my }: Entrance): boolean {
    return this.#kind.machine.savesByAgain(my);
  }

  /** Whether someone waits for it to leave, for all that the algorithm knows. */
  isAwaited({ my }: Entrance): boolean {
    return this.#kind.machine.isAwaited(my);
  }

  again(entrance: Entrance, mode: Mode): void {
    entrance.phase = 'asking';
    entrance.mode = mode;
    this.#kind.machine.again(this.siteAt(entrance.slot), entrance.my, mode);
    this.#carryOut(entrance);
  }

  /** Nobody here waits to write: whoever asks for that is content to read, where the algorithm knows how. */
  settle(): void {
    const { machine } = this.#kind;
    if (!machine.canSettle) return;
    for (const entrance of this.entrances) {
      if (entrance.phase !== 'asking' || entrance.mode === 'shared') continue;
      entrance.mode = 'shared';
      machine.settle(this.siteAt(entrance.slot), entrance.my);
      this.#carryOut(entrance);
    }
  }

  receive(from: NodeId, slot: number, message: AnyMessage): void {
    const entrance = this.entrances[slot]!;
    this.#kind.machine.receive(this.siteAt(slot), entrance.my, from, message);
    this.#carryOut(entrance);
  }

  /** What the sites of this member have told each other. */
  deliver(): void {
    if (this.#mail.length === 0) return;
    const mail = this.#mail;
    this.#mail = [];
    for (const { from, slot, message } of mail) this.receive(from, slot, message);
  }

  get areIdle(): boolean {
    const hasTimers = this.#timers !== null && this.#timers.size > 0;
    return !hasTimers && this.entrances.every(({ phase }) => phase === 'idle');
  }

  stopTimers(): void {
    for (const cancel of this.#timers?.values() ?? []) cancel();
    this.#timers = null;
  }

  /** The members whose answers are missing, where the algorithm knows. */
  awaits(): readonly number[] {
    const { algorithm, machine } = this.#kind;
    const asking = this.entrances.find(({ phase }) => phase === 'asking');
    if (asking === undefined || algorithm.awaits === undefined) return [];
    machine.site.begin(this.siteAt(asking.slot));
    const members = algorithm.awaits(asking.my, machine.site).map((site) => this.#memberOf(site));
    return [...new Set(members)].filter((member) => member !== this.#home.index);
  }

  /** The step is over: what it wants done. */
  #carryOut(entrance: Entrance): void {
    const { site } = this.#kind.machine;
    for (let i = 0; i < site.sends; i++) {
      const to = site.to[i]!;
      const message = site.messages[i]!;
      assert(to !== EVERYONE_IN_ORDER, 'rules refuse what needs an ordered medium');
      if (to !== EVERYONE) this.#send(entrance.slot, to, message);
      else for (const j of site.others) this.#send(entrance.slot, j, message);
    }
    for (const { name, ticks } of site.timers) this.#setTimer(entrance, name, ticks);
    if (!site.entered) return;
    assert(entrance.phase === 'asking', 'enter answers a request');
    entrance.phase = 'inside';
    entrance.turns = 0;
    this.isStirred = true;
  }

  #send(fromSlot: number, site: NodeId, message: AnyMessage): void {
    const to = this.#memberOf(site);
    const toSlot = site % this.#kind.slots;
    if (to !== this.#home.index) {
      const { wire } = this.#kind;
      this.#home.post({ lock: this.#lock, fromSlot, to, toSlot, message, wire });
    } else {
      this.#mail.push({ from: this.siteAt(fromSlot), slot: toSlot, message });
      this.isStirred = true;
    }
  }

  /** Within a view nothing is lost and nobody dies: timers that suspect it need not fire. */
  #setTimer(entrance: Entrance, name: string, ticks: number): void {
    const { algorithm, machine } = this.#kind;
    if (algorithm.timers![name]!.fires !== 'anytime') return;
    const id = `${entrance.slot} ${name}`;
    this.#timers ??= new Map();
    this.#timers.get(id)?.();
    this.#timers.delete(id);
    if (ticks === 0) return;
    const fire = () => {
      this.#timers!.delete(id);
      machine.expire(this.siteAt(entrance.slot), entrance.my, name);
      this.#carryOut(entrance);
      this.onTimer();
    };
    this.#timers.set(id, this.#home.later(ticks, fire));
  }
  onTimer: () => void = () => {};
}

/** FNV-1a: the same at every member. */
function hash(name: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 0x01000193);
  return h >>> 0;
}
