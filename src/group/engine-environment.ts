import type { Plain } from '../core/plain.ts';
import type { Effects, Timer } from './effects.ts';
import type { EngineEnvironment } from './engine.ts';
import type { Lease } from './lease.ts';
import type { RegisterOperation } from './register.ts';
import type { Contact, Member, View } from './view.ts';

/** The member as its engine sees it. */
export interface MemberWithEngine {
  readonly now: number;
  readonly monotonic: number;
  readonly effects: Effects;
  readonly lease: Lease;
  adopt(view: View): void;
  suspend(reason: Error): void;
  end(reason: Error): void;
}

/** The effects of the engine, recorded among the effects of the member's step. */
export class RecordingEnvironment implements EngineEnvironment {
  readonly self: Member;
  readonly peers: readonly string[];
  readonly timers = new Map<string, Timer>();
  readonly #member: MemberWithEngine;

  constructor(member: MemberWithEngine, self: Member, peers: readonly string[]) {
    this.#member = member;
    this.self = self;
    this.peers = peers;
  }

  get now(): number {
    return this.#member.now;
  }

  get monotonic(): number {
    return this.#member.monotonic;
  }

  send(to: string, message: Plain): void {
    this.#member.effects.sends.push({ type: 'engine', to, message });
  }

  view(view: View): void {
    this.#member.adopt(view);
  }

  reach(contacts: readonly Contact[]): void {
    this.#member.effects.reports.push({ type: 'reach', contacts });
  }

  mayActUntil(monotonic: number, now: number): void {
    this.#member.lease.deadline = monotonic;
    this.#member.lease.deadlineClock = now;
  }

  suspended(reason: Error): void {
    this.#member.suspend(reason);
  }

  stopped(reason: Error): void {
    this.#member.end(reason);
  }

  timer(name: string, ms: number): void {
    const { effects } = this.#member;
    const earlier = this.timers.get(name);
    if (earlier !== undefined) effects.timersCancelled.push(earlier);
    this.timers.delete(name);
    if (ms === 0) return;
    const timer: Timer = { lock: null, name: `engine ${name}`, after: ms, handle: undefined };
    this.timers.set(name, timer);
    effects.timersSet.push(timer);
  }

  call(call: number, operation: RegisterOperation): void {
    this.#member.effects.reports.push({ type: 'call', call, operation });
  }

  /** The engine's name for a timer that expires, if it is still set. */
  expired(timer: Timer): string | null {
    const name = timer.name.slice('engine '.length);
    return this.timers.get(name) === timer && this.timers.delete(name) ? name : null;
  }
}
