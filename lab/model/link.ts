/** The state of the page as the part of its address after `#`: readable keys, nothing that is as at first. */
import type { CheckSpec } from '../engine/protocol.ts';
import { FIRST, type Intervention, type RunSpec } from './spec.ts';

export interface PageState {
  readonly view: string;
  readonly spec: RunSpec;
  /** The step that the page stands at. */
  readonly at: number;
  /** What is seen: from and to, in simulated time; null for what the page chooses. */
  readonly window: readonly [number, number] | null;
  /** The site that is looked at, or −1. */
  readonly site: number;
  /** The message that is looked at: its number, and the site that it goes to; or null. */
  readonly message: readonly [number, number] | null;
  /** The algorithms that are compared. */
  readonly compare: readonly string[];
  /** The moment that a comparison stands at; null for its end. */
  readonly time: number | null;
  /** The story that is told, or empty, and which of its sentences: 0 for the first. */
  readonly story: string;
  readonly beat: number;
  /** The search that was made last, or null. */
  readonly search: CheckSpec | null;
  /** Where the page stands in what that search found; null for the end. */
  readonly path: Path | null;
  /** The row of the papers that is open, or empty. */
  readonly row: string;
  /** The lock of a running group that is watched, or null. */
  readonly lock: WatchedLock | null;
  /** What the reader has written; null for the algorithm that the editor begins with. */
  readonly code: string | null;
  /** Among how many sites, and with how many entries of each, what is written is checked. */
  readonly own: OwnSize;
  /** The exercise that is open, or empty, and what was chosen in it; null for its beginning. */
  readonly exercise: string;
  readonly tried: Path | null;
}

export type OwnSize = readonly [nodes: number, entries: number];
export const FIRST_OWN: OwnSize = [3, 1];

/** So many steps of a counterexample, and then what was chosen instead, each by its place in the list of choices. */
export type Path = readonly [steps: number, ...choices: number[]];

export interface WatchedLock {
  readonly name: string;
  /** 0 for a lock; for a semaphore, its permits. */
  readonly permits: number;
}

type Key = keyof RunSpec;
const KEYS: { readonly [key: string]: Key } = {
  a: 'algorithm',
  printed: 'printed',
  n: 'nodes',
  topology: 'topology',
  k: 'k',
  options: 'options',
  load: 'workload',
  rate: 'rate',
  entries: 'entries',
  delay: 'delay',
  cs: 'cs',
  links: 'links',
  readers: 'readers',
  seed: 'seed',
  script: 'script',
  faults: 'faults',
  until: 'until',
  break: 'interventions',
};

export function toHash(state: PageState): string {
  const parts: string[] = ['v=1'];
  if (state.view !== 'watch') parts.push(`view=${state.view}`);
  for (const [key, field] of Object.entries(KEYS)) {
    const value = state.spec[field];
    if (JSON.stringify(value) === JSON.stringify(FIRST[field])) continue;
    const text =
      field === 'interventions'
        ? (value as readonly Intervention[]).map(toWord).join(',')
        : Array.isArray(value)
          ? value.join(',')
          : String(value);
    parts.push(`${key}=${encodeURIComponent(text).replace(/%(2C|3A)/g, decodeURIComponent)}`);
  }
  if (state.at > 0) parts.push(`at=${state.at}`);
  if (state.window !== null)
    parts.push(`see=${state.window.map((t) => +t.toPrecision(13)).join(',')}`);
  if (state.site >= 0) parts.push(`site=${state.site}`);
  if (state.message !== null) parts.push(`message=${state.message.join('.')}`);
  if (state.time !== null) parts.push(`time=${+state.time.toPrecision(13)}`);
  if (state.story !== '') parts.push(`story=${state.story}`);
  if (state.beat > 0) parts.push(`beat=${state.beat + 1}`);
  if (state.row !== '') parts.push(`row=${state.row}`);
  if (state.lock !== null) {
    parts.push(`lock=${state.lock.permits},${encodeURIComponent(state.lock.name)}`);
  }
  if (state.search !== null) parts.push(`search=${toSearch(state.search)}`);
  if (state.search !== null && state.path !== null) parts.push(`path=${state.path.join('.')}`);
  if (state.compare.length > 0) parts.push(`with=${state.compare.join(',')}`);
  if (state.exercise !== '') parts.push(`exercise=${state.exercise}`);
  if (state.exercise !== '' && state.tried !== null) parts.push(`tried=${state.tried.join('.')}`);
  if (state.own.join() !== FIRST_OWN.join()) parts.push(`own=${state.own.join('.')}`);
  if (state.code !== null) parts.push(`code=${encodeURIComponent(state.code)}`);
  return `#${parts.join('&')}`;
}

/** What a link says; a field that is wrong is named in `mistakes`, and the rest is as it says. */
export function fromHash(hash: string): { state: PageState; mistakes: string[] } {
  const mistakes: string[] = [];
  const spec: { -readonly [K in Key]: RunSpec[K] } = { ...FIRST };
  let state: PageState = {
    view: 'watch',
    spec,
    at: 0,
    window: null,
    site: -1,
    message: null,
    compare: [],
    time: null,
    story: '',
    beat: 0,
    search: null,
    path: null,
    row: '',
    lock: null,
    code: null,
    own: FIRST_OWN,
    exercise: '',
    tried: null,
  };
  for (const part of hash.replace(/^#/, '').split('&')) {
    if (part === '') continue;
    const cut = part.indexOf('=');
    const [key, text] = [part.slice(0, cut), decode(part.slice(cut + 1))];
    try {
      if (key in KEYS) Object.assign(spec, { [KEYS[key]!]: readField(KEYS[key]!, text) });
      else state = { ...state, ...other(key, text) };
    } catch (error) {
      mistakes.push(`"${key}" of the link: ${(error as Error).message}; it is left as it was`);
    }
  }
  return { state: { ...state, spec }, mistakes };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function other(key: string, text: string): Partial<PageState> {
  switch (key) {
    case 'v':
      if (text !== '1') throw new Error(`this page reads version 1, got "${text}"`);
      return {};
    case 'view':
      return { view: text };
    case 'at':
      return { at: number(text) };
    case 'site':
      return { site: number(text) };
    case 'message': {
      const [id, to, ...more] = text.split('.').map(number);
      if (to !== undefined && more.length === 0) return { message: [id!, to] };
      throw new Error(`the number of a message and its receiver, as in 7.3, got "${text}"`);
    }
    case 'search':
      return { search: fromSearch(text) };
    case 'path':
      return { path: toPath(text) };
    case 'tried':
      return { tried: toPath(text) };
    case 'exercise':
      return { exercise: text };
    case 'code':
      return { code: text };
    case 'own': {
      const [nodes, entries, ...more] = text.split('.').map(number);
      if (entries !== undefined && more.length === 0) return { own: [nodes!, entries] };
      throw new Error(`a number of sites and of entries, as in 3.1, got "${text}"`);
    }
    case 'time':
      return { time: number(text) };
    case 'beat':
      return { beat: Math.max(0, Math.floor(number(text)) - 1) };
    case 'story':
      return { story: text };
    case 'row':
      return { row: text };
    case 'lock': {
      const comma = text.indexOf(',');
      return { lock: { permits: number(text.slice(0, comma)), name: text.slice(comma + 1) } };
    }
    case 'with':
      return { compare: text.split(',').filter((id) => id !== '') };
    case 'see': {
      const [from, to] = text.split(',').map(Number);
      if (from === undefined || to === undefined || !(to > from)) {
        throw new Error(`two times, the first before the second, got "${text}"`);
      }
      return { window: [from, to] };
    }
    default:
      throw new Error('there is no such field');
  }
}

function readField(field: Key, text: string): unknown {
  if (field === 'interventions') return text.split(',').map(fromWord);
  const first = FIRST[field];
  if (Array.isArray(first)) return text.split(',').filter((item) => item !== '');
  return typeof first === 'number' ? number(text) : text;
}

function number(text: string): number {
  const value = Number(text);
  if (text !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new Error(`a number of 0 or more, got "${text}"`);
}

const toPath = (text: string): Path => text.split('.').map(number) as [number, ...number[]];

/** `12.lose.7`, `12.lose.7.to.3`, `12.delay.7.by.20`, `12.cut.0-3`. */
function toWord({ after, ...rest }: Intervention): string {
  const fields = Object.entries(rest).map(([name, value]) => {
    return `${name}.${Array.isArray(value) ? value.join('-') : String(value)}`;
  });
  return [after, ...fields].join('.');
}

function fromWord(word: string): Intervention {
  const [after, ...rest] = word.split('.');
  const fields: Record<string, unknown> = {};
  for (let i = 0; i + 1 < rest.length; i += 2) fields[rest[i]!] = plain(rest[i + 1]!);
  if (rest.length === 0 || rest.length % 2 === 1) {
    throw new Error(`an intervention is as in 12.lose.7, got "${word}"`);
  }
  return { ...fields, after: number(after!) };
}

function plain(text: string): unknown {
  if (/^\d+-\d+$/.test(text)) return text.split('-').map(Number);
  if (/^\d+$/.test(text)) return Number(text);
  return text === 'true' ? true : text;
}

/** `maekawa,original,4,1-1-1-0,fifo,majority,,0,0`: a search, field by field. */
const toSearch = (search: CheckSpec): string =>
  [
    ...[search.algorithm, search.printed, search.nodes, search.entries.join('-'), search.links],
    ...[search.topology, search.options.join('+'), search.crashes, search.losses],
  ].join(',');

function fromSearch(text: string): CheckSpec {
  const parts = text.split(',');
  if (parts.length !== 9) throw new Error(`a search has nine parts, got "${text}"`);
  const [algorithm, printed, nodes, entries, links, topology, options, crashes, losses] = parts as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    ...{ algorithm, printed, links, topology, maxStates: MOST_STATES },
    nodes: number(nodes),
    entries: entries.split('-').map(number),
    options: options.split('+').filter((option) => option !== ''),
    crashes: number(crashes),
    losses: number(losses),
  };
}

/** A search in the page gives up there. */
export const MOST_STATES = 3_000_000;
