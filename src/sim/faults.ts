/**
 * What goes wrong in a run, and when: a list in JSON, checked before the run begins.
 *
 * | entry | meaning |
 * |---|---|
 * | `{ "at": 100, "crash": 2 }` | site 2 stops: its volatile state, its timers and its request are gone, and so is what arrives while it is down |
 * | `{ "at": 200, "restart": 2 }` | it is back, with what its algorithm keeps in stable storage |
 * | `{ "at": 50, "partition": [[0, 1], [2, 3, 4]] }` | what would cross from one side to another is held back, not lost; sites that are not named make up one more side; a new partition replaces the old |
 * | `{ "at": 50, "cut": [0, 3] }` | what sites 0 and 3 send each other is held back, not lost |
 * | `{ "at": 90, "heal": true }` | what was held back arrives now, in the order in which it was sent |
 * | `{ "at": 90, "heal": [0, 3] }` | the same for that link alone |
 * | `{ "from": 10, "until": 60, "lose": 0.1 }` | each message sent in that time is lost with that probability |
 * | `{ "from": 10, "until": 60, "duplicate": 0.05 }` | each message sent in that time arrives twice with that probability |
 *
 * Losses and duplications may name a link, `"between": [0, 3]` (both directions), and message types,
 * `"types": ["REPLY"]`. Without `from` they begin at 0, without `until` they never end.
 *
 * An entry with `after` is an intervention: it happens right after that step of the trace, at the same time.
 *
 * | entry | meaning |
 * |---|---|
 * | `{ "after": 12, "crash": 2 }` | as above; likewise `restart`, `partition`, `cut` and `heal` |
 * | `{ "after": 12, "lose": 7 }` | message 7, as the trace numbers it, never arrives |
 * | `{ "after": 12, "duplicate": 7 }` | it arrives twice |
 * | `{ "after": 12, "delay": 7, "by": 20 }` | it arrives so much later; over `fifo` links the messages behind it wait |
 * | `{ "after": 12, "request": 2, "mode": "shared" }` | site 2 asks, out of turn |
 * | `{ "after": 12, "exit": 2 }` | site 2, which is inside, leaves |
 *
 * A broadcast goes to several sites under one number: `"to": 3` names one of them; without it, all are meant.
 */
import type { AnyAlgorithm, AnyWorld, NodeId } from '../core/algorithm.ts';
import { didYouMean, UsageError } from '../core/errors.ts';
import { canRestart } from '../core/machine.ts';
import { type Intervention, toIntervention } from './interventions.ts';

export type FaultAction =
  | { readonly at: number; readonly kind: 'crash' | 'restart'; readonly site: NodeId }
  | { readonly at: number; readonly kind: 'partition'; readonly sides: readonly NodeId[][] }
  | {
      readonly at: number;
      readonly kind: 'cut';
      readonly link: readonly [NodeId, NodeId];
    }
  | {
      readonly at: number;
      readonly kind: 'heal';
      readonly link: readonly [NodeId, NodeId] | undefined;
    };

/** When, where and how likely messages are lost or doubled. */
export interface FaultWindow {
  readonly kind: 'lose' | 'duplicate';
  readonly from: number;
  readonly until: number;
  readonly probability: number;
  readonly between: readonly [NodeId, NodeId] | undefined;
  readonly types: readonly string[] | undefined;
}

export interface Faults {
  /** In order of time. */
  readonly actions: readonly FaultAction[];
  readonly windows: readonly FaultWindow[];
  /** In order of their steps. */
  readonly interventions: readonly Intervention[];
}

export type Entry = { readonly [field: string]: unknown };
export type Refuse = (rule: string) => never;

const FIELDS = {
  crash: ['at'],
  restart: ['at'],
  partition: ['at'],
  cut: ['at'],
  heal: ['at'],
  lose: ['from', 'until', 'between', 'types'],
  duplicate: ['from', 'until', 'between', 'types'],
} as const;
const KINDS = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

/** Reads a list of faults for `n` sites of that algorithm. */
export function parseFaults(
  text: string,
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  more: readonly unknown[] = [],
): Faults {
  const { n } = world;
  const actions: FaultAction[] = [];
  const windows: FaultWindow[] = [];
  const interventions: Intervention[] = [];
  [...toList(text), ...more].forEach((value, i) => {
    const refuse: Refuse = (rule) => {
      throw new UsageError(`entry ${i + 1} of the faults, ${JSON.stringify(value)}: ${rule}`);
    };
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      refuse('each entry is an object, as in { "at": 100, "crash": 2 }');
    }
    const entry = value as Entry;
    if ('after' in entry) {
      interventions.push(toIntervention(entry, algorithm, n, refuse));
      return;
    }
    const kind = kindOf(entry, refuse);
    if (kind === 'lose' || kind === 'duplicate') {
      windows.push(toWindow(entry, kind, algorithm, n, refuse));
    } else {
      actions.push(toAction(entry, kind, n, refuse));
    }
  });
  actions.sort((a, b) => a.at - b.at);
  checkLives(actions, algorithm, world);
  interventions.sort((a, b) => a.after - b.after);
  return { actions, windows, interventions };
}

function toList(text: string): readonly unknown[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (cause) {
    const reason = (cause as Error).message.replace(/\s+/g, ' ');
    throw new UsageError(`the faults are not JSON: ${reason}`, { cause });
  }
  if (Array.isArray(list)) return list;
  throw new UsageError('the faults are a list, as in [{ "at": 100, "crash": 2 }]');
}

function kindOf(entry: Entry, refuse: Refuse): keyof typeof FIELDS {
  const fields = Object.keys(entry);
  const kinds = KINDS.filter((kind) => fields.includes(kind));
  if (kinds.length !== 1) return refuse(`it has exactly one of ${KINDS.join(', ')}`);
  const allowed: readonly string[] = [kinds[0]!, ...FIELDS[kinds[0]!]];
  const unknown = fields.find((field) => !allowed.includes(field));
  if (unknown !== undefined) {
    refuse(`${kinds[0]} has no "${unknown}"${didYouMean(unknown, allowed)}`);
  }
  return kinds[0]!;
}

/** `at` is given where the entry names a step instead of a time. */
export function toAction(
  entry: Entry,
  kind: FaultAction['kind'],
  n: number,
  refuse: Refuse,
  at = toTime(entry, 'at', undefined, refuse),
): FaultAction {
  if (kind === 'heal' && !Array.isArray(entry['heal'])) {
    if (entry['heal'] === true) return { at, kind, link: undefined };
    return refuse('heal is true, or a link as in [0, 3]');
  }
  if (kind === 'cut' || kind === 'heal') return { at, kind, link: toLink(entry[kind], n, refuse) };
  if (kind !== 'partition') return { at, kind, site: toSite(entry[kind], n, refuse) };
  const sides = entry['partition'];
  if (!Array.isArray(sides) || !sides.every(Array.isArray)) {
    return refuse('a partition lists the sites on each side, as in [[0, 1], [2, 3, 4]]');
  }
  const sites = sides.flat().map((site) => toSite(site, n, refuse));
  const twice = sites.find((site, i) => sites.indexOf(site) !== i);
  if (twice !== undefined) refuse(`site ${twice} is on one side only`);
  return { at, kind, sides: sides as NodeId[][] };
}

function toWindow(
  entry: Entry,
  kind: 'lose' | 'duplicate',
  algorithm: AnyAlgorithm,
  n: number,
  refuse: Refuse,
): FaultWindow {
  const from = toTime(entry, 'from', 0, refuse);
  const until = toTime(entry, 'until', Number.POSITIVE_INFINITY, refuse);
  if (until <= from) refuse('"until" is later than "from"');
  const probability = entry[kind];
  if (typeof probability !== 'number' || !(0 <= probability && probability <= 1)) {
    return refuse(`${kind} is a probability from 0 to 1, as in "${kind}": 0.1`);
  }
  const { between, types } = entry;
  if (between !== undefined) {
    if (!Array.isArray(between) || between.length !== 2) {
      return refuse('"between" names the two ends of a link, as in [0, 3]');
    }
    for (const site of between) toSite(site, n, refuse);
  }
  if (types !== undefined) {
    const known = Object.keys(algorithm.messages);
    if (!Array.isArray(types)) return refuse(`"types" is a list of ${known.join(', ')}`);
    const unknown = types.find((type) => !known.includes(type));
    if (unknown !== undefined) {
      const meant = didYouMean(String(unknown), known);
      refuse(`the messages of ${algorithm.id} are ${known.join(', ')}, not "${unknown}"${meant}`);
    }
  }
  return {
    kind,
    from,
    until,
    probability,
    between: between as [NodeId, NodeId] | undefined,
    types: types as string[] | undefined,
  };
}

function toTime(
  entry: Entry,
  field: string,
  otherwise: number | undefined,
  refuse: Refuse,
): number {
  const value = entry[field] ?? otherwise;
  if (typeof value === 'number' && value >= 0) return value;
  return refuse(`"${field}" is a time of 0 or more, as in "${field}": 100`);
}

function toLink(value: unknown, n: number, refuse: Refuse): readonly [NodeId, NodeId] {
  if (!Array.isArray(value) || value.length !== 2 || value[0] === value[1]) {
    return refuse('a link has two ends, as in [0, 3]');
  }
  return [toSite(value[0], n, refuse), toSite(value[1], n, refuse)];
}

export function toSite(value: unknown, n: number, refuse: Refuse): NodeId {
  if (Number.isInteger(value) && 0 <= (value as number) && (value as number) < n) {
    return value as NodeId;
  }
  return refuse(`a site is a whole number from 0 to ${n - 1}, got ${JSON.stringify(value)}`);
}

/** Only a site that is up can crash. Only a site that is down can restart, and only if its algorithm can. */
function checkLives(
  actions: readonly FaultAction[],
  algorithm: AnyAlgorithm,
  world: AnyWorld,
): void {
  const down = new Set<NodeId>();
  for (const action of actions) {
    if (action.kind !== 'crash' && action.kind !== 'restart') continue;
    const { kind, site, at } = action;
    if (kind === 'restart' && !canRestart(algorithm, world)) {
      throw new UsageError(
        `${algorithm.id} cannot restart: it keeps nothing stable; leave the restart of ${site} at ${at} out of the faults`,
      );
    }
    if (kind === 'crash' && down.has(site)) {
      throw new UsageError(
        `site ${site} cannot crash at ${at}: it is down already; restart it first`,
      );
    }
    if (kind === 'restart' && !down.has(site)) {
      throw new UsageError(`site ${site} cannot restart at ${at}: it is up; let it crash first`);
    }
    if (kind === 'crash') down.add(site);
    else down.delete(site);
  }
}
