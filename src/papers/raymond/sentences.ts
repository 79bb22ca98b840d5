/** Raymond 1989, by section. */
import type { Section } from '../sentences.ts';
import { sections as algorithm } from './sentences-algorithm.ts';
import { sections as cost } from './sentences-cost.ts';
import { sections as failure } from './sentences-failure.ts';

export const sections: readonly Section[] = [...algorithm, ...cost, ...failure];
