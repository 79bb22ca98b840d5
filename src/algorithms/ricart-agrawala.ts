/**
 * Ricart–Agrawala: ask all others, enter when all have said yes.
 *
 * G. Ricart and A. K. Agrawala. "An Optimal Algorithm for Mutual Exclusion in Computer Networks".
 * Communications of the ACM 24(1):9–17, January 1981.
 *
 * A site that wants to enter stamps a REQUEST with a sequence number, higher than all it has seen, and sends it to
 * all others. They answer at once, unless they want to enter too (or are inside) and asked earlier: then they answer
 * when they leave. A REPLY is thus a permission, and the deferred REPLYs are the queue.
 *
 * Example with three sites: sites 0 and 1 ask at the same time, both with the number 1, so that site 0 comes first.
 * Site 2 replies to both. Site 1 replies to site 0, and site 0 defers its REPLY to site 1. Site 0 has both REPLYs
 * and enters. When it leaves it sends site 1 the REPLY that it owes. The two entries take eight messages.
 *
 * Readers never defer readers (section 6.6): requests are served by their numbers, but for readers among themselves.
 * One operation is ours: a site that waits to write may downgrade to reading. It keeps its number, and tells the sites
 * that it has asked.
 *
 * The algorithm itself is in `ricart-agrawala/parallel.ts`. Sections 6 and 7 modify it in many ways, each an
 * option. What changes the numbers is in `numbers.ts`, and what is another protocol has a file of its own.
 */
import type { Algorithm, World } from '../core/algorithm.ts';
import { cost } from './ricart-agrawala/cost.ts';
import { type Member, membership } from './ricart-agrawala/membership.ts';
import { nameOf } from './ricart-agrawala/numbers.ts';
import { contradiction, hasMembership, type Options, options } from './ricart-agrawala/options.ts';
import { type Parallel, parallel } from './ricart-agrawala/parallel.ts';
import { type Marked, marked, type Serial, serial } from './ricart-agrawala/ring.ts';
import { type Sequenced, sequenced } from './ricart-agrawala/sequenced.ts';

const messages = {
  ...parallel.messages,
  ...serial.messages,
  ...marked.messages,
  ...sequenced.messages,
  ...membership.messages,
};
type State = Parallel | Serial | Marked | Sequenced | Member;
type RicartAgrawala = Algorithm<State, typeof messages, 'complete', Options>;
type RicartAgrawalaWorld = World<'complete', Options>;

/** The protocol that the options choose. Each has its own messages, so handlers need not ask. */
function formOf(world: RicartAgrawalaWorld): Pick<RicartAgrawala, 'init' | 'request' | 'release'> {
  const { options } = world;
  if (options.ring) return serial;
  if (options['ring-marked']) return marked;
  if (options['broadcast-sequenced']) return sequenced;
  return hasMembership(world) ? membership : parallel;
}

export const ricartAgrawala: RicartAgrawala = {
  id: 'ricart-agrawala',
  title: 'Ricart & Agrawala 1981',
  year: 1981,
  paper: 'https://doi.org/10.1145/358527.358537',
  family: 'permission',
  modes: ['exclusive', 'shared'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any',
  options,
  messages,
  claims: {
    messages: { formula: '2(N−1)', bounds: (world) => cost(world, 'any') },
    light: { formula: '2(N−1)', bounds: (world) => cost(world, 'light') },
    synchronizationDelay: 'T',
    // Of writers: readers have no place among readers. Nor have residues one, nor a site without a number,
    // nor a sponsor, whose number is not for itself.
    ticket(my, site) {
      const { bounded } = site.options;
      const isOrdered = 'ours' in my && my.requesting && my.mode === 'exclusive' && !bounded;
      if (!isOrdered || ('role' in my && my.role !== 'member')) return [];
      return [my.ours, nameOf(site.me, site)];
    },
  },
  recovers: [
    'With membership: crashes of any sites, at any moment, for good. A site that lacks a REPLY for long asks whether its sender is there, and goes on without the sites that keep silent; delays must be bounded, and no message lost.',
    'With membership: the same sites come back, at any moment, having forgotten everything.',
    'With sponsor: the same, as long as one of the group is up.',
  ],

  refuses: contradiction,
  init: (site) => formOf(site).init(site),
  request: (my, site, mode) => formOf(site).request(my, site, mode),
  release: (my, site) => formOf(site).release(my, site),
  downgrade: (my, site) => (formOf(site) as Pick<RicartAgrawala, 'downgrade'>).downgrade!(my, site),
  // Where residues are compared, readers of other numbers wait for one another, and to downgrade is no use.
  downgrades: (world) => 'downgrade' in formOf(world) && !world.options.bounded,
  on: {
    ...parallel.on,
    ...serial.on,
    ...marked.on,
    ...sequenced.on,
    ...membership.on,
  } as RicartAgrawala['on'],
  timers: { ...parallel.timers, ...membership.timers } as NonNullable<RicartAgrawala['timers']>,
  restarts: hasMembership,
  restart: membership.restart as NonNullable<RicartAgrawala['restart']>,
  isAwaited(my) {
    if ('held' in my) return my.held.some((request) => request !== null);
    return 'deferred' in my ? my.deferred.some(Boolean) : true; // the other forms do not say
  },
  fields: {
    requesting: 'Requesting_Critical_Section',
    ours: 'Our_Sequence_Number',
    highest: 'Highest_Sequence_Number',
    missing: 'Outstanding_Reply_Count',
    deferred: 'Reply_Deferred',
    names: 'NAMES',
    awaiting: 'Awaiting_Reply',
  },
  owes: (my) => {
    const waiting = 'held' in my ? my.held : 'deferred' in my ? my.deferred : [];
    return waiting.flatMap((request, j) => (request === null || request === 0 ? [] : [j]));
  },
  awaits: (my, { me, others }) => {
    if ('awaiting' in my) return others.filter((j) => my.awaiting[j]);
    if (!('queue' in my)) return [];
    const who = my.queue.map((request) => request.who);
    return who.slice(0, Math.max(0, who.indexOf(me)));
  },
};
