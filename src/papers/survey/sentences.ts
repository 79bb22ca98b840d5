/** Velazquez 1993, by section. */
import type { Section } from '../sentences.ts';
import { sections as permissions } from './sentences-permissions.ts';
import { sections as quorums } from './sentences-quorums.ts';
import { sections as resilient } from './sentences-resilient.ts';
import { sections as tokens } from './sentences-tokens.ts';

export const sections: readonly Section[] = [...tokens, ...resilient, ...permissions, ...quorums];
