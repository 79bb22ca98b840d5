/**
 * What callers pass, made into what we work with, by the rules of WebIDL: a name is converted before the
 * options, options are read in alphabetical order, and each exactly once.
 */
import type { Mode } from '../core/algorithm.ts';
import type { RequestSpec } from '../group/backend.ts';

/** How a lock is asked for with a callback: the options of Web Locks, and `timeoutMs`. */
export interface LockOptions extends AcquireOptions {
  /**
   * Do not wait: the callback gets `null` instead of a lock that another caller holds or waits for. Default
   * false. Not together with `steal` or `signal`.
   */
  readonly ifAvailable?: boolean | undefined;
}

/** How a lock is asked for that comes as a handle. */
export interface AcquireOptions extends TryOptions {
  /**
   * Take the lock from its holders, before all requests that wait: for repairs, when a holder hangs. Its code
   * keeps running, and only its fence gives it away. Default false; only for `mode: 'exclusive'`.
   */
  readonly steal?: boolean | undefined;
}

/** How a lock is asked for that must be free. */
export interface TryOptions extends WaitOptions {
  /** `'exclusive'` (the default): alone. `'shared'`: together with other shared requests. */
  readonly mode?: Mode | undefined;
}

/** How long to wait. */
export interface WaitOptions {
  /** Ends the wait when it aborts: the promise rejects with its reason. Once granted, it is ignored. */
  readonly signal?: AbortSignal | undefined;
  /** How many milliseconds to wait at most, before a `TimeoutError`. Default: for ever. */
  readonly timeoutMs?: number | undefined;
}

export interface Wanted {
  readonly mode: Mode;
  readonly how: RequestSpec['how'];
  readonly signal: AbortSignal | undefined;
  /** Infinity: without limit. */
  readonly timeoutMs: number;
}

const NOTHING: Wanted = { mode: 'exclusive', how: 'wait', signal: undefined, timeoutMs: Infinity };
/** What a timer of Node can wait at most, 24 days. */
export const LONGEST_MS = 2 ** 31 - 1;

/** A name is any string. Web Locks reserves those that begin with a hyphen. */
export function readName(name: unknown): string {
  // Not String(name), which would take a symbol.
  return typeof name === 'string' ? name : `${name as string}`;
}

export function readOptions(options: unknown): ReadOptions {
  if (options === undefined || options === null) return new ReadOptions({});
  if (typeof options !== 'object' && typeof options !== 'function') {
    throw new TypeError(`options must be an object, not ${typeof options}`);
  }
  return new ReadOptions(options);
}

class ReadOptions {
  readonly ifAvailable: boolean;
  readonly mode: Mode;
  readonly signal: AbortSignal | undefined;
  readonly steal: boolean;
  readonly timeoutMs: number;

  constructor(options: { readonly [key in keyof LockOptions]?: unknown }) {
    this.ifAvailable = Boolean(options.ifAvailable);
    this.mode = readMode(options.mode);
    this.signal = readSignal(options.signal);
    this.steal = Boolean(options.steal);
    this.timeoutMs = readTimeout(options.timeoutMs);
  }
}

/** Refuses what cannot be together, in the order of the specification. */
export function checkOptions(name: string, options: ReadOptions): Wanted {
  refuseReserved(name);
  const { ifAvailable, mode, signal, steal, timeoutMs } = options;
  if (steal && ifAvailable) throw notSupported('`steal` and `ifAvailable` exclude each other');
  if (steal && mode === 'shared') throw notSupported('`steal` is for `mode: "exclusive"` only');
  if (signal !== undefined && (steal || ifAvailable)) {
    throw notSupported(`\`signal\` and \`${steal ? 'steal' : 'ifAvailable'}\` exclude each other`);
  }
  signal?.throwIfAborted();
  return { mode, signal, timeoutMs, how: steal ? 'steal' : ifAvailable ? 'try' : 'wait' };
}

/** For what is asked without options, which is nearly always. */
export function withoutOptions(name: string): Wanted {
  refuseReserved(name);
  return NOTHING;
}

export function refuseReserved(name: string): void {
  if (name.charCodeAt(0) !== 0x2d) return;
  throw notSupported(`names that begin with "-" are reserved, as ${JSON.stringify(name)} does`);
}

export const notSupported = (rule: string): DOMException =>
  new DOMException(rule, 'NotSupportedError');

function readMode(mode: unknown): Mode {
  if (mode === undefined) return 'exclusive';
  const word = `${mode as string}`;
  if (word === 'exclusive' || word === 'shared') return word;
  throw new TypeError(`\`mode\` must be "exclusive" or "shared", not ${JSON.stringify(word)}`);
}

function readSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  // One of another realm, as test runners make them.
  if (Object.prototype.toString.call(signal) === '[object AbortSignal]')
    return signal as AbortSignal;
  throw new TypeError('`signal` must be an AbortSignal');
}

function readTimeout(timeoutMs: unknown): number {
  if (timeoutMs === undefined || timeoutMs === Infinity) return Infinity;
  if (typeof timeoutMs === 'number' && timeoutMs >= 0 && timeoutMs <= LONGEST_MS) return timeoutMs;
  throw new TypeError(
    `\`timeoutMs\` must be a number from 0 to ${LONGEST_MS}, or Infinity, not ${String(timeoutMs)}`,
  );
}
