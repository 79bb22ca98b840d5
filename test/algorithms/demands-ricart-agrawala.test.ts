/** The algorithms that Ricart and Agrawala describe, held to what every algorithm must do. */
import { catalogue } from '../../src/algorithms/catalogue.ts';
import { holdToDemands } from '../support/demands.ts';

holdToDemands(catalogue.filter((a) => a.id === 'ricart-agrawala'));
