/** Builds with one thing wrong, on a real Postgres server: real faults must show it. */
import { mutantExperiments } from '../../bench/faults/mutants.js';
import { faultsOnPostgres } from '../support/faults-on-postgres.ts';

const [withoutEntryCheck, withoutFence] = mutantExperiments;

faultsOnPostgres('broken builds on Postgres', [
  ['a build without checks of the deadline is found', withoutEntryCheck!],
  ['a build that leaves members out without fencing them is found', withoutFence!],
]);
