/**
 * Breadth-first search as one would write it first: the whole world is copied for every step and
 * known by its text. Slow, and hard to get wrong: the real checker must count the same states.
 */
import type { AnyAlgorithm, AnyWorld, Links } from '../../src/core/algorithm.ts';
import { Machine } from '../../src/core/machine.ts';
import type { AnyMessage } from '../../src/core/message.ts';
import { clone } from '../../src/core/plain.ts';

interface World {
  sites: { my: unknown; phase: 'idle' | 'waiting' | 'inside'; left: number }[];
  mail: { from: number; to: number; message: AnyMessage }[];
}

export function count(algorithm: AnyAlgorithm, world: AnyWorld, links: Links, entries: number[]) {
  const machine = new Machine(algorithm, world, () => 0);
  const first: World = {
    sites: entries.map((left, i) => ({ my: machine.init(i), phase: 'idle', left })),
    mail: [],
  };
  const name = ({ sites, mail }: World) => {
    const texts = mail.map((m, i) => {
      // Where links keep order, the place among the letters of one channel tells states apart.
      const place = mail.slice(0, i).filter((o) => o.from === m.from && o.to === m.to).length;
      return JSON.stringify([m, links === 'fifo' ? place : 0]);
    });
    return JSON.stringify([sites, texts.sort()]);
  };
  const seen = new Set([name(first)]);
  const queue = [first];
  let transitions = 0;
  for (const before of queue) {
    const attempt = (act: (copy: World) => number): void => {
      transitions++;
      const after = clone(before);
      const site = act(after);
      if (machine.site.entered) after.sites[site]!.phase = 'inside';
      for (let i = 0; i < machine.site.sends; i++) {
        const message = clone(machine.site.messages[i]!);
        after.mail.push({ from: site, to: machine.site.to[i]!, message });
      }
      const key = name(after);
      if (seen.has(key)) return;
      seen.add(key);
      queue.push(after);
    };
    before.sites.forEach(({ phase, left }, i) => {
      if (phase === 'idle' && left > 0) {
        attempt(({ sites }) => {
          sites[i]!.phase = 'waiting';
          sites[i]!.left--;
          machine.request(i, sites[i]!.my, 'exclusive');
          return i;
        });
      }
      if (phase === 'inside') {
        attempt(({ sites }) => {
          sites[i]!.phase = 'idle';
          machine.release(i, sites[i]!.my);
          return i;
        });
      }
    });
    const offered = new Set<string>();
    before.mail.forEach(({ from, to, message }, i) => {
      const channel = links === 'fifo' ? `${from}>${to}` : JSON.stringify([from, to, message]);
      if (offered.has(channel)) return; // an equal letter, or one that is not first
      offered.add(channel);
      attempt(({ sites, mail }) => {
        mail.splice(i, 1);
        machine.receive(to, sites[to]!.my, from, message);
        return to;
      });
    });
  }
  return { states: seen.size, transitions };
}
