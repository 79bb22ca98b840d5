import { Draws, Random } from '../core/random.ts';

/**
 * The streams of a run, each for what it decides: delays and faults have one for each link, requests, modes,
 * choices and notices of crashes one for each site. Which site asks in a `solo` run is one stream.
 */
export const streamsOf = (seed: number) => ({
  workload: new Draws(seed, 'workload'),
  solo: new Random(seed, 'workload'),
  modes: new Draws(seed, 'modes'),
  delays: new Draws(seed, 'delays'),
  faults: new Draws(seed, 'faults'),
  notices: new Draws(seed, 'notices'),
  choices: new Draws(seed, 'choices'),
});
