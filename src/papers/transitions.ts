/**
 * Every step that a small world can take, with the global state before it and after it: for what a paper says
 * of steps, where the checker judges states. It keeps whole states, so that some ten thousand are its limit.
 */
import type { AnyAlgorithm, AnyWorld, Links, NodeId } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { Machine } from '../core/machine.ts';
import type { AnyMessage } from '../core/message.ts';
import { clone } from '../core/plain.ts';

interface Sent {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: AnyMessage;
}

export interface GlobalState {
  readonly sites: { my: unknown; phase: 'idle' | 'waiting' | 'inside'; left: number }[];
  readonly mail: Sent[];
}

export interface Transition {
  readonly before: GlobalState;
  readonly after: GlobalState;
  /** The site that took the step. */
  readonly site: NodeId;
  /** The message that it handled; none if the application asked or left. */
  readonly received: Sent | null;
  readonly enters: boolean;
  readonly sent: readonly Sent[];
}

export interface Bounds {
  /** How often each site asks. */
  readonly entries: readonly number[];
  readonly links: Links;
  readonly maxStates?: number;
}

/** Calls `visit` with every transition of the reachable states, once each; returns the number of states. */
export function everyTransition(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  { entries, links, maxStates = 100_000 }: Bounds,
  visit: (transition: Transition) => void,
): number {
  const machine = new Machine(algorithm, world, () => 0);
  const first: GlobalState = {
    sites: entries.map((left, i) => ({ my: machine.init(i), phase: 'idle', left })),
    mail: [],
  };
  const seen = new Set([nameOf(first, links)]);
  const queue = [first];
  for (const before of queue) {
    for (const { site, received, act } of stepsOf(before, links)) {
      const after = clone(before) as GlobalState;
      act(machine, after);
      const { entered, sends, to, messages } = machine.site;
      const sent = messages.slice(0, sends).map((message, i) => ({
        ...{ from: site, to: to[i]!, message: clone(message) as AnyMessage },
      }));
      if (entered) after.sites[site]!.phase = 'inside';
      after.mail.push(...sent);
      visit({ before, after, site, received, enters: entered, sent });
      const name = nameOf(after, links);
      if (seen.has(name)) continue;
      seen.add(name);
      queue.push(after);
      assert(seen.size <= maxStates, `the world has at most ${maxStates} states`);
    }
  }
  return seen.size;
}

interface Step {
  readonly site: NodeId;
  readonly received: Sent | null;
  readonly act: (machine: Machine, after: GlobalState) => void;
}

function stepsOf({ sites, mail }: GlobalState, links: Links): Step[] {
  const own = sites.flatMap(({ phase, left }, site): Step[] => {
    const received = null;
    if (phase === 'inside') return [{ site, received, act: (m, after) => leave(m, after, site) }];
    if (phase === 'waiting' || left === 0) return [];
    return [{ site, received, act: (m, after) => ask(m, after, site) }];
  });
  const offered = new Set<string>();
  const deliveries = mail.flatMap((received, i): Step[] => {
    const { from, to, message } = received;
    const channel = links === 'fifo' ? `${from}>${to}` : JSON.stringify(received);
    if (offered.has(channel)) return []; // an equal message, or one that is not the first of its channel
    offered.add(channel);
    const act = (machine: Machine, after: GlobalState) => {
      after.mail.splice(i, 1);
      machine.receive(to, after.sites[to]!.my, from, message);
    };
    return [{ site: to, received, act }];
  });
  return [...own, ...deliveries];
}

function ask(machine: Machine, { sites }: GlobalState, site: NodeId): void {
  sites[site]!.phase = 'waiting';
  sites[site]!.left -= 1;
  machine.request(site, sites[site]!.my, 'exclusive');
}

function leave(machine: Machine, { sites }: GlobalState, site: NodeId): void {
  sites[site]!.phase = 'idle';
  machine.release(site, sites[site]!.my);
}

/** Equal for equal states. Where links keep order, a message's place on its channel counts. */
function nameOf({ sites, mail }: GlobalState, links: Links): string {
  const texts = mail.map((m, i) => {
    const place = mail.slice(0, i).filter(({ from, to }) => from === m.from && to === m.to).length;
    return JSON.stringify([m, links === 'fifo' ? place : 0]);
  });
  return JSON.stringify([sites, texts.sort()]);
}
