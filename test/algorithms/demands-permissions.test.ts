/** The algorithms that ask permission of all, held to what every algorithm must do. */
import { catalogue } from '../../src/algorithms/catalogue.ts';
import { holdToDemands } from '../support/demands.ts';

/** Each has a file of its own, because its searches take as long as those of all others. */
const elsewhere = ['ricart-agrawala', 'relative-consensus-voting'];

holdToDemands(
  catalogue.filter(
    (a) => a.family === 'permission' && a.topology === 'complete' && !elsewhere.includes(a.id),
  ),
);
