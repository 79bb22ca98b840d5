/**
 * The rules for the lines of a native trace: each complaint names the field, the rule and the
 * value.
 */
import type { TraceEvent } from '../trace.ts';

type Fields = { readonly [name: string]: unknown };
interface Rule {
  readonly says: string;
  readonly holds: (value: unknown) => boolean;
}
type Rules = { readonly [name: string]: Rule };

const rule = (says: string, holds: Rule['holds']): Rule => ({ says, holds });
const isWhole = (value: unknown, least: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= least;
const isList = (value: unknown, holds: Rule['holds']): boolean =>
  Array.isArray(value) && value.every(holds);
const oneOf = (...words: readonly string[]): Rule =>
  rule(words.join(' or '), (value) => words.includes(value as string));

const text = rule('a string', (value) => typeof value === 'string');
const boolean = rule('true or false', (value) => typeof value === 'boolean');
const atLeast = (least: number): Rule =>
  rule(`a whole number of ${least} or more`, (value) => isWhole(value, least));
const message = rule(
  'an object with a "type"',
  (value) => typeof fieldOf(value, 'type') === 'string',
);
const anything = rule('there, be it null', (value) => value !== undefined);
const maybe = ({ says, holds }: Rule): Rule =>
  rule(`${says}, or left out`, (value) => value === undefined || holds(value));

const HEADER: Rules = {
  source: oneOf('simulate', 'check'),
  algorithm: text,
  asPrinted: maybe(text),
  nodes: atLeast(1),
  k: atLeast(1),
  links: oneOf('any', 'fifo'),
  topology: text,
  options: rule('a list of strings', (value) => isList(value, text.holds)),
  seed: maybe(atLeast(0)),
  loop: maybe(atLeast(1)),
  violation: maybe(
    rule('an object with "property" and "why"', (value) =>
      [fieldOf(value, 'property'), fieldOf(value, 'why')].every(text.holds),
    ),
  ),
};

/** What is wrong with the fields of a header, if anything is. */
export const complaintAboutHeader = (header: Fields): string | undefined => broken(header, HEADER);

/** What is wrong with the fields of a step among n sites, if anything is. */
export function complaintAboutStep(step: Fields, n: number): string | undefined {
  const isSite = (value: unknown): boolean => isWhole(value, 0) && (value as number) < n;
  const site = rule(n === 1 ? 'the site 0' : `a site from 0 to ${n - 1}`, isSite);
  const ofRequest = { mode: oneOf('exclusive', 'shared') };
  const ofMessage = { from: site, id: atLeast(1), message };
  const ofSites = {
    sides: rule('a list of lists of sites', (value) =>
      isList(value, (side) => isList(side, isSite)),
    ),
  };
  const link = rule(
    'two sites',
    (value) => isList(value, isSite) && (value as unknown[]).length === 2,
  );
  const events: { readonly [E in TraceEvent['event']]: Rules } = {
    request: ofRequest,
    rerequest: ofRequest,
    deliver: ofMessage,
    lose: ofMessage,
    duplicate: ofMessage,
    start: {},
    downgrade: {},
    exit: {},
    crash: {},
    restart: {},
    timer: { timer: text },
    peer: { peer: site, alive: boolean },
    delay: { ...ofMessage, by: rule('a number above 0', (value) => (value as number) > 0) },
    partition: ofSites,
    heal: { ...ofSites, link: maybe(link) },
    cut: { link },
  };
  const isSend = (value: unknown): boolean => {
    const to = fieldOf(value, 'to');
    const reaches = isSite(to) || to === -1 || to === -2;
    return reaches && isWhole(fieldOf(value, 'id'), 1) && message.holds(fieldOf(value, 'message'));
  };
  const known = broken(step, { event: oneOf(...Object.keys(events)) });
  if (known !== undefined) return known;
  const event = step['event'] as TraceEvent['event'];
  const nowhere = rule(`−1 for ${event}, which concerns all`, (value) => value === -1);
  return broken(step, {
    time: rule(
      'a number of 0 or more',
      (value) => Number.isFinite(value) && (value as number) >= 0,
    ),
    site: event === 'partition' || event === 'heal' || event === 'cut' ? nowhere : site,
    ...events[event],
    sends: rule('a list of { id, to, message }', (value) => isList(value, isSend)),
    enters: boolean,
    state: anything,
  });
}

function broken(fields: Fields, rules: Rules): string | undefined {
  const wrong = Object.keys(rules).find((name) => !rules[name]!.holds(fields[name]));
  if (wrong === undefined) return undefined;
  return `"${wrong}" is ${rules[wrong]!.says}, got ${shown(fields[wrong])}`;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Fields)[name] : undefined;

/** A value as an error message shows it, shortened. */
export function shown(value: unknown): string {
  const json = value === undefined ? 'nothing' : JSON.stringify(value);
  return json.length > 60 ? `${json.slice(0, 59)}…` : json;
}
