/** A process that searches the rows it receives, one after another. */
import { catalogue, find, findPrinted, printed } from 'latchkey/algorithms';
import { check, makeWorld } from 'latchkey/check';
import { keyOf, planOf } from './plan.js';
import { searchRow } from './search.js';

const rows = new Map(planOf(catalogue, printed).map((row) => [keyOf(row), row]));
const latchkey = { find, findPrinted, makeWorld, check };
const clock = () => performance.now() / 1000;

process.on('message', ({ key, limits }) => {
  process.send({ key, found: searchRow(rows.get(key), latchkey, { ...limits, clock }) });
});
