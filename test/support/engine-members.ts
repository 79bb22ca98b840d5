/** Members of a group in one process and in real time: the engine on a real store, without locks and without sockets. */
import type { Plain } from '../../src/core/plain.ts';
import type { EngineFactory } from '../../src/engines/factory.ts';
import type { RegisterDriver } from '../../src/engines/register-driver.ts';
import type { Engine } from '../../src/group/engine.ts';
import type { Contact, View } from '../../src/group/view.ts';

/** All members of one test: messages between them arrive at once. */
export class Fleet {
  readonly #factory: EngineFactory;
  readonly #group: string;
  readonly members: FleetMember[] = [];
  /** All views that any member was told, in order. */
  readonly views: View[] = [];

  constructor(factory: EngineFactory, group: string) {
    this.#factory = factory;
    this.#group = group;
  }

  async start(id: string): Promise<FleetMember> {
    const member = new FleetMember(this, id);
    await member.open(this.#factory, this.#group);
    this.members.push(member);
    return member;
  }

  /** Whether all these see one view with exactly these in it, and may act. */
  isTogether(...ids: string[]): boolean {
    const live = this.members.filter(({ id, isUp }) => isUp && ids.includes(id));
    const epochs = new Set(live.map(({ view }) => view?.epoch));
    return (
      live.length === ids.length &&
      epochs.size === 1 &&
      live.every((one) => one.mayAct && `${one.view!.members.map(({ id }) => id)}` === `${ids}`)
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()));
  }
}

export class FleetMember {
  readonly id: string;
  readonly incarnation = Date.now();
  readonly log: string[] = [];
  /** Of the views that it was told, in order. */
  readonly epochs: number[] = [];
  readonly #fleet: Fleet;
  #engine!: Engine;
  #driver!: RegisterDriver;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #sessions = new Set<FleetMember>();
  isUp = true;
  view: View | null = null;
  deadline = 0;
  suspensions = 0;
  /** How often it has renewed its record: a clock that runs no faster than the engine itself. */
  renewals = 0;
  /** The renewals before the latest view. */
  renewalsBeforeView = 0;
  stopped: Error | null = null;

  constructor(fleet: Fleet, id: string) {
    this.#fleet = fleet;
    this.id = id;
  }

  get address(): string {
    return `${this.id}:${this.incarnation}`;
  }

  get mayAct(): boolean {
    return this.isUp && this.view !== null && performance.now() < this.deadline;
  }

  get status() {
    return this.#engine.status();
  }

  async open(factory: EngineFactory, group: string): Promise<void> {
    const { engine, driver } = await factory.open({
      group,
      address: this.address,
      step: (event) => {
        if (!this.isUp) return;
        if (event.type === 'hint') this.#engine.hinted();
        else this.#engine.answered(event.call, event.answer);
      },
      log: (line) => this.log.push(line),
    });
    this.#engine = engine;
    this.#driver = driver;
    engine.start({
      self: { id: this.id, incarnation: this.incarnation },
      peers: [],
      get now() {
        return Date.now();
      },
      get monotonic() {
        return performance.now();
      },
      send: (to, message) => this.#send(to, message),
      reach: (contacts) => this.#reach(contacts),
      view: (view) => {
        this.view = view;
        this.renewalsBeforeView = this.renewals;
        this.epochs.push(view.epoch);
        this.#fleet.views.push(view);
      },
      mayActUntil: (monotonic) => {
        this.deadline = monotonic;
      },
      suspended: () => {
        this.view = null;
        this.suspensions++;
      },
      stopped: (reason) => {
        this.view = null;
        this.stopped = reason;
      },
      timer: (name, ms) => this.#setTimer(name, ms),
      call: (call, operation) => {
        const isOwn = operation.type === 'compareAndSet' && operation.key.endsWith(`m/${this.id}`);
        if (isOwn) this.renewals++;
        driver.call(call, operation);
      },
    });
  }

  async leave(): Promise<void> {
    this.view = null;
    this.#engine.leave();
    await this.#driver.idle(2000);
    await this.kill();
  }

  /** Ends without a word. */
  async kill(): Promise<void> {
    if (!this.isUp) return;
    this.isUp = false;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await this.#driver.close();
  }

  #setTimer(name: string, ms: number): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
    if (ms <= 0 || !this.isUp) return;
    const fire = () => {
      this.#timers.delete(name);
      if (this.isUp) this.#engine.timerFired(name);
    };
    this.#timers.set(name, setTimeout(fire, ms));
  }

  #reach(contacts: readonly Contact[]): void {
    for (const { address } of contacts) {
      const other = this.#fleet.members.find((one) => one.isUp && one.address === address);
      if (other === undefined || this.#sessions.has(other)) continue;
      this.#sessions.add(other);
      other.#sessions.add(this);
      setImmediate(() => this.#began(other));
      setImmediate(() => other.#began(this));
    }
  }

  #began(other: FleetMember): void {
    if (this.isUp) this.#engine.sessionBegan({ id: other.id, incarnation: other.incarnation });
  }

  #send(to: string, message: Plain): void {
    const receiver = [...this.#sessions].find(({ id, isUp }) => id === to && isUp);
    setImmediate(() => {
      if (receiver?.isUp) receiver.#engine.received(this.id, message);
    });
  }
}
