/** The whole catalogue in the same worlds, each algorithm in the form that works at every load. */
import { catalogue } from '../../algorithms/catalogue.ts';
import type { Subject } from '../instruments.ts';

/** What is asked for besides the number of sites. */
const CHOICES: { readonly [id: string]: Omit<Subject, 'algorithm' | 'nodes'> } = {
  // As polled, whoever wants in waits for ever if the owner does not.
  'raynal-primes': { options: ['inform'] },
  'relative-consensus-voting': { options: ['routing=random'] },
  'raymond-k': { k: 2 },
  'srimani-reddy': { k: 2 },
  'lending-coordinator': { k: 2 },
  kakugawa: { k: 2 },
};

export const everyone = (nodes: number): Subject[] =>
  catalogue.map(({ id }) => ({ algorithm: id, nodes, ...CHOICES[id] }));
