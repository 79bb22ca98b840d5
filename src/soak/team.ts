/** The members of the group that `soak` judges: started, killed, stopped, given orders, and heard. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FencedRegister, Judge } from './judge.ts';
import type { FromMember, LoadSettings, MemberState, Order, Report, ToMember } from './protocol.ts';

/** Views of members are asked for so often. */
const LOOK_MS = 20;
/** A member that was asked to leave is killed after so long. */
const LEAVE_MS = 10_000;

export interface TeamSettings {
  /** The URL of the store. */
  readonly engine: string;
  readonly leaseMs: number;
  readonly group: string;
  /** The compiled program of a member. */
  readonly program?: string;
}

/** How a member is started. */
export interface Place {
  readonly listen?: string;
  readonly shortcut?: boolean;
  readonly coarseClock?: boolean;
  /** Stands before the command of the member, as `ip netns exec NAME` does. */
  readonly prefix?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** The compiled file: a new process knows nothing of TypeScript. */
const PROGRAM = fileURLToPath(new URL('./member.js', import.meta.url));

export class Team {
  readonly judge = new Judge();
  readonly register = new FencedRegister();
  /** Requests that failed though their member had not lost its lease, and members that gave up. */
  readonly failures: string[] = [];
  readonly members = new Map<string, Member>();
  readonly settings: TeamSettings;

  constructor(settings: TeamSettings) {
    this.settings = settings;
  }

  get entries(): number {
    return this.judge.holds;
  }

  /** Starts a process that joins the group. Rejects if it cannot. */
  async start(self: string, place: Place = {}): Promise<Member> {
    const { program = PROGRAM, ...settings } = this.settings;
    const member = new Member(self, program, place, (report) => this.#heard(member, report));
    this.members.set(self, member);
    void member.ended.then(() => {
      if (this.members.get(self) === member) this.members.delete(self);
    });
    const { listen = '127.0.0.1:0', shortcut = true, coarseClock = false } = place;
    const here = { self, listen, shortcut, coarseClock };
    await member.ask({ type: 'join', settings: { ...settings, ...here } });
    return member;
  }

  /** Resolves with true when all these processes are in one view, or with false after so long. */
  async together(withinMs: number, members = [...this.members.values()]): Promise<boolean> {
    const names = members.map(({ self }) => self);
    const until = performance.now() + withinMs;
    while (performance.now() < until) {
      const states = await Promise.all(members.map((member) => member.state()));
      const [first] = states;
      const isOne = states.every(({ members: view }) => `${view}` === `${first?.members}`);
      if (isOne && names.every((name) => first?.members.includes(name))) return true;
      await sleep(LOOK_MS);
    }
    return false;
  }

  async loadAll(load: LoadSettings): Promise<void> {
    await Promise.all([...this.members.values()].map((one) => one.ask({ type: 'load', load })));
  }

  /** All members leave. A member that does not leave is killed. */
  async close(): Promise<void> {
    await Promise.all([...this.members.values()].map((member) => member.leave(LEAVE_MS)));
  }

  #heard(member: Member, report: Report): void {
    const { self } = member;
    switch (report.type) {
      case 'held':
        member.heldAt = Math.max(member.heldAt, report.at);
        this.judge.stamp(report.lock, self, BigInt(report.fence), report.at, report.stepMs);
        break;
      case 'lost':
        this.judge.lost(report.lock, BigInt(report.fence), report.at + report.stepMs);
        break;
      case 'write': {
        const isAccepted = this.register.write(report.lock, BigInt(report.fence));
        member.send({ written: report.id, isAccepted });
        break;
      }
      case 'failed':
        this.failures.push(`${self}: ${report.lock}: ${report.error}`);
        break;
      case 'stopped':
        this.failures.push(`${self} is no member any more: ${report.error}`);
    }
  }
}

/** On Linux all processes of a machine have this clock in common. */
export const clock = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

export class Member {
  readonly self: string;
  /** Resolves when its process has ended. */
  readonly ended: Promise<void>;
  isRunning = true;
  /** The last time at which it proved that it held a lock. */
  heldAt = 0;
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, { resolve(value: unknown): void; reject(why: Error): void }>();
  #last = 0;

  constructor(self: string, program: string, place: Place, hear: (report: Report) => void) {
    this.self = self;
    const command = [...(place.prefix ?? []), process.execPath, program];
    this.#child = spawn(command[0]!, command.slice(1), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, ...place.env },
    });
    this.ended = new Promise((resolve) => {
      const end = (why: string) => {
        this.isRunning = false;
        for (const { reject } of this.#asked.values()) reject(new Error(`${self} ${why}`));
        this.#asked.clear();
        resolve();
      };
      this.#child.once('error', ({ message }) => end(`cannot be started: ${message}`));
      this.#child.once('exit', (code, signal) => end(`has ended with ${signal ?? code}`));
    });
    this.#child.on('message', (message: FromMember) => {
      if ('report' in message) hear(message.report);
      else this.#answered(message);
    });
  }

  /** Rejects if the process ends first. */
  ask<T = undefined>(order: Order): Promise<T> {
    const id = ++this.#last;
    return new Promise<T>((resolve, reject) => {
      this.#asked.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.send({ id, order });
    });
  }

  /** A process that ended, or stands still, is in no view. */
  state(): Promise<MemberState> {
    const none: MemberState = { members: [], leaseLeftMs: 0 };
    if (!this.isRunning) return Promise.resolve(none);
    return this.ask<MemberState>({ type: 'status' }).catch(() => none);
  }

  acquire = async (lock: string): Promise<bigint> =>
    BigInt(await this.ask<string>({ type: 'acquire', lock }));

  send(message: ToMember): void {
    // It may be killed at this very moment.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  /** Leaves the group and ends; it is killed if that takes longer. */
  async leave(withinMs = LEAVE_MS): Promise<void> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), withinMs);
    await this.ask({ type: 'leave' }).catch(() => {});
    await this.ended;
    clearTimeout(timer);
  }

  #answered({ id, value, error }: Exclude<FromMember, { report: Report }>): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (error === undefined) asked?.resolve(value);
    else asked?.reject(new Error(error));
  }
}
