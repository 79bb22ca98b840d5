import { Random } from '../core/random.ts';

/** The streams of a run, each for what it decides. */
export const streamsOf = (seed: number) => ({
  workload: new Random(seed, 'workload'),
  modes: new Random(seed, 'modes'),
  delays: new Random(seed, 'delays'),
  faults: new Random(seed, 'faults'),
  choices: new Random(seed, 'choices'),
});
