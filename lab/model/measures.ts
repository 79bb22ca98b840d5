/** What runs are compared by. */
import type { Figures } from '../engine/protocol.ts';

export interface Measure {
  readonly name: string;
  readonly of: (figures: Figures) => number | null;
  readonly digits: number;
}

export const MEASURES: readonly Measure[] = [
  { name: 'messages per entry', of: (f) => f.messagesPerEntry, digits: 2 },
  { name: 'bytes per entry', of: (f) => f.bytesPerEntry, digits: 1 },
  { name: 'waiting, mean', of: (f) => f.waiting, digits: 1 },
  { name: 'waiting, longest', of: (f) => f.waitingMax, digits: 1 },
  { name: 'response time', of: (f) => f.response, digits: 1 },
  { name: 'hand-over', of: (f) => f.handOver, digits: 1 },
  { name: 'fairness (Jain)', of: (f) => f.jain, digits: 3 },
  { name: 'most passed over', of: (f) => f.maxBypass, digits: 0 },
];
