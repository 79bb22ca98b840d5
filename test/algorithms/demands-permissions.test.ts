/** The algorithms that ask permission of all, held to what every algorithm must do. */
import { catalogue } from '../../src/algorithms/catalogue.ts';
import { holdToDemands } from '../support/demands.ts';

holdToDemands(
  catalogue.filter(
    (a) => a.family === 'permission' && a.topology === 'complete' && a.id !== 'ricart-agrawala',
  ),
);
