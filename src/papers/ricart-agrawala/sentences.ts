/** Ricart and Agrawala 1981, by section. */
import type { Section } from '../sentences.ts';
import { sections as practice } from './sentences-practice.ts';
import { sections as proofs } from './sentences-proofs.ts';

export const sections: readonly Section[] = [...proofs, ...practice];
