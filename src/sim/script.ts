/**
 * A workload written down, request by request. One line each, in either form; `#` begins a comment:
 *
 * ```
 * 0 request 2
 * 12.5 request 0 shared
 * 30 request 1 stay 4
 * {"at": 0, "request": 2}
 * {"at": 12.5, "request": 0, "mode": "shared", "stay": 4}
 * ```
 *
 * A request of a site that still waits or is inside is made as soon as it has left; one of a site that
 * is down is not made at all. Without `stay` the site stays as long as the run's `cs` says.
 */
import type { AnyAlgorithm, NodeId } from '../core/algorithm.ts';
import { UsageError } from '../core/errors.ts';
import { Draws } from '../core/random.ts';

export interface ScriptedRequest {
  readonly at: number;
  readonly site: NodeId;
  readonly shared: boolean;
  /** How long to stay inside; undefined for as long as the run's setting says. */
  readonly stay: number | undefined;
}

const FORM = 'TIME request SITE [shared] [stay TIME], as in "12.5 request 0 shared"';
const NUMBER = String.raw`\d+\.?\d*(?:e[+-]?\d+)?`;
const LINE = new RegExp(
  String.raw`^(?<at>${NUMBER})\s+request\s+(?<site>\d+)(?<shared>\s+shared)?(?:\s+stay\s+(?<stay>${NUMBER}))?$`,
  'i',
);

/** Reads a script for `n` sites; the requests come back in order of time. */
export function parseScript(text: string, algorithm: AnyAlgorithm, n: number): ScriptedRequest[] {
  const requests: ScriptedRequest[] = [];
  text.split(/\r?\n/).forEach((whole, i) => {
    const line = whole.replace(/#.*/, '').trim();
    if (line === '') return;
    const refuse = (rule: string): never => {
      throw new UsageError(`line ${i + 1} of the script, "${line}": ${rule}`);
    };
    const request = line.startsWith('{') ? fromJson(line, refuse) : fromWords(line, refuse);
    if (!Number.isFinite(request.at) || request.at < 0) refuse('a time is 0 or more');
    if (!Number.isInteger(request.site) || request.site < 0 || request.site >= n) {
      refuse(`a site is a whole number from 0 to ${n - 1}`);
    }
    if (request.shared && !algorithm.modes.includes('shared')) {
      refuse(`${algorithm.id} has no shared mode; leave "shared" out`);
    }
    if (request.stay !== undefined && !(Number.isFinite(request.stay) && request.stay >= 0)) {
      refuse('a stay is 0 or more');
    }
    requests.push(request);
  });
  if (requests.length === 0) throw new UsageError(`the script has no request; write ${FORM}`);
  return requests.sort((a, b) => a.at - b.at);
}

/**
 * One script for all algorithms that are compared: each site asks at times that depend on the seed and the
 * site alone, at that rate on average, whatever happens to its requests. Times have three decimals.
 */
export function requestScript(
  n: number,
  settings: { readonly seed: number; readonly rate: number; readonly entries: number },
): string {
  const { seed, rate, entries } = settings;
  const draws = new Draws(seed, 'script');
  const requests: { at: number; site: NodeId }[] = [];
  for (let site = 0; site < n; site++) {
    // Of the first so many requests in all, no site has more than that.
    for (let at = 0, count = 0; count < entries; count++) {
      at += draws.at(site, count).exponential(1 / rate);
      requests.push({ at: Math.round(1000 * at) / 1000, site });
    }
  }
  requests.sort((a, b) => a.at - b.at || a.site - b.site);
  const lines = requests.slice(0, entries).map(({ at, site }) => `${at} request ${site}`);
  return lines.join('\n');
}

function fromWords(line: string, refuse: (rule: string) => never): ScriptedRequest {
  const words = LINE.exec(line)?.groups ?? refuse(`a line is ${FORM}`);
  return {
    at: Number(words['at']),
    site: Number(words['site']),
    shared: words['shared'] !== undefined,
    stay: words['stay'] === undefined ? undefined : Number(words['stay']),
  };
}

function fromJson(line: string, refuse: (rule: string) => never): ScriptedRequest {
  const form = 'in JSON a line is {"at": TIME, "request": SITE, "mode": MODE, "stay": TIME}';
  let value: { readonly [field: string]: unknown };
  try {
    value = JSON.parse(line);
  } catch {
    return refuse('it begins like JSON, and is not');
  }
  const unknown = Object.keys(value).find((f) => !['at', 'request', 'mode', 'stay'].includes(f));
  if (unknown !== undefined) refuse(`${form}, without "${unknown}"`);
  const { at, request, mode = 'exclusive', stay } = value;
  if (typeof at !== 'number' || typeof request !== 'number') return refuse(form);
  if (mode !== 'exclusive' && mode !== 'shared') refuse('"mode" is "exclusive" or "shared"');
  if (stay !== undefined && typeof stay !== 'number') return refuse(form);
  return { at, site: request, shared: mode === 'shared', stay };
}
