/** A schedule of the lock service as a trace. */
import type { AnyMessage } from '../../core/message.ts';
import type { Plain } from '../../core/plain.ts';
import type { TraceStep } from '../../core/trace.ts';
import type { Message } from '../../group/codec.ts';
import { PRESENT } from './leasing.ts';
import { type Local, memberName, type ServiceEvent } from './processes.ts';
import type { SearchSpace, Step } from './search-space.ts';

/** A step of the service: like that of an algorithm, with the words for what the caller or the member does. */
export type ServiceTraceStep = TraceStep & { readonly word: string };

export function asServiceTrace(space: SearchSpace, path: readonly Step[]): ServiceTraceStep[] {
  let state = space.initial();
  let lastId = 0;
  const trace: ServiceTraceStep[] = [];
  for (const [i, { site, event }] of path.entries()) {
    const what = space.event(event);
    const { sends, grants, local } = space.outcomeAt(state, site, event);
    const into = new Int32Array(space.width);
    space.successors(state, into, (s, e) => s !== site || e !== event);
    trace.push({
      step: i + 1,
      time: i + 1,
      site,
      ...told(what),
      word: wordFor(what),
      sends: sends.map(({ to, message }) => ({ id: ++lastId, to, message: shown(message) })),
      enters: grants.length > 0,
      state: shownState(local),
    } as unknown as ServiceTraceStep);
    state = into;
  }
  return trace;
}

/** What a trace shows of a process: its view, its callers, its queue and its sites. */
function shownState({ phase, node, callers, leased }: Local): Plain {
  const [lock] = node?.locks ?? [];
  const [idle] = node?.idle ?? [];
  return {
    ...(phase !== 'up' && { phase }),
    view: node?.epoch ?? 0,
    begun: node?.hasBegun ?? false,
    ...(leased && {
      right: Math.max(0, (leased.right ?? PRESENT) - PRESENT),
      flights: leased.flights.length,
    }),
    callers: callers.map(({ stage, how, mode }) =>
      stage === 'waiting' ? `${stage} (${how} ${mode})` : stage,
    ),
    ...(idle && { sites: [{ phase: 'idle', my: idle.state }] }),
    ...(lock && {
      queue: lock.queue.map(({ caller }) => caller),
      sites: lock.sites.map(({ phase, my }) => ({ phase, my })),
      ...(lock.thieves.length > 0 && { thieves: [...lock.thieves] }),
      ...(lock.leftover.length > 0 && { leftover: lock.leftover.length }),
    }),
  };
}

function told(event: ServiceEvent): object {
  switch (event.kind) {
    case 'request':
      return { event: 'request', mode: event.mode };
    case 'deliver':
      return { event: 'deliver', from: event.from, id: 0, message: shown(event.message) };
    case 'session':
      return { event: 'peer', peer: event.from, alive: true };
    case 'timer':
      return { event: 'timer', timer: event.timer };
    case 'sweep':
    case 'due':
      return { event: 'timer', timer: event.kind };
    case 'crash':
    case 'leave':
      return { event: 'crash' };
    case 'restart':
    case 'start':
      return { event: event.kind };
    case 'congestion':
      return { event: 'peer', peer: event.peer, alive: true };
    case 'tick':
    case 'pause':
    case 'resume':
    case 'stop':
    case 'hint':
    case 'effect':
    case 'outcome':
    case 'cut':
    case 'mend':
      return { event: 'timer', timer: event.kind };
    default:
      return { event: 'exit' };
  }
}

/** Adds the faults of the calls that the step makes. */
const wordFor = (event: ServiceEvent): string =>
  event.calls === undefined
    ? wordOf(event)
    : `${wordOf(event) || 'receives'}, calls ${event.calls}`;

function wordOf(event: ServiceEvent): string {
  switch (event.kind) {
    case 'request': {
      const reads = event.mode === 'shared' ? ' to read' : '';
      return { wait: `asks${reads}`, try: `tries${reads}`, steal: 'steals' }[event.how];
    }
    case 'cancel':
      return 'cancels';
    case 'release':
      return 'releases';
    case 'session':
      return `session ${event.from}`;
    case 'timer':
      return event.timer.startsWith('engine ') ? event.timer.slice(7) : `timer ${event.timer}`;
    case 'congestion':
      return `${event.peer} ${event.isCongested ? 'congested' : 'not congested'}`;
    case 'sweep':
      return 'forgets';
    case 'due':
      return 'is idle';
    case 'tick':
    case 'hint':
      return event.kind;
    case 'effect':
      return 'a call takes effect';
    case 'outcome':
      return 'a call is answered';
    case 'cut':
    case 'mend':
      return `${event.kind} to ${memberName(event.to)}`;
    case 'leave':
      return 'leaves';
    case 'crash':
      return 'crashes';
    default:
      return event.kind === 'deliver' ? '' : `${event.kind}s`;
  }
}

/** Leaves out the fields that are the same in all messages. */
function shown(message: Message): AnyMessage {
  if (message.type === 'lock') return message.message;
  if (message.type === 'engine') {
    const { epoch, hears, news } = message.message as Record<string, number | boolean>;
    if (hears === undefined) return { type: 'VIEW', epoch } as AnyMessage;
    return { type: 'WORD', epoch, hears, news } as AnyMessage;
  }
  if (message.type === 'stale') return { type: 'STALE' };
  const { name, permits, ...rest } = message.message as AnyMessage & {
    name?: string;
    permits?: number;
  };
  if (rest.type !== 'STATE') return rest;
  const { type, epoch, holds } = rest as unknown as {
    type: 'STATE';
    epoch: number;
    holds: { count: number }[];
  };
  return { type, epoch, holds: holds.length } as AnyMessage;
}
