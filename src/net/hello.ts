/**
 * The first words on a connection. Each side sends the preamble (eight letters and the version) and a
 * HELLO; the one that dials goes first. A side that does not like what it hears answers REFUSED, so that
 * the other can log why, and hangs up.
 *
 * The preamble and the form of REFUSED stay as they are in every version to come.
 */
import { frame, isNumber, kinds } from './frames.ts';
import { type Fault, type Reason, reasons } from './refusals.ts';

const VERSION = 1;
const PREAMBLE = new TextEncoder().encode(`LATCHKEY${String.fromCharCode(VERSION)}`);
const MAGIC_BYTES = PREAMBLE.length - 1;

/** Names are short; whatever is longer before we know who speaks is not for us. */
export const MAX_HELLO_BYTES = 16_384;

export interface Hello {
  readonly group: string;
  /** Of everything that all members must agree on. */
  readonly digest: string;
  readonly from: string;
  readonly incarnation: number;
  /** Whom the sender believes it speaks with, and the latest of its incarnations it knows: 0 for none. */
  readonly to: string;
  readonly knows: number;
  /** The last number received in the session of these two incarnations. */
  readonly received: number;
}

export interface Refusal extends Fault {
  /** For `superseded`: the later incarnation that is known. */
  readonly incarnation?: number;
}

const text = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

const withPreamble = (bytes: Uint8Array): Uint8Array => {
  const all = new Uint8Array(PREAMBLE.length + bytes.length);
  all.set(PREAMBLE);
  all.set(bytes, PREAMBLE.length);
  return all;
};

export const encodeHello = (hello: Hello): Uint8Array =>
  withPreamble(frame(kinds.HELLO, text(hello)));

/** With the preamble where nothing was said on this connection before. */
export function encodeRefusal(refusal: Refusal, spoken: boolean): Uint8Array {
  const bytes = frame(kinds.REFUSED, text(refusal));
  return spoken ? bytes : withPreamble(bytes);
}

/** The fields of a frame, if they are a JSON object. */
function fields(
  bytes: Uint8Array,
  start: number,
  end: number,
): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(start + 1, end)));
    return typeof parsed === 'object' && parsed !== null
      ? (parsed as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

export function decodeHello(bytes: Uint8Array, start: number, end: number): Hello | undefined {
  const { group, digest, from, incarnation, to, knows, received } = fields(bytes, start, end) ?? {};
  if (typeof group !== 'string' || typeof digest !== 'string') return undefined;
  if (typeof from !== 'string' || typeof to !== 'string') return undefined;
  if (!isNumber(incarnation) || !isNumber(knows) || !isNumber(received)) return undefined;
  if (incarnation === 0) return undefined;
  return { group, digest, from, incarnation, to, knows, received };
}

export function decodeRefusal(bytes: Uint8Array, start: number, end: number): Refusal | undefined {
  const { reason, detail, incarnation } = fields(bytes, start, end) ?? {};
  if (!reasons.includes(reason as Reason) || typeof detail !== 'string') return undefined;
  // What a stranger writes into our log is one short line.
  const line = detail.slice(0, 200).replace(/[^\x20-\x7e]/g, '?');
  const refusal = { reason: reason as Reason, detail: line };
  return isNumber(incarnation) ? { ...refusal, incarnation } : refusal;
}

/** Compares the preamble as it comes in, byte by byte: no need to wait for the rest of nonsense. */
export class PreambleReader {
  #matched = 0;

  get done(): boolean {
    return this.#matched === PREAMBLE.length;
  }

  /** Returns how many of the first `length` bytes belong to the preamble, or what is wrong with it. */
  read(chunk: Uint8Array, length: number): number | Fault {
    let at = 0;
    for (; at < length && !this.done; at++) {
      if (chunk[at] === PREAMBLE[this.#matched]) this.#matched++;
      else if (this.#matched < MAGIC_BYTES) {
        return { reason: 'wrong-magic', detail: 'does not speak the protocol of Latchkey' };
      } else {
        const detail = `speaks version ${chunk[at]} of the protocol, and we speak ${VERSION}`;
        return { reason: 'wrong-version', detail };
      }
    }
    return at;
  }
}

/** What a HELLO is held against. */
export interface Expectation {
  readonly self: string;
  readonly group: string;
  readonly digest: string;
  /** The latest incarnation known of a member, 0 for none so far; undefined if nobody is called that. */
  known(id: string): number | undefined;
}

/** Whether the sender may speak with us. `names` are those in its certificate, where it has shown one. */
export function judge(
  hello: Hello,
  { self, group, digest, known }: Expectation,
  names: readonly string[] | undefined,
): Refusal | undefined {
  const refuse = (reason: Reason, detail: string): Refusal => ({ reason, detail });
  const from = JSON.stringify(hello.from);
  if (hello.group !== group) {
    return refuse(
      'wrong-group',
      `${from} is of the group ${JSON.stringify(hello.group)}, not ours`,
    );
  }
  if (hello.to !== self) {
    const to = JSON.stringify(hello.to);
    return refuse(
      'not-addressed',
      `${from} looks for ${to} here: check the addresses of the members`,
    );
  }
  const incarnation = known(hello.from);
  if (incarnation === undefined) {
    return refuse('unknown-member', `${from} is not in our list of members`);
  }
  if (names !== undefined && !names.includes(hello.from)) {
    const shown = names.map((name) => JSON.stringify(name)).join(', ') || 'nobody';
    return refuse('wrong-certificate', `${from} shows a certificate of ${shown}`);
  }
  if (hello.digest !== digest) {
    const detail = `${from} has another configuration: members, algorithms and limits must be the same`;
    return refuse('wrong-digest', detail);
  }
  if (hello.incarnation < incarnation) {
    const detail = `${from} is a process of before: a later one has been heard of`;
    return { reason: 'superseded', detail, incarnation };
  }
  return undefined;
}
