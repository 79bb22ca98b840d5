/** Nishio–Li–Manning: what is said and kept in mind, and how the token goes from site to site. */
import type { NodeId, Site } from '../../core/algorithm.ts';
import { type Messages, type Payload, perSite } from '../../core/message.ts';
import { flag, type OptionDeclarations } from '../../core/option.ts';
import { ringFrom } from '../shared/rotated.ts';

export const messages = {
  REQUEST: { n: 'int' }, // this is my n-th request
  TOKEN: { granted: perSite('int'), age: 'int' }, // the number of each site's last granted request
  TOKEN_MISSING: { age: 'int' }, // do you have the token? or, if not 0: shall one of this age be it?
  ACK: { proposed: 'int', age: 'int', granted: 'int' }, // no, or yes; my age and my last grant
  NACK: { proposed: 'int' }, //     yes, or no
  RECOVER: {}, //                   with `propagation`: I have lost my memory, what do you know?
  KNOWLEDGE: { age: 'int', asked: perSite('int') }, // the age and the requests that I know of
} as const satisfies Messages;

export const options = {
  propagation: flag('the memory of a controller is lost in a crash, and restored from the others'),
} as const satisfies OptionDeclarations;

export type State = {
  requesting: boolean; //    from request to release, the stay included
  asked: number[]; //        the number of the latest request known of each site
  granted: number; //        the number of our last request that was granted
  token: number[] | null; // the number of each site's last granted request, if we have the token
  age: number; //            of our token; if we have none, the least that we accept
  trying: 'no' | 'asking' | 'proposing' | 'recovering'; // our part in replacing the token, or our memory
  answered: boolean[]; //    the sites that have answered ACK while we try
  highest: number; //        while we ask: the highest age that any site knows of
  rebuilt: number[]; //      while we propose: `granted` of each site that has answered
};
export type NishioSite = Site<typeof messages, 'complete', typeof options>;

/** The age tells a token that was replaced, and our last grant one that comes twice. */
export function accepts(my: State, me: NodeId, token: Payload<typeof messages, 'TOKEN'>): boolean {
  if (my.trying === 'recovering') return false; // we may have promised to refuse it
  return my.token === null && token.age >= my.age && token.granted[me]! >= my.granted;
}

/** We no longer ask about the token, nor propose another. */
export function stop(my: State): void {
  my.trying = 'no';
  my.answered.fill(false);
  my.highest = 0;
  my.rebuilt.fill(0);
}

/** We have the token: for ourselves, or if we crashed since we asked, for others. */
export function take(my: State, site: NishioSite, token: number[], age: number): void {
  stop(my);
  site.timer('missing', 0);
  my.token = token;
  my.age = age;
  if (my.requesting) site.enter();
  else grant(my, site);
}

/** Our request is satisfied, and the next site round the ring that waits gets the token. */
export function grant(my: State, site: NishioSite): void {
  const token = my.token!;
  my.granted = my.asked[site.me]!;
  token[site.me] = my.granted;
  const next = ringFrom(site.me, site.n).find((j) => my.asked[j]! > token[j]!);
  if (next === undefined) return;
  my.token = null;
  site.send(next, { type: 'TOKEN', granted: token, age: my.age });
}
