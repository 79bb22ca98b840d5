import { frame, kinds, LENGTH_BYTES } from './frames.ts';
import type { Limits } from './settings.ts';

/** On a busy connection the round trip is measured once in so many heartbeats. */
const MEASURED = 10;

/** A PING on an idle connection comes after this part of the interval if the process is awake then: it wakes less often. */
const EARLY = 2 / 3;
/** Between processes of one machine the interval is so many times as long. */
const LOCAL = 4;

type HeartbeatLimits = Pick<Limits, 'heartbeatMs' | 'silenceMs' | 'idleHeartbeatMs'>;

/**
 * Liveness of the other end: when it was last heard, and the round-trip time of a heartbeat.
 *
 * A PING is due when the peer was not heard since the last heartbeat. On an idle connection, which has carried no message
 * for some time, it is due after `idleHeartbeatMs`. The peer is silent when it does not answer a PING for about
 * `silenceMs`.
 */
export class Heartbeat {
  heardAt: number | undefined;
  roundTripMs: number | undefined;
  /** The shortest round trip: what the connection takes when no message waits. */
  leastRoundTripMs: number | undefined;
  readonly #limits: HeartbeatLimits;
  #pingedAt: number | undefined;
  /** The first PING since the peer was last heard. */
  #askedAt = 0;
  #lastBeatAt = 0;
  #beats = 0;
  /** After how long without a byte a PING is due on an idle connection, and is sent if the process is awake. */
  #idleMs: number;
  #earlyMs: number;

  constructor(limits: HeartbeatLimits) {
    this.#limits = limits;
    this.#idleMs = limits.idleHeartbeatMs;
    this.#earlyMs = limits.idleHeartbeatMs;
  }

  /**
   * A connection begins. While it is idle, the end that dialed sends PINGs; the other end does so only if it misses them.
   * Within one machine only a process that hangs can be silent, so PINGs are rarer there.
   */
  begin(now: number, hasDialed: boolean, isLocal: boolean): void {
    const { heartbeatMs, idleHeartbeatMs } = this.#limits;
    this.heardAt = now;
    const idleMs = (isLocal ? LOCAL : 1) * idleHeartbeatMs;
    this.#idleMs = hasDialed ? idleMs : idleMs + heartbeatMs;
    this.#earlyMs = hasDialed ? EARLY * idleMs : this.#idleMs;
  }

  /** Time since the last byte of the peer. */
  silentMs(now: number): number | undefined {
    return this.heardAt === undefined ? undefined : now - this.heardAt;
  }

  /** Since when the peer has owed an answer to a PING; undefined if it owes none. */
  get askedSince(): number | undefined {
    return this.#askedAt > (this.heardAt ?? 0) ? this.#askedAt : undefined;
  }

  /** What is to be done at this heartbeat. */
  beat(now: number, isIdle: boolean): 'nothing' | 'ping' | 'cut' {
    const { heartbeatMs, silenceMs } = this.#limits;
    const heardAt = this.heardAt!;
    const isAsked = this.#askedAt > heardAt;
    if (isAsked && now - heardAt >= silenceMs && now - this.#askedAt >= silenceMs - heartbeatMs) {
      return 'cut';
    }
    const isQuiet = isIdle ? now - heardAt >= this.#earlyMs : heardAt <= this.#lastBeatAt;
    this.#lastBeatAt = now;
    const isMeasured = !isIdle && this.#beats++ % MEASURED === 0;
    if (!isQuiet && !isMeasured) return 'nothing';
    if (!isAsked) this.#askedAt = now;
    return 'ping';
  }

  /** For how long an idle connection needs no heartbeat, and the peer may still answer the last one. */
  untilDueMs(now: number): number {
    const dueAt =
      this.askedSince === undefined
        ? this.heardAt! + this.#idleMs
        : this.askedSince + this.#limits.silenceMs;
    return Math.max(0, dueAt - now);
  }

  /** A PING with our time, which the peer's PONG gives back. */
  ping(now: number): Uint8Array {
    this.#pingedAt = now;
    const bytes = frame(kinds.PING, new Uint8Array(8));
    new DataView(bytes.buffer).setFloat64(LENGTH_BYTES + 1, now);
    return bytes;
  }

  /** A PONG, from its kind on. Only the answer to our last PING measures the round trip. */
  pong(bytes: Uint8Array, start: number, now: number): void {
    const sentAt = new DataView(bytes.buffer, bytes.byteOffset + start + 1, 8).getFloat64(0);
    if (sentAt !== this.#pingedAt) return;
    this.roundTripMs = now - sentAt;
    this.leastRoundTripMs = Math.min(this.leastRoundTripMs ?? Infinity, this.roundTripMs);
  }
}
