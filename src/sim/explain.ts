/** Violations in words: the sites that are inside, and the sites that wait, with the reason. */
import type { NodeId } from '../core/algorithm.ts';
import { listed } from '../core/formats/words.ts';
import type { Run } from './run.ts';
import { DOWN, INSIDE, WAITING } from './sites.ts';

/** Of a longer list only this many names are shown. */
const NAMES = 5;

export function sitesInside({ sites, machine }: Run): string {
  const readers = sites.inside - sites.writersInside;
  const as = (site: NodeId) => (sites.shared[site] === 1 ? ' (reading)' : ' (writing)');
  const inside = sites.inPhase(INSIDE).map((site) => `${site}${readers > 0 ? as(site) : ''}`);
  const { k } = machine.site;
  return `${inShort(inside)} are inside at once${k > 1 ? `, and k is ${k}` : ''}`;
}

/** `3 waits for ever: 1 crashed holding the token`. */
export function whyNoneEnters(run: Run): string {
  const waiting = run.sites.inPhase(WAITING);
  const verb = waiting.length === 1 ? 'waits' : 'wait';
  return `${inShort(waiting)} ${verb} for ever: ${reasons(run, waiting[0]!).join('; ')}`;
}

function reasons(run: Run, waiter: NodeId): string[] {
  const { algorithm, failures, machine, sites, tokens } = run;
  if (tokens !== undefined && tokens.count <= 0 && failures.fateOfToken !== undefined) {
    return [failures.fateOfToken];
  }
  const reasons: string[] = [];
  machine.site.begin(waiter);
  const lacks: readonly NodeId[] = algorithm.awaits?.(sites.states[waiter], machine.site) ?? [];
  if (lacks.length > 0) reasons.push(`${waiter} lacks the answer of ${inShort(lacks)}`);
  reasons.push(...losses(run));
  if (reasons.length === 0) reasons.push('no site is inside and nothing is under way');
  return reasons;
}

/** The effects of faults that may keep sites waiting; empty without faults. */
export function whatFaultsDid(run: Run): string[] {
  const { failures, tokens } = run;
  const isGone = tokens !== undefined && tokens.count <= 0;
  return isGone && failures.fateOfToken ? [failures.fateOfToken] : losses(run);
}

function losses({ network, sites }: Run): string[] {
  const reasons: string[] = [];
  const down = sites.inPhase(DOWN);
  if (down.length > 0) reasons.push(`${inShort(down)} crashed`);
  const { lost, inFlight } = network;
  if (lost > 0) reasons.push(lost === 1 ? '1 message was lost' : `${lost} messages were lost`);
  if (inFlight > 0) {
    const held = inFlight === 1 ? '1 message is' : `${inFlight} messages are`;
    reasons.push(`${held} held back by a partition`);
  }
  return reasons;
}

/** Of many, the first are named and the others are counted. */
function inShort(items: readonly (string | number)[]): string {
  const rest = items.length - NAMES;
  return listed(rest > 1 ? [...items.slice(0, NAMES), `${rest} others`] : items);
}
