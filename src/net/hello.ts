/**
 * The handshake. Each side sends the preamble (eight letters and a version) and a HELLO frame; the dialing side goes
 * first. A side that does not accept the HELLO answers REFUSED, so that the other can log the reason, and closes.
 *
 * The preamble and the format of REFUSED must not change in later versions.
 */
import { frame, isNumber, kinds } from './frames.ts';
import { type Fault, type Reason, reasons } from './refusals.ts';

const VERSION = 1;
const PREAMBLE = new TextEncoder().encode(`LATCHKEY${String.fromCharCode(VERSION)}`);
const MAGIC_BYTES = PREAMBLE.length - 1;

/** The largest frame during the handshake: names are short. */
export const MAX_HELLO_BYTES = 16_384;

export interface Hello {
  readonly group: string;
  /** Of the configuration that all members must share. */
  readonly digest: string;
  readonly from: string;
  readonly incarnation: number;
  /** The member that the sender wants to reach, and its latest incarnation that the sender knows; 0 for none. */
  readonly to: string;
  readonly knows: number;
  /** The last number received in the session of these two incarnations. */
  readonly received: number;
}

export interface Refusal extends Fault {
  /** For `superseded`: the later incarnation. */
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

/** With the preamble, unless it was sent on this connection before. */
export function encodeRefusal(refusal: Refusal, hasPreamble: boolean): Uint8Array {
  const bytes = frame(kinds.REFUSED, text(refusal));
  return hasPreamble ? bytes : withPreamble(bytes);
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
  // The sender writes into our log: one short printable line.
  const line = detail.slice(0, 200).replace(/[^\x20-\x7e]/g, '?');
  const refusal = { reason: reason as Reason, detail: line };
  return isNumber(incarnation) ? { ...refusal, incarnation } : refusal;
}

/** Compares the preamble byte by byte as it arrives, so that other protocols are refused at once. */
export class PreambleReader {
  #matched = 0;

  get done(): boolean {
    return this.#matched === PREAMBLE.length;
  }

  /** Returns how many of the first `length` bytes belong to the preamble, or the fault in it. */
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

/** What a HELLO is compared with. */
export interface Expectation {
  readonly self: string;
  readonly group: string;
  readonly digest: string;
  /** The latest known incarnation of a member, 0 for none so far; undefined if it is not configured. */
  known(id: string): number | undefined;
}

/** Why the sender is refused, if it is. `names` are those in its certificate; undefined without TLS. */
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
      `${from} is a member of the group ${JSON.stringify(hello.group)}, and we are not`,
    );
  }
  if (hello.to !== self) {
    const to = JSON.stringify(hello.to);
    return refuse(
      'not-addressed',
      `${from} wants to reach ${to} here: check the addresses of the members`,
    );
  }
  const incarnation = known(hello.from);
  if (incarnation === undefined) {
    return refuse('unknown-member', `${from} is not in our list of members`);
  }
  if (names !== undefined && !names.includes(hello.from)) {
    const shown = names.map((name) => JSON.stringify(name)).join(', ') || 'no name';
    return refuse('wrong-certificate', `${from} shows a certificate of ${shown}`);
  }
  if (hello.digest !== digest) {
    const detail = `${from} has another configuration: members, lock rules and engine must be the same`;
    return refuse('wrong-digest', detail);
  }
  if (hello.incarnation < incarnation) {
    const detail = `this process of ${from} was replaced by a later one`;
    return { reason: 'superseded', detail, incarnation };
  }
  return undefined;
}
