/** What runs are compared by. */
import type { Figures } from '../engine/protocol.ts';

export interface Measure {
  readonly name: string;
  /** What it is, in a sentence. */
  readonly says: string;
  readonly of: (figures: Figures) => number | null;
  readonly digits: number;
}

export const MEASURES: readonly Measure[] = [
  {
    name: 'messages per entry',
    says: 'All messages of the run, divided by its entries.',
    of: (f) => f.messagesPerEntry,
    digits: 2,
  },
  {
    name: 'bytes per entry',
    says: 'The size of these messages.',
    of: (f) => f.bytesPerEntry,
    digits: 1,
  },
  {
    name: 'waiting, mean',
    says: 'Time units from a request to the entry.',
    of: (f) => f.waiting,
    digits: 1,
  },
  {
    name: 'waiting, longest',
    says: 'The longest time from a request to the entry.',
    of: (f) => f.waitingMax,
    digits: 1,
  },
  {
    name: 'response time',
    says: 'Time units from a request to the exit.',
    of: (f) => f.response,
    digits: 1,
  },
  {
    name: 'hand-over',
    says: 'Time units from an exit to the next entry while a site waited.',
    of: (f) => f.handOver,
    digits: 1,
  },
  {
    name: 'fairness (Jain)',
    says: "Jain's index of the entries of each site: 1 where all sites have as many.",
    of: (f) => f.jain,
    digits: 3,
  },
  {
    name: 'longest bypass',
    says: 'How many other entries there were, at most, between a request and its own entry.',
    of: (f) => f.maxBypass,
    digits: 0,
  },
];
