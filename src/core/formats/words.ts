/** Steps and messages in a few words, for the formats that people read. */
import type { AnyMessage } from '../message.ts';
import type { TraceHeader, TraceSend, TraceStep } from '../trace.ts';

/** `REQUEST at=1`: the type and the fields. */
export function describe({ type, ...fields }: AnyMessage): string {
  const values = Object.entries(fields).map(([name, value]) => `${name}=${short(value)}`);
  return [type, ...values].join(' ');
}

const short = (value: unknown): string => JSON.stringify(value).replaceAll('"', '');

/** `0, 1 and 2`. */
export const listed = (items: readonly (string | number)[]): string =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;

/** What happened at a step, with the site as its subject: `receives REPLY from 2`. `name` is what other sites are called. */
export function happening(step: TraceStep, name = (site: number) => `${site}`): string {
  switch (step.event) {
    case 'request':
      return step.mode === 'shared' ? 'asks to read' : 'asks';
    case 'rerequest':
      return step.mode === 'shared' ? 'leaves, and asks to read' : 'leaves, and asks again';
    case 'downgrade':
      return 'downgrades to reading';
    case 'start':
      return 'starts';
    case 'exit':
      return 'leaves';
    case 'crash':
      return 'crashes';
    case 'restart':
      return 'restarts';
    case 'timer':
      return `timer ${step.timer}`;
    case 'peer':
      return `hears ${name(step.peer)} is ${step.alive ? 'up' : 'down'}`;
    case 'deliver':
      return `receives ${describe(step.message)} from ${name(step.from)}`;
    case 'lose':
      return `loses ${describe(step.message)} from ${name(step.from)} to ${name(step.site)}`;
    case 'duplicate':
      return `doubles ${describe(step.message)} from ${name(step.from)} to ${name(step.site)}`;
    case 'delay':
      return `delays ${describe(step.message)} from ${name(step.from)} to ${name(step.site)} by ${step.by}`;
    case 'cut':
      return `cuts the link ${step.link.join('–')}`;
    case 'partition':
      return `partition ${step.sides.map((side) => side.join(' ')).join(' | ')}`;
    case 'heal':
      return step.link === undefined ? 'heals' : `mends the link ${step.link.join('–')}`;
  }
}

/** What happened and its effects, in one line. */
export function story(step: TraceStep): string {
  const enters = step.enters ? ['goes in'] : [];
  return [happening(step), ...step.sends.map(sending), ...enters].join(', ');
}

const sending = ({ to, message }: TraceSend): string =>
  `sends ${describe(message)} to ${to < 0 ? 'all' : to}`;

/** The subject of a trace: `lamport, 3 sites, ordered links`. */
export function subject({ algorithm, asPrinted, nodes, links }: TraceHeader): string {
  const form = asPrinted === undefined ? '' : ` as printed (${asPrinted})`;
  const order = links === 'any' ? 'links that may reorder' : 'ordered links';
  return `${algorithm}${form}, ${nodes} ${nodes === 1 ? 'site' : 'sites'}, ${order}`;
}
