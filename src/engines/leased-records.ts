/** What the engine `leased` keeps in its register, as text; and how it is read back, which may be nonsense. */
import type { View, ViewMember } from '../group/view.ts';

/** Records of another format are not understood: a later version wrote them. */
const FORMAT = 1;

/**
 * - `present`: its owner renews it.
 * - `fenced`: another process wrote it, so that the owner's next renewal fails.
 * - `left`: its owner said that it no longer acts.
 */
export type RecordState = 'present' | 'fenced' | 'left';

/** `G/m/<id>`: what one process says of itself. */
export interface MemberRecord {
  readonly incarnation: number;
  /** Grows along the history of the key: a writer takes more than it found there. */
  readonly tenure: number;
  /** A number that differs between all writes of one process. */
  readonly nonce: number;
  readonly address: string;
  /** The owner's W. */
  readonly leaseMs: number;
  readonly state: RecordState;
  /** Of a `fenced` record: the revision that was fenced, or null if there was no record. */
  readonly fencedFrom: string | null;
  /** The peers that hear the owner, and that the owner hears, in order of their names. */
  readonly reaches: readonly string[];
  /** The epoch of the view that the owner read last. */
  readonly seen: number;
  /** The highest epoch that the owner has heard of. */
  readonly heard: number;
  /** The identity of the store that the owner knows. */
  readonly identity: string;
}

/** A process in a view of this engine. */
export type LeasedMember = Required<ViewMember>;

/** `G/view`. */
export interface ViewRecord extends View {
  readonly members: readonly LeasedMember[];
  /** The identity of the store that the view was written to: after a rollback it differs from the store's. */
  readonly identity: string;
  /** W of all its members. */
  readonly leaseMs: number;
}

/** The keys of one group. Two groups never share a key, whatever they are called. */
export class Keys {
  /** What all keys of the group begin with. */
  readonly all: string;
  readonly view: string;
  readonly #members: string;

  constructor(group: string) {
    this.all = `${encodeURIComponent(group)}/`;
    this.view = `${this.all}view`;
    this.#members = `${this.all}m/`;
  }

  member(id: string): string {
    return this.#members + encodeURIComponent(id);
  }

  /** The member whose key this is, or null if it is no member's. */
  memberOf(key: string): string | null {
    if (!key.startsWith(this.#members)) return null;
    try {
      return decodeURIComponent(key.slice(this.#members.length));
    } catch {
      return null;
    }
  }
}

export const write = (record: MemberRecord | ViewRecord): string =>
  JSON.stringify({ format: FORMAT, ...record });

/** Null for text that is no such record. */
export function readMember(text: string): MemberRecord | null {
  const value = parse(text);
  if (value === null) return null;
  const { incarnation, tenure, nonce, address, state, fencedFrom } = value;
  const { reaches, seen, heard, identity, leaseMs } = value;
  if (!isNatural(incarnation) || !isNatural(tenure) || !isNatural(nonce)) return null;
  if (!isNatural(seen) || !isNatural(heard) || !isNatural(leaseMs)) return null;
  if (typeof address !== 'string') return null;
  if (state !== 'present' && state !== 'fenced' && state !== 'left') return null;
  if (fencedFrom !== null && typeof fencedFrom !== 'string') return null;
  if (typeof identity !== 'string') return null;
  if (!Array.isArray(reaches) || !reaches.every((id) => typeof id === 'string')) return null;
  return {
    ...{ incarnation, tenure, nonce, address, state, fencedFrom },
    ...{ reaches, seen, heard, identity, leaseMs },
  };
}

/** Null for text that is no such record. */
export function readView(text: string): ViewRecord | null {
  const value = parse(text);
  if (value === null) return null;
  const { epoch, identity, members, leaseMs } = value;
  if (!isNatural(leaseMs)) return null;
  if (!isNatural(epoch) || typeof identity !== 'string' || !Array.isArray(members)) return null;
  const known = members.map(readViewMember);
  if (known.some((member) => member === null)) return null;
  return { epoch, identity, leaseMs, members: known as LeasedMember[] };
}

function readViewMember(value: unknown): LeasedMember | null {
  if (typeof value !== 'object' || value === null) return null;
  const { id, incarnation, tenure, address } = value as Record<string, unknown>;
  if (typeof id !== 'string' || typeof address !== 'string') return null;
  return isNatural(incarnation) && isNatural(tenure) ? { id, incarnation, tenure, address } : null;
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    return (value as { format?: unknown }).format === FORMAT
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** The format that some text claims to have, if it is not ours. */
export function otherFormat(text: string): unknown {
  try {
    const { format } = JSON.parse(text) as { format?: unknown };
    return format === FORMAT ? undefined : format;
  } catch {
    return undefined;
  }
}

const isNatural = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;
