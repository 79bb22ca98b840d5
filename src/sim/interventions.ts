/** Entries of the faults that name a step: see `faults.ts` for their forms. */
import type { AnyAlgorithm, Mode, NodeId } from '../core/algorithm.ts';
import { didYouMean } from '../core/errors.ts';
import { type Entry, type FaultAction, type Refuse, toAction, toSite } from './faults.ts';

/** Something that is done to a run right after one of its steps. */
export type Intervention = { readonly after: number } & (
  | { readonly kind: 'fault'; readonly action: FaultAction }
  | MessageIntervention
  | { readonly kind: 'request'; readonly site: NodeId; readonly mode: Mode }
  | { readonly kind: 'exit'; readonly site: NodeId }
);

/** `to` is undefined where all receivers of a broadcast are meant. */
export interface MessageIntervention {
  readonly kind: 'lose' | 'duplicate' | 'delay';
  readonly id: number;
  readonly to: NodeId | undefined;
  /** For `delay`, by how much; else 0. */
  readonly by: number;
}

const FIELDS = {
  crash: [],
  restart: [],
  partition: [],
  cut: [],
  heal: [],
  lose: ['to'],
  duplicate: ['to'],
  delay: ['to', 'by'],
  request: ['mode'],
  exit: [],
} as const;
const KINDS = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

export function toIntervention(
  entry: Entry,
  algorithm: AnyAlgorithm,
  n: number,
  refuse: Refuse,
): Intervention {
  const after = toCount(entry['after'], '"after" is the number of a step, 0 for the start', refuse);
  const kind = kindOf(entry, refuse);
  switch (kind) {
    case 'lose':
    case 'duplicate':
    case 'delay': {
      const id = toCount(entry[kind], `${kind} takes the number of a message`, refuse);
      const to = entry['to'] === undefined ? undefined : toSite(entry['to'], n, refuse);
      return { after, kind, id, to, by: kind === 'delay' ? toDelay(entry['by'], refuse) : 0 };
    }
    case 'request': {
      const { mode = 'exclusive' } = entry;
      if (!algorithm.modes.includes(mode as Mode)) {
        refuse(`the modes of ${algorithm.id} are ${algorithm.modes.join(', ')}`);
      }
      return { after, kind, site: toSite(entry[kind], n, refuse), mode: mode as Mode };
    }
    case 'exit':
      return { after, kind, site: toSite(entry[kind], n, refuse) };
    default:
      return { after, kind: 'fault', action: toAction(entry, kind, n, refuse, 0) };
  }
}

function kindOf(entry: Entry, refuse: Refuse): keyof typeof FIELDS {
  const fields = Object.keys(entry);
  const kinds = KINDS.filter((kind) => fields.includes(kind));
  if (kinds.length !== 1) return refuse(`after a step comes exactly one of ${KINDS.join(', ')}`);
  const allowed: readonly string[] = ['after', kinds[0]!, ...FIELDS[kinds[0]!]];
  const unknown = fields.find((field) => !allowed.includes(field));
  if (unknown === undefined) return kinds[0]!;
  return refuse(`${kinds[0]} after a step has no "${unknown}"${didYouMean(unknown, allowed)}`);
}

function toCount(value: unknown, rule: string, refuse: Refuse): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  return refuse(`${rule}, got ${JSON.stringify(value)}`);
}

function toDelay(value: unknown, refuse: Refuse): number {
  if (typeof value === 'number' && value > 0) return value;
  return refuse('"by" says how much later it arrives, as in "by": 20');
}
