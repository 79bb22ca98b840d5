/**
 * Nishio–Li–Manning: a token with an age, so that a lost one can be replaced and an old one is known.
 *
 * S. Nishio, K. F. Li and E. G. Manning. "A Resilient Mutual Exclusion Algorithm for Computer
 * Networks". IEEE Transactions on Parallel and Distributed Systems 1(3):344–355, July 1990.
 * Reconstructed from the survey, which describes it in words.
 *
 * Sites ask as in Suzuki and Kasami's algorithm, and the token goes to the next who waits around a
 * ring, as in Ricart and Agrawala's. Who waits too long proposes a new token with a higher age
 * (TOKEN_MISSING). Everyone else must agree (ACK): to agree is to promise that older tokens will be
 * refused, and whoever has the token, or knows of a higher age, does not (NACK). So wherever the old
 * token is, nobody will accept it, and no assumption about delays or failures is needed for that. But
 * while a site is down, nothing is replaced: each has a communication controller whose memory outlives
 * a crash, and is waited for.
 *
 * The survey has one round of TOKEN_MISSING. Then a token that is only being used for long would be
 * refused by all who agreed before its holder disagreed. Here there are two: the first asks if anyone
 * has the token, the second proposes. And whoever has it by then lets it take the proposed age.
 *
 * The survey calls a token a duplicate if its age is "not older or equal"; it means older.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { type Messages, type Payload, perSite } from '../core/message.ts';
import { each } from '../core/plain.ts';
import { ringFrom } from './shared/rotated.ts';

const messages = {
  REQUEST: { n: 'int' }, // this is my n-th request
  TOKEN: { granted: perSite('int'), age: 'int' }, // the number of each site's last granted request
  TOKEN_MISSING: { age: 'int' }, // do you have the token? or, if not 0: shall one of this age be it?
  ACK: { proposed: 'int', age: 'int', granted: 'int' }, // no, or yes; my age and my last grant
  NACK: { proposed: 'int' }, //     yes, or no
} as const satisfies Messages;

type State = {
  requesting: boolean; //    from request to release, the stay included
  asked: number[]; //        the number of the latest request known of each site
  granted: number; //        the number of our last request that was granted
  token: number[] | null; // the number of each site's last granted request, if we have the token
  age: number; //            of our token; if we have none, the least that we accept
  trying: 'no' | 'asking' | 'proposing'; // our part in replacing the token
  answered: boolean[]; //    who has answered ACK while we try
  highest: number; //        while we ask: the highest age that anyone knows of
  rebuilt: number[]; //      while we propose: `granted` of each who has answered
};
type NishioSite = Site<typeof messages>;

/** How long to wait for the token, for each site that may be served before us; and for answers. */
const PATIENCE = 200;

export const nishioLiManning: Algorithm<State, typeof messages> = {
  id: 'nishio-li-manning',
  title: 'Nishio, Li & Manning 1990',
  year: 1990,
  paper: 'IEEE Transactions on Parallel and Distributed Systems 1(3):344–355, July 1990',
  family: 'token',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any',
  options: {},
  messages,
  claims: {
    messages: { formula: 'N, or 0 for the holder', bounds: ({ n }) => ({ least: 0, most: n }) },
    synchronizationDelay: 'T',
  },
  recovers: [
    'any sites crash, at any moment and at the same time, and restart with the memory of their controllers; a lost token is replaced when all are up',
    'any messages are lost, or arrive twice',
    'a time-out that is too short, however often: no second token comes of it',
  ],

  init: ({ me, n }) => ({
    requesting: false,
    asked: each(n, 0),
    granted: 0,
    token: me === 0 ? each(n, 0) : null,
    age: 0,
    trying: 'no',
    answered: each(n, false),
    highest: 0,
    rebuilt: each(n, 0),
  }),

  request(my, site) {
    my.requesting = true;
    if (my.token !== null) return site.enter();
    my.asked[site.me]! += 1;
    ask(my, site);
  },

  release(my, site) {
    my.requesting = false;
    grant(my, site);
  },

  on: {
    REQUEST(my, site, from, { n }) {
      my.asked[from] = Math.max(my.asked[from]!, n);
      if (my.token !== null && !my.requesting) grant(my, site);
    },

    TOKEN(my, site, _, token) {
      if (accepts(my, site.me, token)) take(my, site, token.granted.slice(), token.age);
    },

    TOKEN_MISSING(my, site, from, { age: proposed }) {
      const agrees = my.token === null && (proposed === 0 || proposed > my.age);
      if (proposed > my.age) my.age = proposed; // also of our token: the others may have agreed
      if (!agrees) return site.send(from, { type: 'NACK', proposed });
      if (proposed > 0 && my.trying === 'proposing') ask(my, site); // the higher age goes on
      const { age, granted } = my;
      site.send(from, { type: 'ACK', proposed, age, granted });
    },

    ACK(my, site, from, { proposed, age, granted }) {
      if (!isCurrent(my, proposed)) return;
      my.highest = Math.max(my.highest, age);
      my.rebuilt[from] = granted;
      my.answered[from] = true;
      if (site.others.some((j) => !my.answered[j])) return;
      if (my.trying === 'asking') propose(my, site);
      else replace(my, site);
    },

    NACK(my, site, _, { proposed }) {
      if (isCurrent(my, proposed)) ask(my, site);
    },
  },

  timers: {
    // It may be too short for some delay: then nobody goes in wrongly, but work is done in vain.
    missing: {
      fires: 'quiet',
      expired(my, site) {
        stop(my);
        my.trying = 'asking';
        for (const j of site.others) site.send(j, { type: 'TOKEN_MISSING', age: 0 });
        site.timer('missing', PATIENCE * site.n);
      },
    },
  },

  stable: ['asked', 'granted', 'token', 'age'],
  // What we wanted died with the processor: if we have the token, it is for others.
  restart(my, site) {
    if (my.token !== null) grant(my, site);
  },

  awaits: ({ token }, { others }) => (token === null ? others : []), // any of them may have it
  // No `tokens`: one that everyone has promised to refuse may still be under way when it is replaced.
  invariants: {
    'there are no two tokens that anyone accepts': ({ sites, inFlight }) => {
      const held = sites.filter(({ token }) => token !== null).length;
      const accepted = inFlight.filter(
        ({ to, message }) => message.type === 'TOKEN' && accepts(sites[to]!, to, message),
      );
      // Of two copies of one message, only the first is accepted.
      const receivers = new Set(accepted.map(({ to }) => to));
      return held + receivers.size <= 1;
    },
  },
};

/** The age tells a token that was replaced, and our last grant one that comes twice. */
function accepts(my: State, me: NodeId, token: Payload<typeof messages, 'TOKEN'>): boolean {
  return my.token === null && token.age >= my.age && token.granted[me]! >= my.granted;
}

/** Sends our request, for the first time or again, and waits for the token. */
function ask(my: State, site: NishioSite): void {
  stop(my);
  for (const j of site.others) site.send(j, { type: 'REQUEST', n: my.asked[site.me]! });
  site.timer('missing', PATIENCE * site.n);
}

function stop(my: State): void {
  my.trying = 'no';
  my.answered.fill(false);
  my.highest = 0;
  my.rebuilt.fill(0);
}

/** Whether this answers the question we are asking. */
function isCurrent({ trying, age }: State, proposed: number): boolean {
  return trying !== 'no' && proposed === (trying === 'asking' ? 0 : age);
}

/** Nobody has the token. An age is a number and, to tell proposals apart, who proposed it. */
function propose(my: State, site: NishioSite): void {
  const highest = Math.max(my.highest, my.age);
  stop(my);
  my.trying = 'proposing';
  my.age = (Math.floor(highest / site.n) + 1) * site.n + site.me;
  for (const j of site.others) site.send(j, { type: 'TOKEN_MISSING', age: my.age });
}

function replace(my: State, site: NishioSite): void {
  take(my, site, my.rebuilt.with(site.me, my.granted), my.age);
}

/** We have the token: for ourselves, or if we crashed since we asked, for others. */
function take(my: State, site: NishioSite, token: number[], age: number): void {
  stop(my);
  site.timer('missing', 0);
  my.token = token;
  my.age = age;
  if (my.requesting) site.enter();
  else grant(my, site);
}

/** Our request is satisfied, and the next around the ring who waits gets the token. */
function grant(my: State, site: NishioSite): void {
  const token = my.token!;
  my.granted = my.asked[site.me]!;
  token[site.me] = my.granted;
  const next = ringFrom(site.me, site.n).find((j) => my.asked[j]! > token[j]!);
  if (next === undefined) return;
  my.token = null;
  site.send(next, { type: 'TOKEN', granted: token, age: my.age });
}
