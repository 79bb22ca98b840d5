import { ruleFor } from '../locks/live.js';
import { latchkey } from './latchkey.js';

const locks = [ruleFor('naimi-trehel')];

export const contestant = latchkey('Latchkey, naimi-trehel', { locks });
