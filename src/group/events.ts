/** The events of a member. Each event is one step: see node.ts. */
import type { Message } from './codec.ts';
import type { Timer } from './effects.ts';
import type { EngineEvent } from './engine-events.ts';
import type { Request } from './request.ts';
import type { Member } from './view.ts';

export type GroupEvent =
  | { readonly type: 'start' }
  | { readonly type: 'request'; readonly request: Request }
  /** A caller releases what it holds, or cancels what it waits for. */
  | { readonly type: 'release'; readonly request: Request }
  /** The caller of a lock that is lent and asked back is inside. */
  | { readonly type: 'inUse'; readonly request: Request; readonly reentries: number }
  | { readonly type: 'message'; readonly from: string; readonly message: Message }
  /** A session with a process of a peer begins: what was sent in an earlier session is gone. */
  | { readonly type: 'session'; readonly peer: Member }
  /** The peer leaves too much unacknowledged, or no longer does. */
  | { readonly type: 'congestion'; readonly peer: string; readonly isCongested: boolean }
  /** The peer sent bytes that no member sends. */
  | { readonly type: 'malformed'; readonly from: string; readonly why: string }
  | { readonly type: 'timer'; readonly timer: Timer }
  | { readonly type: 'query'; readonly query: number }
  | EngineEvent
  /** The process leaves the group: everything is released and cancelled, and the others are told. */
  | { readonly type: 'leave'; readonly reason: Error }
  /** This process is no member any more, by no decision of its own. */
  | { readonly type: 'end'; readonly reason: Error };
