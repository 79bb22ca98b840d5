/**
 * Ricart–Agrawala as section 2.2 prints its numbers: `Our_Sequence_Number := Highest_Sequence_Number + 1`,
 * and the latter stays. So the number of a node's own request does not count as seen.
 */
import { ricartAgrawala as ours } from '../ricart-agrawala.ts';

type Handler = (my: State, site: World, ...rest: readonly unknown[]) => void;
type Timer = { readonly expired: Handler };
type State = { requesting: boolean; ours: number; highest: number };
type World = { readonly options: { readonly bounded?: boolean } };

// The errors show without readers, and what is out of turn is not yet an error.
const { messages } = ours.claims;
export const writers: typeof ours = { ...ours, modes: ['exclusive'], claims: { messages } };

/** A step after which our own number, if we took one, does not count as seen. */
const forgetting =
  (step: Handler): Handler =>
  (my, site, ...rest) => {
    const { requesting, highest } = my;
    step(my, site, ...rest);
    // A newcomer may have learnt of higher numbers in the same step. Residues only come from requests.
    if (my.requesting && !requesting) my.highest = site.options.bounded ? highest : my.ours - 1;
  };
const eachOf = <T extends object, V>(all: T, change: (each: V) => V): T =>
  Object.fromEntries(Object.entries(all).map(([name, each]) => [name, change(each)])) as T;

export const request = forgetting(ours.request as unknown as Handler) as typeof ours.request;

/** In every protocol of the paper: a newcomer takes its number when the last answer arrives. */
export const unseen: typeof ours = {
  ...writers,
  request,
  on: eachOf(ours.on, forgetting),
  timers: eachOf(ours.timers!, (timer: Timer) => ({
    ...timer,
    expired: forgetting(timer.expired),
  })),
};
