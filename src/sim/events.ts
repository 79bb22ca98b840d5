import type { AnyMessage } from '../core/message.ts';

/** The kinds of events. */
export const DELIVER = 0;
/** A broadcast that all receive in one order. */
export const DELIVER_IN_ORDER = 1;
export const REQUEST = 2;
export const EXIT = 3;
export const TIMER = 4;
export const FAULT = 5;
export const PEER = 6;
export const START = 7;

/** An event that was taken, and may be put back. */
export interface TakenEvent {
  readonly time: number;
  readonly kind: number;
  readonly site: number;
  readonly from: number;
  readonly clock: number;
  readonly id: number;
  readonly message: AnyMessage | null;
  readonly order: number;
}
