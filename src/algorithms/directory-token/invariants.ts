/** What is true of `directory-token` in every state, besides mutual exclusion. */
import type { Algorithm } from '../../core/algorithm.ts';
import type { messages, State } from '../directory-token.ts';
import { DIRECTORY, FIRST_READ } from './line.ts';

export const invariants: NonNullable<Algorithm<State, typeof messages>['invariants']> = {
  'every copy is known to the holder of the token': ({ sites, inFlight }) => {
    const holder = sites.find(({ token }) => token !== null);
    const out = sites.flatMap(({ copy }, j) => (copy === 'none' ? [] : [j]));
    const underWay = inFlight.flatMap(({ from, to, message: { type } }) =>
      type === 'COPY' ? [to] : type === 'RETURN' ? [from] : [],
    );
    const copies = [...out, ...underWay].sort((a, b) => a - b);
    return copies.join() === [...(holder?.lent ?? [])].sort((a, b) => a - b).join();
  },
  'sites that are all idle can all forget': ({ sites, inFlight }) => {
    if (inFlight.length > 0 || sites.some(({ stage }) => stage !== 'idle')) return true;
    const [directory, ...others] = sites;
    const isAway = ({ copy, token, holder, n, r, forgets }: State) =>
      copy === 'usable' ||
      (forgets === 'none' && (token !== null || holder !== null || n !== 0 || r !== FIRST_READ));
    const { token, lent, last, forgetting } = directory!;
    const isHome = token !== null && lent.length === 0 && last!.site === DIRECTORY;
    return (
      others.some(isAway) || directory!.copy === 'usable' || (isHome && forgetting.length === 0)
    );
  },
  'a copy is recalled only for a writer': ({ sites, inFlight }) => {
    const token = sites.find(({ token }) => token !== null)?.token;
    const isForAWriter = token && token.line.length > token.readers.length;
    return sites.every(
      ({ copy }, j) =>
        copy !== 'recalled' ||
        isForAWriter ||
        inFlight.some(({ to, message: { type } }) => to === j && type === 'KEEP'),
    );
  },
};
