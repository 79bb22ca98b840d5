/**
 * The messages between a daemon and its clients, and version 1 of their protocol: JSON, one value a line. A
 * program in any language can speak JSON with nothing but a socket. JSON also escapes lone surrogates, so that every
 * lock name survives. Version 2 has the same messages in frames (frame-codec.ts).
 *
 * The client begins with `hello`; the daemon answers `welcome` or `refused`. After that a client numbers its
 * requests as it likes, and the daemon answers under the same numbers. A connection is a session: when it
 * ends, the daemon releases what the session held and cancels what it waited for.
 */
import type { Mode } from '../core/algorithm.ts';
import type { RequestSpec, Survey } from '../group/backend.ts';

/** The version in lines of JSON. */
export const PROTOCOL = 1;
/** The version in frames. */
export const FRAMES_PROTOCOL = 2;

/** The longest frame that a client reads, in bytes. Replies that could be longer come in parts. */
export const MAX_DAEMON_FRAME = 4_194_304;

type Guard<T> = (value: unknown) => value is T;
type Optional<T> = Guard<T> & { readonly isOptional: true };
type Shapes = { readonly [type: string]: { readonly [field: string]: Guard<unknown> } };
type Guarded<G> = G extends Guard<infer T> ? T : never;
type OptionalKeys<F> = { [N in keyof F]: F[N] extends { isOptional: true } ? N : never }[keyof F];
type Fields<F> = { readonly [N in Exclude<keyof F, OptionalKeys<F>>]: Guarded<F[N]> } & {
  readonly [N in OptionalKeys<F>]?: Guarded<F[N]> | undefined;
};
type MessageOf<S extends Shapes> = {
  [K in keyof S]: { readonly type: K } & Fields<S[K]>;
}[keyof S];

const text: Guard<string> = (value) => typeof value === 'string';
const flag: Guard<boolean> = (value) => typeof value === 'boolean';
const whole: Guard<number> = (value): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;
const record: Guard<object> = (value): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const texts: Guard<readonly string[]> = (value): value is readonly string[] =>
  Array.isArray(value) && value.every(text);
const oneOf =
  <const W extends string>(...words: readonly W[]): Guard<W> =>
  (value): value is W =>
    words.includes(value as W);
const optional = <T>(guard: Guard<T>): Optional<T> =>
  Object.assign((value: unknown): value is T => guard(value), { isOptional: true } as const);
const mode: Guard<Mode> = oneOf('exclusive', 'shared');
const how: Guard<RequestSpec['how']> = oneOf('wait', 'try', 'steal');
const wireError: Guard<WireError> = (value): value is WireError =>
  record(value) && text((value as WireError).name) && text((value as WireError).message);

const clientMessages = {
  /** `as` names the client in lists of holders and waiting requests. */
  hello: { protocol: whole, as: text },
  /** `mayLend`: the client can enter again by itself, if it is lent the lock. */
  ask: { id: whole, name: text, permits: whole, mode, how, mayLend: optional(flag) },
  /** Cancels a waiting request, or releases a granted one. An unknown number is ignored: replies may cross. */
  done: { id: whole },
  /** Answers `recall`: a caller is inside, after so many re-entries. `done` follows when it has left. */
  using: { id: whole, reentries: whole },
  /** With `maxAgeMs` the answer may be a survey that another client asked for, up to this old. */
  query: { id: whole, maxAgeMs: optional(whole) },
  status: { id: whole },
  /** Asks which unreachable members requests for a lock, or for a permit, wait for. */
  unreachable: { id: whole, name: text, permits: whole },
  ping: { id: whole },
  /** An operator says that the process of this member is gone. */
  forget: { id: whole, member: text },
} as const;

const daemonMessages = {
  /** `leaseMs`: how long a client may go without a `pong`; 0 where the connection itself tells of a death. */
  welcome: {
    protocol: whole,
    member: text,
    clientId: text,
    leaseMs: whole,
    group: text,
    members: texts,
    /** The engine on a store: then the members change, and are no part of what the group is. */
    engine: optional(text),
    /** And how long the member may act after it has renewed its lease there, at most. */
    rightMs: optional(whole),
  },
  refused: { reason: text },
  granted: { id: whole, epoch: whole, clock: whole },
  /** As `granted`, and the lock is lent: the client may enter again so many times, each time with `step` more. */
  lent: { id: whole, epoch: whole, clock: whole, reentries: whole, step: whole },
  /** Asks for what was lent: the client answers `done` or, while a caller is inside, `using`. */
  recall: { id: whole },
  busy: { id: whole },
  /** A request, a query or a status that cannot be served. */
  failed: { id: whole, error: wireError },
  lost: { id: whole, error: wireError },
  /** A part of a survey; the client joins the lists of all parts. */
  survey: { id: whole, survey: record as Guard<Survey>, isLast: flag },
  status: { id: whole, status: record },
  unreachable: { id: whole, members: texts },
  forgotten: { id: whole },
  /** `leftMs`: how long the member may act from now on, where its group is on a store; 0 while it may not. */
  pong: { id: whole, leftMs: optional(whole) },
} as const;

/** An error as it crosses the connection: the name says which kind it is. */
export interface WireError {
  readonly name: string;
  readonly message: string;
}
export type ClientMessage = MessageOf<typeof clientMessages>;
export type DaemonMessage = MessageOf<typeof daemonMessages>;

/** Why a session was refused or ended: a few words that a metric can count. */
export type Refusal =
  | 'not-json'
  | 'unknown-message'
  | 'malformed'
  | 'too-long'
  | 'no-hello'
  | 'second-hello'
  | 'wrong-version'
  | 'number-in-use'
  | 'too-many-questions'
  | 'too-many-sessions'
  | 'does-not-read'
  | 'not-allowed'
  | 'internal-error'
  | 'tls';

/** The other end broke the protocol. Its session ends, and nothing else. */
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
  // hasOwn, not `in`: a hostile client may call its message "constructor".
  if (!text(type) || !Object.hasOwn(shapes, type)) {
    throw new ProtocolError('unknown-message', 'an unknown message');
  }
  const shape = shapes[type]!;
  const fits =
    Object.keys(fields).every((name) => Object.hasOwn(shape, name)) &&
    Object.entries(shape).every(([name, is]) =>
      Object.hasOwn(fields, name) ? is(fields[name]) : 'isOptional' in is,
    );
  if (!fits) throw new ProtocolError('malformed', `a message "${type}" that is not as declared`);
  return value as MessageOf<S>;
}

/** Cuts a stream of text into lines, and buffers at most one line of the longest length. */
export class LineSplitter {
  #rest = '';
  readonly #maxLength: number;
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  *push(chunk: string): Iterable<string> {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
      const line = this.#rest + chunk.slice(from, end);
      this.#rest = '';
      from = end + 1;
      this.#check(line);
      yield line;
    }
    this.#rest += chunk.slice(from);
    this.#check(this.#rest);
  }

  #check({ length }: string): void {
    if (length > this.#maxLength) {
      throw new ProtocolError('too-long', `a line of more than ${this.#maxLength} characters`);
    }
  }
}
