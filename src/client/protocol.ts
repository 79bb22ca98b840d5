/**
 * What a daemon and its clients say to each other: JSON, one value a line. JSON and not bytes, because
 * anyone can then speak it from any language with nothing but a socket, and because JSON escapes lone
 * surrogates, so that every lock name survives.
 *
 * The client begins with `hello`, the daemon daemonMessages with `welcome` or `refused`. From then on a client
 * asks under numbers of its own choice, and the daemon daemonMessages under the same numbers. A connection is a
 * session: when it ends, whatever it held or waited for is free.
 */
import type { Mode } from '../core/algorithm.ts';
import type { RequestSpec, Survey } from '../group/backend.ts';

export const PROTOCOL = 1;

/** Longest line a daemon reads: a name of any use fits, and a stranger cannot fill the memory. */
export const MAX_CLIENT_LINE = 262_144;
/** Longest line a client reads: the census of a large group. */
export const MAX_DAEMON_LINE = 268_435_456;

type Guard<T> = (value: unknown) => value is T;
type Shapes = { readonly [type: string]: { readonly [field: string]: Guard<unknown> } };
type Guarded<G> = G extends Guard<infer T> ? T : never;
type MessageOf<S extends Shapes> = {
  [K in keyof S]: { readonly type: K } & { readonly [F in keyof S[K]]: Guarded<S[K][F]> };
}[keyof S];

const text: Guard<string> = (value) => typeof value === 'string';
const whole: Guard<number> = (value): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;
const record: Guard<object> = (value): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const oneOf =
  <const W extends string>(...words: readonly W[]): Guard<W> =>
  (value): value is W =>
    words.includes(value as W);
const mode: Guard<Mode> = oneOf('exclusive', 'shared');
const how: Guard<RequestSpec['how']> = oneOf('wait', 'try', 'steal');
const wireError: Guard<WireError> = (value): value is WireError =>
  record(value) && text((value as WireError).name) && text((value as WireError).message);

const clientMessages = {
  /** `as`: who this is, for people to read in lists of who holds and who waits. */
  hello: { protocol: whole, as: text },
  ask: { id: whole, name: text, permits: whole, mode, how },
  /** Never mind, or given back. Unknown numbers are ignored: an answer may have crossed it. */
  done: { id: whole },
  query: { id: whole },
  status: { id: whole },
  ping: { id: whole },
} as const;

const daemonMessages = {
  /** `leaseMs`: how long a client may go without a `pong`; 0 where the connection itself tells. */
  welcome: { protocol: whole, member: text, clientId: text, leaseMs: whole },
  refused: { reason: text },
  granted: { id: whole, epoch: whole, clock: whole },
  busy: { id: whole },
  failed: { id: whole, error: wireError },
  lost: { id: whole, error: wireError },
  census: { id: whole, census: record as Guard<Survey> },
  status: { id: whole, status: record },
  pong: { id: whole },
} as const;

/** An error as it travels: the name says which kind it is. */
export interface WireError {
  readonly name: string;
  readonly message: string;
}
export type ClientMessage = MessageOf<typeof clientMessages>;
export type DaemonMessage = MessageOf<typeof daemonMessages>;

/** Why someone was sent away: a few words that can be counted. */
export type Refusal =
  | 'not-json'
  | 'unknown-message'
  | 'malformed'
  | 'too-long'
  | 'no-hello'
  | 'second-hello'
  | 'wrong-version'
  | 'number-in-use'
  | 'too-many-requests'
  | 'too-many-questions'
  | 'too-many-sessions'
  | 'does-not-read'
  | 'tls';

/** The other end broke the protocol. The connection ends; nothing else is harmed. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly refusal: Refusal;
  constructor(refusal: Refusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}

export const readClientMessage = (line: string): ClientMessage => read(clientMessages, line);
export const readDaemonMessage = (line: string): DaemonMessage => read(daemonMessages, line);
export const write = (message: ClientMessage | DaemonMessage): string =>
  `${JSON.stringify(message)}\n`;

function read<S extends Shapes>(shapes: S, line: string): MessageOf<S> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new ProtocolError('not-json', 'a line that is not JSON');
  }
  if (!record(value)) throw new ProtocolError('malformed', 'a line that is not an object');
  const { type, ...fields } = value as Record<string, unknown>;
  // hasOwn, not `in`: a stranger may well call its message "constructor".
  if (!text(type) || !Object.hasOwn(shapes, type)) {
    throw new ProtocolError('unknown-message', 'an unknown message');
  }
  const shape = shapes[type]!;
  const fits =
    Object.keys(fields).length === Object.keys(shape).length &&
    Object.entries(shape).every(([name, is]) => Object.hasOwn(fields, name) && is(fields[name]));
  if (!fits) throw new ProtocolError('malformed', `a message "${type}" that is not as declared`);
  return value as MessageOf<S>;
}

/** Cuts what arrives into lines, and keeps no more than one line of the longest. */
export class Lines {
  #rest = '';
  readonly #longest: number;
  constructor(longest: number) {
    this.#longest = longest;
  }

  *push(chunk: string): Iterable<string> {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
      const line = this.#rest + chunk.slice(from, end);
      this.#rest = '';
      from = end + 1;
      if (line.length > this.#longest)
        throw new ProtocolError('too-long', 'a line that is too long');
      yield line;
    }
    this.#rest += chunk.slice(from);
    if (this.#rest.length > this.#longest)
      throw new ProtocolError('too-long', 'a line that is too long');
  }
}
