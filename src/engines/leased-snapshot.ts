/**
 * The state of the engine `leased` as the checker keeps it. Two processes that behave alike from now on should have equal
 * states. So times are relative to the present, small numbers replace the names of writes, and what is only for people
 * is left out.
 */
import type { Plain } from '../core/plain.ts';
import { Keys, type MemberRecord } from './leased-records.ts';
import type { State } from './leased-state.ts';

/** Other names for the writes of a key: its revisions, and the nonces of its owner. */
interface WriteNames {
  revision(key: string, revision: string): string;
  nonce(owner: string, nonce: number): number;
}

/** What the checker reads of an engine on a register, besides the engine itself. */
export class LeasedSnapshot {
  readonly #keys: Keys;

  constructor(group: string) {
    this.#keys = new Keys(group);
  }

  /** The same knowledge after `ms` have passed, where the present is always `present`. */
  later(saved: Plain, ms: number, present: number, oldest: number): Plain {
    const my = saved as unknown as State;
    const time = (at: number) => Math.max(oldest, at - ms);
    const maybe = (at: number | null) => (at === null ? null : time(at));
    const mapped = <T, U>(all: { readonly [id: string]: T }, change: (one: T) => U) =>
      Object.fromEntries(Object.entries(all).map(([id, one]) => [id, change(one)]));
    const later: State = {
      ...my,
      storeReachable: null,
      identityAt: time(my.identityAt),
      // Nothing reads it while the base is known.
      doubtAt: my.isBaseKnown ? oldest : time(my.doubtAt),
      attempts: my.attempts.map(({ nonce, at, clock }) => ({
        ...{ nonce, at: time(at), clock: clock + time(at) - at },
      })),
      deadline: maybe(my.deadline),
      deadlineClock: my.deadline === null ? 0 : my.deadlineClock + time(my.deadline) - my.deadline,
      // Epochs grow by one from view to view, whatever time has passed.
      heardAt: present,
      behindSince: maybe(my.behindSince),
      sightings: mapped(my.sightings, (one) => ({
        ...one,
        at: time(one.at),
        ownerAt: time(one.ownerAt),
      })),
      readAt: time(my.readAt),
      peers: mapped(my.peers, (peer) => ({
        ...peer,
        at: maybe(peer.at),
        confirmedAt: maybe(peer.confirmedAt),
      })),
      staleSince: maybe(my.staleSince),
      cutSince: maybe(my.cutSince),
      wantsViewSince: maybe(my.wantsViewSince),
      calls: mapped(my.calls, (call) => ({ ...call, sentAt: time(call.sentAt) })),
    };
    return later as unknown as Plain;
  }

  /** The same knowledge under other names. A process never looks at the nonces of others. */
  renamed(saved: Plain, self: string, names: WriteNames): Plain {
    const my = saved as unknown as State;
    const nonce = (given: number) => (given === 0 ? 0 : names.nonce(self, given));
    const revision = (key: string, given: string | null) =>
      given === null ? null : names.revision(key, given);
    const sightings = Object.entries(my.sightings).map(([id, sighting]) => {
      const key = this.#keys.member(id);
      const { record } = sighting;
      const renamed = record && {
        ...record,
        nonce: id === self ? nonce(record.nonce) : 0,
        fencedFrom: revision(key, record.fencedFrom),
      };
      return [id, { ...sighting, revision: revision(key, sighting.revision), record: renamed }];
    });
    const calls = Object.entries(my.calls).map(([number, call]) => [
      number,
      call.kind === 'own' ? { ...call, nonce: nonce(call.nonce) } : call,
    ]);
    const renamed: State = {
      ...my,
      nonce: nonce(my.nonce),
      base: revision(this.#keys.member(self), my.base),
      attempts: my.attempts.map((attempt) => ({ ...attempt, nonce: nonce(attempt.nonce) })),
      viewRevision: revision(this.#keys.view, my.viewRevision),
      sightings: Object.fromEntries(sightings),
      calls: Object.fromEntries(calls),
    };
    return renamed as unknown as Plain;
  }

  /** What a key holds, under other names. */
  renamedValue(key: string, value: string, names: WriteNames): string {
    const owner = this.#keys.memberOf(key);
    if (owner === null) return value;
    const record = JSON.parse(value) as MemberRecord;
    const { nonce, fencedFrom } = record;
    return JSON.stringify({
      ...record,
      nonce: nonce === 0 ? 0 : names.nonce(owner, nonce),
      fencedFrom: fencedFrom === null ? null : names.revision(key, fencedFrom),
    });
  }

  /** The same knowledge with its calls numbered from 1; and the new numbers of the old ones. */
  renumbered(saved: Plain): { state: Plain; numbers: ReadonlyMap<number, number> } {
    const my = saved as unknown as State;
    const old = Object.keys(my.calls).map(Number);
    old.sort((a, b) => a - b);
    const numbers = new Map(old.map((number, i) => [number, i + 1]));
    const calls = Object.fromEntries(old.map((number, i) => [i + 1, my.calls[number]!]));
    const state: State = { ...my, calls, nextCall: old.length + 1 };
    return { state: state as unknown as Plain, numbers };
  }

  /** The epoch of a view, and the tenures that are in it. */
  viewIn(register: { readonly [key: string]: { readonly value: string } }): RegisteredView {
    const found = register[this.#keys.view];
    return found === undefined ? { epoch: 0, members: [] } : JSON.parse(found.value);
  }
}

interface RegisteredView {
  readonly epoch: number;
  readonly members: readonly { id: string; incarnation: number; tenure: number }[];
}
