/**
 * Members under load on a real store, with faults that any user may inject: processes that are killed, stopped and
 * started. All of it is judged while it runs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../core/random.ts';
import type { LoadSettings } from './protocol.ts';
import { clock, type Member, Team, type TeamSettings } from './team.ts';

export const FAULTS = ['kill', 'stop', 'pause', 'leave'] as const;
export type Fault = (typeof FAULTS)[number];

export interface SoakSettings extends TeamSettings {
  readonly durationMs: number;
  readonly members: number;
  readonly load: LoadSettings;
  readonly faults: readonly Fault[];
  readonly seed: number;
  /** Aborts when the user wants it to end early. */
  readonly signal: AbortSignal;
}

/** How often a fault was injected, and how long it took until all members were granted locks again. */
export interface FaultCount {
  readonly fault: Fault;
  readonly recoveredMs: number[];
}

export interface SoakReport {
  readonly seconds: number;
  readonly entries: number;
  readonly losses: number;
  readonly refusedWrites: number;
  readonly faults: readonly FaultCount[];
  /** Two holders at once, fences that fell, members that did not come back, requests that failed. */
  readonly violations: readonly string[];
}

export interface SoakProgress {
  readonly team: Team;
  /** What is injected just now. */
  readonly doing: string;
  readonly violations: number;
}

/** After a fault all members must be granted locks again within so many leases, and this time for slow machines. */
const RECOVERY_LEASES = 2;
const RECOVERY_MS = 10_000;
const LOOK_MS = 50;
/** Parts of W: a stop outlasts the right of a member and its exclusion; a pause is not noticed. */
const STOP = 1.5;
const PAUSE = 0.4;
const CALM = 0.4;

export async function soak(
  settings: SoakSettings,
  onProgress: (progress: SoakProgress) => void,
): Promise<SoakReport> {
  const run = new Soak(settings);
  const timer = setInterval(() => onProgress(run.progress), 1000);
  try {
    await run.begin();
    await run.inject();
  } finally {
    clearInterval(timer);
    await run.team.close();
  }
  return run.report();
}

class Soak {
  readonly team: Team;
  #doing = 'the members join';
  readonly #settings: SoakSettings;
  readonly #random: Random;
  readonly #stuck: string[] = [];
  readonly #counts: Map<Fault, number[]>;
  #began = clock();
  #next = 0;

  constructor(settings: SoakSettings) {
    this.#settings = settings;
    this.team = new Team(settings);
    this.#random = new Random(settings.seed, 'soak');
    this.#counts = new Map(settings.faults.map((fault) => [fault, []]));
  }

  get progress(): SoakProgress {
    return { team: this.team, doing: this.#doing, violations: this.#violations().length };
  }

  /** All members join, and are put under load. Rejects if the store cannot be used. */
  async begin(): Promise<void> {
    const { members, load } = this.#settings;
    await Promise.all(Array.from({ length: members }, () => this.team.start(this.#name())));
    await this.team.loadAll(load);
    await this.#recover('the first view');
    this.#began = clock();
  }

  async inject(): Promise<void> {
    const { durationMs, signal, leaseMs, faults } = this.#settings;
    const until = this.#began + durationMs;
    while (clock() < until && !signal.aborted && this.#stuck.length === 0) {
      this.#doing = 'no fault';
      await this.#wait(CALM * leaseMs);
      if (faults.length === 0) continue;
      const fault = faults[this.#random.below(faults.length)]!;
      const members = [...this.team.members.values()];
      const member = members[this.#random.below(members.length)]!;
      try {
        const healedAt = await this.#apply(fault, member);
        if (await this.#recover(`${fault} of ${member.self}`)) {
          this.#counts.get(fault)!.push(clock() - healedAt);
        }
      } catch (error) {
        // The store could be used before: this is what soak looks for.
        this.#stuck.push(`after ${fault} of ${member.self}: ${(error as Error).message}`);
      }
    }
  }

  report(): SoakReport {
    const { judge, register, entries } = this.team;
    return {
      seconds: (clock() - this.#began) / 1000,
      entries,
      losses: judge.losses,
      refusedWrites: register.refused,
      faults: [...this.#counts].map(([fault, recoveredMs]) => ({ fault, recoveredMs })),
      violations: this.#violations(),
    };
  }

  /** When the fault was over: a killed process does not come back, and so that is at once. */
  async #apply(fault: Fault, member: Member): Promise<number> {
    const { leaseMs, load } = this.#settings;
    const { self } = member;
    if (fault === 'stop' || fault === 'pause') {
      const ms = (fault === 'stop' ? STOP : PAUSE) * leaseMs;
      this.#doing = `${self} is stopped for ${(ms / 1000).toFixed(1)} s`;
      member.signal('SIGSTOP');
      await this.#wait(ms);
      member.signal('SIGCONT');
      return clock();
    }
    this.#doing = fault === 'kill' ? `${self} was killed` : `${self} leaves, another process joins`;
    if (fault === 'kill') await member.kill();
    else await member.leave();
    const at = clock();
    const next = await this.team.start(this.#name());
    await next.ask({ type: 'load', load });
    return at;
  }

  /** Waits until all members are in one view, and each has held a lock since now. */
  async #recover(after: string): Promise<boolean> {
    const since = clock();
    const limitMs = RECOVERY_LEASES * this.#settings.leaseMs + RECOVERY_MS;
    const isTogether = await this.team.together(limitMs);
    while (isTogether && clock() - since < limitMs) {
      if ([...this.team.members.values()].every(({ heldAt }) => heldAt > since)) return true;
      await sleep(LOOK_MS);
    }
    const waiting = [...this.team.members.values()].filter(({ heldAt }) => heldAt <= since);
    const names = waiting.map(({ self }) => self).join(', ');
    const what = isTogether ? `${names} was granted no lock` : 'the members are in no common view';
    this.#stuck.push(`${what} within ${(limitMs / 1000).toFixed(1)} s after ${after}`);
    return false;
  }

  #violations(): string[] {
    return [...this.team.judge.violations, ...this.#stuck, ...this.team.failures];
  }

  /** A stopped process must go on even if the user has had enough. */
  async #wait(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#settings.signal }).catch(() => {});
  }

  #name = (): string => `soak-${process.pid}-${++this.#next}`;
}
