/**
 * Majority: more than half of all sites must say yes, whichever they are.
 *
 * R. H. Thomas. "A Majority Consensus Approach to Concurrency Control for Multiple Copy Databases".
 * ACM Transactions on Database Systems 4(2):180–209, June 1979.
 *
 * Any two majorities have a site in common, and a site says yes to one request at a time. A site asks itself and
 * the ⌊N/2⌋ sites that follow it round the ring; if some are down, it asks the sites that follow them.
 *
 * Example with five sites: site 0 asks sites 1 and 2, gets both votes, and enters with three votes of five. It
 * leaves and sends two RELEASEs: six messages. Later site 3 asks sites 4 and 0: six messages more. If both ask at
 * once, site 0 is the common voter.
 *
 * Thomas votes on updates. That votes are given back, so that sites do not wait in a circle, is Maekawa's
 * contribution. Here a site that is asked to YIELD a vote does so unless it is inside.
 */
import type { Algorithm } from '../core/algorithm.ts';
import { survives } from './shared/failures.ts';
import { ringFrom } from './shared/rotated.ts';
import { type State, withoutFailed } from './shared/votes.ts';
import { options, voting } from './shared/voting.ts';

const messages = withoutFailed;

const protocol = voting<'complete'>({
  quorum: ({ n, me }, qualifies) => {
    const size = Math.floor(n / 2) + 1;
    const quorum = ringFrom(me, n).filter(qualifies).slice(0, size);
    return quorum.length === size ? quorum : undefined;
  },
});

export const majority: Algorithm<State, typeof messages, 'complete', typeof options> = {
  id: 'majority',
  title: 'Thomas 1979',
  year: 1979,
  paper: 'https://doi.org/10.1145/320071.320076',
  family: 'permission',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any',
  options,
  messages,
  claims: {
    messages: {
      formula: '3⌊N/2⌋ to 6⌊N/2⌋',
      bounds: ({ n }) => ({ least: 3 * Math.floor(n / 2), most: 6 * Math.floor(n / 2) }),
    },
    light: {
      formula: '3⌊N/2⌋',
      bounds: ({ n }) => ({ least: 3 * Math.floor(n / 2), most: 3 * Math.floor(n / 2) }),
    },
    synchronizationDelay: '2T',
  },
  recovers: survives('more than half of all sites'),

  ...protocol,
};
