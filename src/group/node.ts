/**
 * A member of the group: its locks, the view they live in, and what passes between members.
 *
 * It is told the time and given its messages, and does nothing by itself: the lock service runs it over
 * sockets, and the simulator, under seeded faults, runs the same.
 *
 * When a new view comes, every lock starts afresh in it. Whoever holds one from before keeps it, and tells
 * everyone; nobody asks for it before it is given back (roll-call.ts). Whoever waits asks again.
 */
import { assert } from '../core/assert.ts';
import { Malformed, type Reader } from '../core/wire.ts';
import type {
  LockBackend,
  RequestHandle,
  RequestListener,
  RequestSpec,
  Survey,
} from './backend.ts';
import { Surveyor } from './census.ts';
import { Early } from './early.ts';
import type { Engine } from './engine.ts';
import { cannotShare, NotMemberError, nameTooLong } from './errors.ts';
import { dealt } from './fence.ts';
import type { LockName, OpenHome } from './home.ts';
import type { Instance } from './instance.ts';
import { Kinds } from './kind.ts';
import { type Addressees, type Envelope, Letters, open } from './letters.ts';
import { type Control, type ControlOf, inParts, LONGEST_NAME } from './messages.ts';
import type { NodeSettings, Outside } from './outside.ts';
import { Request, refused } from './request.ts';
import { RollCall } from './roll-call.ts';
import { Shelf } from './shelf.ts';
import type { Member, View } from './view.ts';

export class GroupNode implements LockBackend {
  readonly clientId: string;
  /** Since the process began. `granted` counts callers, `messages` what was sent for the algorithms. */
  readonly stats = { granted: 0, messages: 0, stale: 0, malformed: 0 };
  readonly #settings: NodeSettings;
  readonly #outside: Outside;
  readonly #engine: Engine;
  readonly #kinds: Kinds;
  readonly #home: OpenHome;
  readonly #shelf: Shelf;
  readonly #surveyor: Surveyor;
  readonly #letters: Letters;
  #rollCall: RollCall | null = null;
  #clock = 0;
  readonly #early = new Early();
  /** Why this process is no member any more. */
  #ended: Error | null = null;

  constructor(settings: NodeSettings, engine: Engine, outside: Outside) {
    this.#settings = settings;
    this.#outside = outside;
    this.#engine = engine;
    this.clientId = settings.self.id;
    const size = settings.peers.length + 1;
    this.#kinds = new Kinds(settings.rules, size, settings.self.incarnation);
    this.#letters = new Letters(this.clientId, outside.send);
    this.#home = this.#makeHome(size);
    this.#shelf = new Shelf(this.#home, this.#kinds);
    this.#surveyor = new Surveyor({
      self: settings.self.id,
      shelf: this.#shelf,
      outside,
      tell: (message, to) => this.#letters.toMembers(message, to),
      members: () => this.#letters.members,
      waitsFor: () => this.waitsFor(),
    });
  }

  /** Begins to be a member. Until a view has come, requests wait. */
  start(): void {
    const { self, peers } = this.#settings;
    this.#engine.start({
      self,
      peers,
      send: (to, payload) => this.#letters.toEngine(to, payload),
      view: (view) => this.#adopt(view),
      stopped: (reason) => this.end(reason),
      now: this.#outside.now,
      later: this.#outside.later,
    });
  }

  get view(): View | null {
    return this.#rollCall?.view ?? null;
  }

  /** Whom the view is waiting for, before it can begin. */
  waitsFor(): readonly string[] {
    return [...new Set([...this.#engine.waitsFor(), ...(this.#rollCall?.missing ?? [])])];
  }

  request(spec: RequestSpec, caller: RequestListener): RequestHandle {
    return this.requestFor(this.clientId, spec, caller);
  }

  /** The same, for a caller that is listed under another name. */
  requestFor(clientId: string, spec: RequestSpec, caller: RequestListener): RequestHandle {
    if (this.#ended !== null) return refused(caller, this.#ended);
    if (spec.name.length > LONGEST_NAME) return refused(caller, nameTooLong(spec.name));
    const lock = this.#lock(spec.name, spec.permits);
    if (spec.mode === 'shared' && !lock.kind.canShare) {
      return refused(caller, cannotShare(spec.name, lock.kind.title));
    }
    const request = new Request(spec, caller, clientId, this.#outside.now(), lock);
    lock.ask(request);
    return request;
  }

  query(): Promise<Survey> {
    return this.#surveyor.query();
  }

  /** Gives back and gives up everything, and tells the others that this member goes. */
  async leave(reason: Error): Promise<void> {
    this.#giveUpAll(reason);
    await this.#engine.stop();
  }

  // What the sessions bring.

  begins(peer: Member): void {
    this.#early.forget(peer.id);
    this.#engine.begins(peer);
  }

  receive(from: string, payload: Reader): void {
    if (this.#ended !== null) return;
    try {
      open(from, payload, this.#addressees);
    } catch (error) {
      if (error instanceof Malformed) {
        this.stats.malformed++;
        this.#outside.log('malformed', { from, why: error.message });
      } else {
        // A peer that breaks the protocol, or a defect of ours: what the locks mean is no longer known.
        this.end(new NotMemberError(`a message from ${from} broke the protocol`, { cause: error }));
      }
    }
  }

  readonly #addressees: Addressees = {
    engine: (from, payload) => this.#engine.receive(from, payload),
    member: (from, message) => this.#receiveControl(from, message),
    lock: (from, envelope) => this.#receiveForLock(from, envelope),
  };

  #receiveForLock(from: string, envelope: Envelope): void {
    const { epoch, name, permits, fromSlot, toSlot } = envelope.address;
    const member = this.#isOfThisView(epoch) ? this.#letters.members.indexOf(from) : -1;
    if (member === -1) {
      this.stats.stale++;
      return;
    }
    const lock = this.#lock(name, permits);
    const message = envelope.open(lock.kind.wire, lock.kind.slots);
    this.#clock = Math.max(this.#clock, envelope.clock);
    lock.receive(lock.sites.siteAt(fromSlot, member), toSlot, message);
  }

  #isOfThisView(epoch: number): boolean {
    return this.#rollCall !== null && epoch === this.#home.epoch;
  }

  #receiveControl(from: string, message: Control): void {
    if (message.type === 'QUERY' || message.type === 'CENSUS') {
      this.#surveyor.receive(from, message);
    } else if (message.epoch > this.#home.epoch) this.#early.keep(from, message);
    else if (this.#isOfThisView(message.epoch) && this.#letters.members.includes(from)) {
      this.#obey(from, message);
    } else this.stats.stale++;
  }

  #obey(from: string, message: Exclude<Control, ControlOf<'QUERY' | 'CENSUS'>>): void {
    if (message.type === 'STATE') {
      this.#clock = Math.max(this.#clock, message.clock);
      this.#told(from, message);
      return;
    }
    const { type, name, permits } = message;
    if (type === 'FREED') {
      if (!this.#rollCall!.isLeftOver(message)) throw new Malformed('nobody held what was freed');
      this.#freed(message);
      return;
    }
    const lock = this.#lock(name, permits);
    if (type === 'PROBE') lock.probed(from, message);
    else if (type === 'HELD') lock.heldBy(from, message.probe, message.count);
    else if (type === 'STEAL') lock.stealFor(from);
    else if (type === 'STOLE') lock.stolenBy(from);
    // WAKE: the lock is there now.
  }

  // Views.

  #adopt(view: View): void {
    if (this.#ended !== null) return;
    const { epoch } = view;
    const members = view.members.map(({ id }) => id);
    const index = members.indexOf(this.clientId);
    assert(index !== -1 && epoch > this.#home.epoch, 'the engine keeps its contract');
    const old = [...this.#shelf].map((lock) => ({ lock, requests: lock.close() }));
    this.#shelf.clear();
    this.#letters.members = members;
    this.#kinds.resize(members.length);
    Object.assign(this.#home, { size: members.length, index, epoch, hasBegun: false });
    this.#rollCall = new RollCall(view);
    for (const { lock, requests } of old) {
      for (const request of requests) this.#lock(lock.name, lock.permits).inherit(request);
    }
    const holds = this.#shelf.leftovers();
    this.#outside.log('view', { epoch, members, held: holds.length });
    const state = { epoch, members: view.members, clock: this.#clock };
    for (const part of inParts(holds)) {
      this.#letters.toMembers({ type: 'STATE', ...state, holds: part, isLast: false });
    }
    this.#letters.toMembers({ type: 'STATE', ...state, holds: [], isLast: true });
    this.#told(this.clientId, { ...state, holds, isLast: true });
    for (const { from, message } of this.#early.take(epoch)) {
      this.#receiveControl(from, message);
    }
  }

  #told(member: string, state: Parameters<RollCall['told']>[1]): void {
    const rollCall = this.#rollCall!;
    if (!rollCall.told(member, state)) {
      this.end(new NotMemberError(`${member} is in another view under the same number`));
    } else if (rollCall.isComplete && !this.#home.hasBegun) {
      this.#home.hasBegun = true;
      this.#outside.log('begun', { epoch: rollCall.view.epoch });
      for (const lock of [...this.#shelf]) this.#begin(lock);
    }
  }

  #freed({ name, permits }: LockName): void {
    if (this.#rollCall!.freed(name, permits)) this.#shelf.awake(name, permits)?.pump();
  }

  #begin(lock: Instance): void {
    if (lock.kind.machine.hasStart) {
      this.#home.tell('WAKE', lock);
      lock.start();
    } else lock.pump();
  }

  /** This process is no member any more, and never will be again. */
  end(reason: Error): void {
    if (this.#ended !== null) return;
    this.#outside.log('ended', { why: reason.message });
    this.#giveUpAll(reason);
    this.onEnd?.(reason);
  }
  /** Called once, if the process stops being a member by no spec of its own. */
  onEnd: ((reason: Error) => void) | null = null;

  #giveUpAll(reason: Error): void {
    // First of all: nobody may ask again from within what it is told now.
    this.#ended ??= reason;
    for (const lock of [...this.#shelf]) lock.giveUp(reason);
  }

  #lock(name: string, permits: number): Instance {
    const awake = this.#shelf.awake(name, permits);
    if (awake !== undefined) return awake;
    const { lock, isNew } = this.#shelf.fetch(name, permits);
    if (isNew && this.#home.hasBegun && lock.kind.machine.hasStart) this.#begin(lock);
    return lock;
  }

  #makeHome(size: number): OpenHome {
    const of = ({ name, permits }: LockName) => ({ epoch: this.#home.epoch, name, permits });
    return {
      ...this.#outside,
      size,
      index: 0,
      epoch: 0,
      turns: this.#settings.turns,
      hasBegun: false,
      tick: () => {
        this.stats.granted++;
        this.#clock = dealt(this.#clock + 1, this.#home.index, this.#home.size);
        return this.#clock;
      },
      isOpen: (lock) => this.#home.hasBegun && !this.#rollCall!.isLeftOver(lock),
      freed: (lock) => {
        this.#letters.toMembers({ type: 'FREED', ...of(lock) });
        this.#freed(lock);
      },
      post: (letter) => {
        this.stats.messages++;
        this.#letters.toLock(letter, this.#home.epoch, ++this.#clock);
      },
      tell: (type, lock) => this.#letters.toMembers({ type, ...of(lock) }),
      probe: (lock, watch) => this.#letters.toMembers({ type: 'PROBE', ...of(lock), ...watch }),
      held: (lock, probe, count, member) => {
        this.#letters.toMembers({ type: 'HELD', ...of(lock), probe, count }, [member]);
      },
    };
  }
}
