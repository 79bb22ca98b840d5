/** The events of a member that concern its engine alone. */
import type { Engine } from './engine.ts';
import type { RegisterEvent } from './register.ts';

export type EngineEvent =
  | RegisterEvent
  /** A peer has given up its messages to this process. */
  | { readonly type: 'evicted'; readonly by: string }
  /** An operator says that the process of this member is gone for good. */
  | { readonly type: 'forget'; readonly id: string }
  /** Nothing but the time may have changed: the deadline of the lease is checked, as in every step. */
  | { readonly type: 'clock' };

export function tellEngine(engine: Engine, event: EngineEvent): void {
  if (event.type === 'answer') engine.answered(event.call, event.answer);
  else if (event.type === 'hint') engine.hinted();
  else if (event.type === 'evicted') engine.evicted(event.by);
  else if (event.type === 'forget') engine.forget?.(event.id);
}
