/** What the quorum algorithms say of the failures they survive. */
import { flag } from '../../core/option.ts';

export const failStop = flag(
  'a site that is said to be down loses the votes it has: for failure detectors that are never wrong',
);

/** All of them: every message names its request and its turn. */
export const twice = 'Messages that arrive twice.';

/** Those that go on with other quorums. `quorum` says what of the group must be up. */
export const survives = (quorum: string): readonly string[] => [
  `Crashes of any sites that neither wait nor are inside, for as long as ${quorum} is up: others are asked in their place.`,
  'Crashes of sites that wait or are inside, if they come back: what they were granted is free again when they do.',
  'A failure detector that is wrong, however often: a suspected site is asked less, and nothing else happens.',
  `With fail-stop: crashes of any sites for good, also while they wait or are inside, for as long as ${quorum} is up; but the detector must never be wrong.`,
  twice,
];
