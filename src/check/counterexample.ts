/**
 * Turns a path through the space into a trace: which site took which step, which message it
 * received and what it sent.
 */
import type { NodeId } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { EVERYONE, EVERYONE_IN_ORDER } from '../core/machine.ts';
import type { AnyMessage } from '../core/message.ts';
import { key } from '../core/plain.ts';
import type { TraceEvent, TraceSend, TraceStep } from '../core/trace.ts';
import type { PathStep } from './path.ts';
import type { Space } from './space.ts';

export function asTrace(space: Space, path: readonly PathStep[]): TraceStep[] {
  // The messages in flight to each site, oldest first, so that each delivery finds its sending.
  const inFlight: { id: number; from: NodeId; content: string }[][] = [];
  for (let site = 0; site < space.world.n; site++) inFlight.push([]);
  let lastId = 0;

  const arrives = (to: NodeId, from: NodeId, message: AnyMessage, stays: boolean): number => {
    const content = key(message);
    const channel = inFlight[to]!;
    const at = channel.findIndex((sent) => sent.from === from && sent.content === content);
    assert(at >= 0, 'what is delivered was sent');
    return stays ? channel[at]!.id : channel.splice(at, 1)[0]!.id;
  };

  return path.map(({ site, event: eventId, before, after }, i) => {
    const event = space.steps.event(eventId);
    let told: TraceEvent;
    switch (event.kind) {
      case 'deliver':
      case 'lose':
      case 'duplicate': {
        const { from, message } = event;
        const id = arrives(site, from, message, event.kind === 'duplicate');
        if (event.kind === 'duplicate') {
          inFlight[site]!.push({ id, from, content: key(message) });
        }
        told = { event: event.kind, from, id, message };
        break;
      }
      case 'request':
      case 'rerequest':
        told = { event: event.kind, mode: event.mode };
        break;
      case 'timer':
        told = { event: 'timer', timer: event.timer };
        break;
      case 'peer':
        told = { event: 'peer', peer: event.peer, alive: event.alive };
        break;
      default:
        told = { event: event.kind };
    }
    const sends = space
      .outcomeBy(site, eventId, before, after)
      .sent.map(({ to, message }): TraceSend => ({ id: ++lastId, to, message }));
    for (const { id, to, message } of sends) {
      for (let j = 0; j < space.world.n; j++) {
        const reaches = to === j || to === EVERYONE_IN_ORDER || (to === EVERYONE && j !== site);
        if (reaches) inFlight[j]!.push({ id, from: site, content: key(message) });
      }
    }
    const was = space.local(before[site]!);
    const is = space.local(after[site]!);
    const isNew = was.phase !== 'inside' || event.kind === 'rerequest';
    const enters = isNew && is.phase === 'inside';
    return { step: i + 1, time: i + 1, site, ...told, sends, enters, state: is.my };
  });
}
