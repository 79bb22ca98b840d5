/**
 * Srimani and Reddy's algorithm as the survey tells it. A site counts its request as granted only when it leaves:
 * "When it leaves the CS, it updates the information in the token with its current request serviced." Ours counts
 * it as granted when the site enters. Both remember the requests to which they have sent a token themselves.
 */
import { srimaniReddy } from '../../algorithms/srimani-reddy.ts';

type Handler<M extends unknown[]> = (
  my: Parameters<typeof srimaniReddy.request>[0],
  site: Parameters<typeof srimaniReddy.request>[1],
  ...more: M
) => void;

/** The same, but that the site enters is not recorded yet. */
const unrecorded =
  <M extends unknown[]>(handler: Handler<M>): Handler<M> =>
  (my, site, ...more) => {
    const granted = my.granted[site.me]!;
    const wasOutside = my.using === null;
    handler(my, site, ...more);
    if (wasOutside && my.using !== null) my.granted[site.me] = granted;
  };

export const asTold: typeof srimaniReddy = {
  ...srimaniReddy,
  request: unrecorded(srimaniReddy.request),
  release(my, site) {
    my.granted[site.me] = my.asked[site.me]!;
    srimaniReddy.release(my, site);
  },
  on: { ...srimaniReddy.on, PRIVILEGE: unrecorded(srimaniReddy.on.PRIVILEGE) },
};
