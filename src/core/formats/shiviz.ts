/**
 * ShiViz (https://bestchai.bitbucket.io/shiviz): two lines for each event, the host with its vector
 * clock and then what happened. ShiViz takes the first line of a file as the expression that reads
 * the rest. It takes the second as the expression that separates several runs: here there is one
 * run.
 *
 * ShiViz's rules for clocks: an event increments its own host's component, from 1; all other
 * components are copied from the events before it; unknown hosts are left out. An event of the
 * network (a loss, a duplication, a partition) happens at a host of that name, and reaches no site.
 */
import type { TraceStep } from '../trace.ts';
import type { Trace } from './native.ts';
import { isOfMessage } from './trace-state.ts';
import { story } from './words.ts';

const PARSER = String.raw`(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`;

type Clock = { readonly [host: string]: number };

export function toShiviz({ steps }: Trace): string {
  const clocks = new Map<string, Clock>();
  /** By message, the clock of the event that sent it. */
  const sent = new Map<number, Clock>();
  const lines = [PARSER, ''];
  for (const step of steps) {
    const host = hostOf(step);
    const before = clocks.get(host) ?? {};
    const learnt = isOfMessage(step) ? latest(before, sent.get(step.id)!) : before;
    const clock = { ...learnt, [host]: (before[host] ?? 0) + 1 };
    clocks.set(host, clock);
    for (const { id } of step.sends) sent.set(id, clock);
    lines.push(`${host} ${JSON.stringify(clock)}`, story(step).replaceAll('\n', ' '));
  }
  return `${lines.join('\n')}\n`;
}

function hostOf({ event, site }: TraceStep): string {
  return site < 0 || event === 'lose' || event === 'duplicate' || event === 'delay'
    ? 'network'
    : `site${site}`;
}

function latest(a: Clock, b: Clock): Clock {
  const both: { [host: string]: number } = { ...a };
  for (const host in b) both[host] = Math.max(both[host] ?? 0, b[host]!);
  return both;
}
