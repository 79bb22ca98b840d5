/**
 * Real faults on a real Postgres server: members in network namespaces, links that drop packets, processes that are
 * stopped. `node bench/faults.js` runs the same for longer, and on all stores.
 */
import { oneWay, partition } from '../../bench/faults/links.js';
import { kill, stop } from '../../bench/faults/processes.js';
import { faultsOnPostgres } from '../support/faults-on-postgres.ts';

faultsOnPostgres('real faults on Postgres', [
  ['a killed holder is replaced within W and a second, with a higher fence', kill],
  ['a stopped holder is granted nothing when it goes on, and its late write is refused', stop],
  ['a holder that is cut off is told so before the next entry', partition],
  ['packets that are dropped in one direction cost one member its place within 2 W', oneWay],
]);
