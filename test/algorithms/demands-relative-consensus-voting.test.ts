/** Relative consensus voting, held to what every algorithm must do, and to the lemmas of its paper. */
import { catalogue } from '../../src/algorithms/catalogue.ts';
import { holdToDemands } from '../support/demands.ts';

holdToDemands(catalogue.filter((a) => a.id === 'relative-consensus-voting'));
