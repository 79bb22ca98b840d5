/** Members of one group as processes of their own, on a real store: started, killed, stopped, and asked to lock. */
import { type ChildProcess, fork } from 'node:child_process';
import { until } from './program.ts';

export interface StoreTarget {
  readonly engine: 'postgres' | 'etcd' | 'nats';
  readonly url: string;
  readonly leaseMs: number;
  /** Of the engine. */
  readonly options?: object;
}

interface Told {
  readonly event: string;
  readonly fence?: string;
  readonly name?: string;
  readonly why?: string;
  readonly error?: string;
}

let groups = 0;

export class StoreFleet {
  readonly group = `fleet ${process.pid} ${++groups}`;
  readonly members: StoreMember[] = [];
  /** Of all entries under load: the highest fence yet, the process that is inside, and what was wrong. */
  entries = 0;
  highest = 0n;
  inside: StoreMember | null = null;
  readonly violations: string[] = [];
  readonly #target: StoreTarget;

  constructor(target: StoreTarget) {
    this.#target = target;
  }

  async start(self?: string): Promise<StoreMember> {
    const settings = { ...this.#target, group: this.group, ...(self !== undefined && { self }) };
    const member = new StoreMember(this, JSON.stringify(settings));
    this.members.push(member);
    await member.ready;
    return member;
  }

  /** Resolves when each of these processes is in a view of exactly these. */
  async together(...members: readonly StoreMember[]): Promise<void> {
    const names = members.map(({ self }) => self).sort();
    await until(async () => {
      const views = await Promise.all(members.map((member) => member.ask<string[]>('members')));
      return views.every((view) => `${view}` === `${names}`);
    });
  }

  /** What a process under load tells when it enters and when it leaves. */
  judge(member: StoreMember, event: 'in' | 'out', fence: bigint): void {
    if (event === 'out') {
      if (this.inside === member) this.inside = null;
      return;
    }
    if (this.inside?.isRunning) {
      this.violations.push(`${member.self} is inside with ${this.inside.self}`);
    }
    if (fence <= this.highest) this.violations.push(`the fence ${fence} follows ${this.highest}`);
    this.highest = fence;
    this.inside = member;
    this.entries++;
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill('SIGKILL')));
  }
}

export class StoreMember {
  self = '';
  isRunning = true;
  readonly told: Told[] = [];
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, { resolve(value: unknown): void; reject(why: Error): void }>();
  #last = 0;

  constructor(fleet: StoreFleet, settings: string) {
    this.#child = fork('test/support/store-member.js', [settings]);
    this.ended = new Promise((resolve) => {
      this.#child.on('exit', () => {
        this.isRunning = false;
        for (const { reject } of this.#asked.values()) reject(new Error(`${this.self} has ended`));
        resolve();
      });
    });
    this.ready = new Promise((resolve, reject) => {
      this.#child.once('exit', (code) => reject(new Error(`the member ended with ${code}`)));
      this.#child.on('message', (message: Record<string, never>) => {
        const { id, event, ack } = message;
        if (id !== undefined) this.#answered(message);
        else if (event === 'ready') {
          this.self = message['self'] as unknown as string;
          resolve();
        } else if (ack !== undefined) {
          fleet.judge(this, event as unknown as 'in' | 'out', BigInt(message['fence']!));
          // It may be killed at this very moment.
          if (this.#child.connected) this.#child.send({ ack }, () => {});
        } else this.told.push(message as unknown as Told);
      });
    });
  }

  ask<T = string>(command: string, more: object = {}): Promise<T> {
    const id = ++this.#last;
    return new Promise<T>((resolve, reject) => {
      this.#asked.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#child.send({ id, command, ...more }, (error) => {
        if (error !== null) reject(error);
      });
    });
  }

  /** Whether it has told of such an event. */
  hasTold(event: string): boolean {
    return this.told.some((one) => one.event === event);
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(signal);
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (!this.isRunning) return;
    this.#child.kill(signal);
    await this.ended;
  }

  /** Leaves the group and ends. Returns how often it entered under load. */
  async leave(): Promise<number> {
    const entries = await this.ask<number>('leave');
    await this.ended;
    return entries;
  }

  #answered({ id, value, error }: { id?: never; value?: never; error?: never }): void {
    const asked = this.#asked.get(id!)!;
    this.#asked.delete(id!);
    if (error === undefined) asked.resolve(value);
    else asked.reject(new Error(error));
  }
}
