/** The second half of the seeded runs of `leased.test.ts`. */
import { seededRuns } from '../support/leased-seeds.ts';

seededRuns(1);
