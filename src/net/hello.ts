/**
 * The handshake. Each side sends the preamble (eight characters and a format number) and a HELLO frame; the dialing side
 * goes first. A side that does not accept the HELLO answers REFUSED, so that the other can log the reason, and closes.
 *
 * With a group secret the listening side sends PROOF with its HELLO, and the dialing side answers PROOF
 * (group-secret.ts). Neither side believes a HELLO before its PROOF.
 *
 * The preamble, the format of REFUSED and the fields of HELLO must not change in later versions; new fields may be
 * added. So members of different versions can always tell each other why they do not connect (docs/upgrades.md).
 */
import { frame, isNumber, kinds } from './frames.ts';
import { type Fault, type Reason, reasons } from './refusals.ts';

/** The format of the handshake itself. */
const FORMAT = 1;
const PREAMBLE = new TextEncoder().encode(`LATCHKEY${String.fromCharCode(FORMAT)}`);
const MAGIC_BYTES = PREAMBLE.length - 1;

/** The largest frame during the handshake: names are short. */
export const MAX_HELLO_BYTES = 16_384;

/** The versions of the protocol after the handshake that a process speaks. */
export interface Versions {
  readonly least: number;
  readonly most: number;
}
export const OUR_VERSIONS: Versions = { least: 1, most: 1 };

/** The highest version that both sides speak. */
export function commonVersion(a: Versions, b: Versions): number | undefined {
  const version = Math.min(a.most, b.most);
  return version >= Math.max(a.least, b.least) ? version : undefined;
}

export interface Hello {
  readonly group: string;
  readonly versions: Versions;
  /** Of the declarations of all messages that members exchange. */
  readonly declarations: string;
  /** Of the configuration that all members must share. */
  readonly digest: string;
  readonly from: string;
  readonly incarnation: number;
  /** The member that the sender wants to reach, and its latest incarnation that the sender knows; 0 for none. */
  readonly to: string;
  readonly knows: number;
  /** The last number received in the session of these two incarnations. */
  readonly received: number;
  /** The sender has given up its messages to `knows`, so that their session cannot go on. */
  readonly gaveUp: boolean;
  /**
   * Where links come and go while a process runs: the number of the sender's link with the receiver, and the number of
   * the receiver's link that the sender's session is with. Links that are configured have none.
   */
  readonly link?: number;
  readonly knowsLink?: number;
  /** Random bytes in hexadecimal, for the PROOF of the other side; only with a group secret. */
  readonly nonce?: string;
}

export interface Refusal extends Fault {
  /** For `superseded`: the later incarnation. */
  readonly incarnation?: number;
  /** Shows that the sender has the group secret. */
  readonly proof?: string;
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
  const said = fields(bytes, start, end) ?? {};
  const { group, digest, declarations, from, incarnation, to, knows, received, gaveUp } = said;
  if (typeof group !== 'string' || typeof digest !== 'string') return undefined;
  if (typeof declarations !== 'string' || typeof gaveUp !== 'boolean') return undefined;
  if (typeof from !== 'string' || typeof to !== 'string') return undefined;
  if (!isNumber(incarnation) || !isNumber(knows) || !isNumber(received)) return undefined;
  if (incarnation === 0) return undefined;
  const versions = versionsOf(said['versions']);
  if (versions === undefined) return undefined;
  const { nonce, link, knowsLink } = said;
  if (
    (link !== undefined && !isNumber(link)) ||
    (knowsLink !== undefined && !isNumber(knowsLink))
  ) {
    return undefined;
  }
  if (nonce !== undefined && !(typeof nonce === 'string' && NONCE.test(nonce))) return undefined;
  const identity = { group, versions, declarations, digest, from, incarnation };
  return {
    ...{ ...identity, to, knows, received, gaveUp },
    ...(link === undefined ? {} : { link }),
    ...(knowsLink === undefined ? {} : { knowsLink }),
    ...(nonce === undefined ? {} : { nonce }),
  };
}

const NONCE = /^[0-9a-f]{64}$/;

function versionsOf(value: unknown): Versions | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { least, most } = value as Record<string, unknown>;
  return isNumber(least) && isNumber(most) && least <= most ? { least, most } : undefined;
}

export function decodeRefusal(bytes: Uint8Array, start: number, end: number): Refusal | undefined {
  const { reason, detail, incarnation, proof } = fields(bytes, start, end) ?? {};
  if (typeof reason !== 'string' || typeof detail !== 'string') return undefined;
  return {
    // A later version may have reasons that this one does not know.
    reason: reasons.includes(reason as Reason) ? (reason as Reason) : 'other',
    detail,
    ...(isNumber(incarnation) ? { incarnation } : {}),
    ...(typeof proof === 'string' ? { proof } : {}),
  };
}

/** The other end chooses the text: one short printable line of it is logged. */
export const printable = (detail: string): string =>
  detail.slice(0, 300).replace(/[^\x20-\x7e]/g, '?');

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
        const detail = `speaks format ${chunk[at]} of the handshake, and we speak ${FORMAT}`;
        return { reason: 'wrong-version', detail: `${detail}: ${SAME_VERSION}` };
      }
    }
    return at;
  }
}

const SAME_VERSION = 'install the same version of Latchkey on all members (docs/upgrades.md)';

/** What a HELLO is compared with. */
export interface Expectation {
  readonly self: string;
  readonly incarnation: number;
  readonly group: string;
  readonly versions: Versions;
  readonly declarations: string;
  readonly digest: string;
  readonly hasSecret: boolean;
  /** The engine finds the members, so that an unknown member may soon be known. */
  readonly findsMembers: boolean;
  /** The latest incarnation that is plausible now: incarnations are times at which processes started. */
  latestIncarnation(): number;
  /** The latest known incarnation of a member, 0 for none so far; undefined if it is not configured. */
  known(id: string): number | undefined;
}

/** Why the sender is refused, if it is. `names` are those in its certificate; undefined without TLS. */
export function judge(
  hello: Hello,
  expected: Expectation,
  names: readonly string[] | undefined,
): Refusal | undefined {
  return (
    judgeIdentity(hello, expected, names) ??
    judgeVersion(hello, expected) ??
    judgeIncarnation(hello, expected)
  );
}

const refuse = (reason: Reason, detail: string): Refusal => ({ reason, detail });

function judgeIdentity(
  hello: Hello,
  { self, group, hasSecret, findsMembers, known }: Expectation,
  names: readonly string[] | undefined,
): Refusal | undefined {
  const [from, to] = [hello.from, hello.to].map((name) => JSON.stringify(name));
  if (hello.group !== group) {
    const theirs = JSON.stringify(hello.group);
    return refuse('wrong-group', `${from} is a member of the group ${theirs}, and we are not`);
  }
  if (hello.to !== self) {
    const detail = `${from} wants to reach ${to} here: check the addresses of the members`;
    return refuse('not-addressed', detail);
  }
  if (known(hello.from) === undefined) {
    const detail = findsMembers
      ? `${to} has not found ${from} in the store yet: try again`
      : `${from} is not among the peers of ${to}: all members must list the same names`;
    return refuse('unknown-member', detail);
  }
  if (names !== undefined && !names.includes(hello.from)) {
    const shown = names.map((name) => JSON.stringify(name)).join(', ') || 'no name';
    return refuse('wrong-certificate', `${from} shows a certificate of ${shown}`);
  }
  if ((hello.nonce !== undefined) !== hasSecret) {
    const state = hasSecret
      ? 'has no group secret, and we have one'
      : 'has a group secret, and we have none';
    return refuse('wrong-secret', `${from} ${state}: give all members the same \`secret\``);
  }
  return undefined;
}

function judgeVersion(
  hello: Hello,
  { versions, declarations, digest }: Expectation,
): Refusal | undefined {
  const from = JSON.stringify(hello.from);
  if (commonVersion(hello.versions, versions) === undefined) {
    const range = ({ least, most }: Versions) => `${least} to ${most}`;
    const speak = `${from} speaks versions ${range(hello.versions)} of the protocol, and we speak`;
    return refuse('wrong-version', `${speak} ${range(versions)}: ${SAME_VERSION}`);
  }
  // Before the declarations, which depend on the configured algorithms.
  if (hello.digest !== digest) {
    const detail = `${from} has another configuration: members, lock rules and engine must be the same`;
    return refuse('wrong-digest', detail);
  }
  if (hello.declarations !== declarations) {
    const detail = `${from} declares other messages than we do: ${SAME_VERSION}`;
    return refuse('wrong-declarations', detail);
  }
  return undefined;
}

function judgeIncarnation(
  hello: Hello,
  { incarnation, latestIncarnation, known }: Expectation,
): Refusal | undefined {
  const from = JSON.stringify(hello.from);
  const [theirs, latest] = [known(hello.from)!, latestIncarnation()];
  if (hello.incarnation > Math.max(theirs, latest) || hello.knows > Math.max(incarnation, latest)) {
    const detail = `${from} names a process that starts more than a day after now: set the clocks`;
    return refuse('implausible-incarnation', detail);
  }
  if (hello.incarnation < theirs) {
    const detail = `this process of ${from} was replaced by a later one`;
    return { reason: 'superseded', detail, incarnation: theirs };
  }
  return undefined;
}
