/** Failure detectors and failures that the checker does not have of itself, as wrapped algorithms. */
import type { AnyAlgorithm, NodeId } from '../../src/core/algorithm.ts';

const everyone = (n: number): NodeId[] => Array.from({ length: n }, (_, j) => j);

/**
 * The same with a failure detector that is wrong: as long as a site has not been so told since it
 * asked, it may be told of any of these, at any moment, that it is down, and later that it is back.
 */
export function withFalseSuspicion(
  algorithm: AnyAlgorithm,
  suspects: readonly NodeId[],
): AnyAlgorithm {
  const timers = suspects.flatMap((j) => {
    const tells = (alive: boolean): AnyAlgorithm['timers'] => ({
      [`${alive ? 'trust' : 'suspect'} ${j}`]: {
        fires: 'anytime',
        expired(my, site) {
          algorithm.peer!(my, site, j, alive);
          if (!alive) site.timer(`trust ${j}`, 1);
        },
      },
    });
    return [tells(false), tells(true)];
  });
  return {
    ...algorithm,
    timers: Object.assign({}, ...timers),
    request(my, site, mode) {
      algorithm.request(my, site, mode);
      for (const j of suspects) if (j !== site.me) site.timer(`suspect ${j}`, 1);
    },
  };
}

/** The same where these sites are down from the start, which a site that asks learns sooner or later. */
export function withDead(algorithm: AnyAlgorithm, dead: readonly NodeId[]): AnyAlgorithm {
  const on: { [type: string]: AnyAlgorithm['on'][string] } = {};
  for (const [type, handler] of Object.entries(algorithm.on)) {
    on[type] = (my, site, from, message) => {
      if (!dead.includes(site.me)) (handler as AnyAlgorithm['on'][string])(my, site, from, message);
    };
  }
  const timers = dead.map((j): AnyAlgorithm['timers'] => ({
    [`news of ${j}`]: {
      fires: 'anytime',
      expired: (my, site) => algorithm.peer!(my, site, j, false),
    },
  }));
  return {
    ...algorithm,
    on,
    timers: Object.assign({}, ...timers),
    request(my, site, mode) {
      algorithm.request(my, site, mode);
      for (const j of dead) site.timer(`news of ${j}`, 1);
    },
  };
}

/** The same where a site that crashes stays down. */
export function forGood({ restart: _, ...algorithm }: AnyAlgorithm): AnyAlgorithm {
  return algorithm;
}

/** Every set of sites, by the bits of a number. */
export const subsets = (n: number): NodeId[][] =>
  Array.from({ length: 2 ** n }, (_, bits) => everyone(n).filter((j) => (bits >> j) & 1));
