import type { Lock } from './lock.ts';
import type { ControlOf } from './messages.ts';

type OfLock = ControlOf<'PROBE' | 'HELD' | 'STEAL' | 'STOLEN' | 'START'>;

/** Carries out the messages of a member to a lock that are not of its algorithm. */
export function obey(lock: Lock, from: string, message: OfLock): void {
  switch (message.type) {
    case 'PROBE':
      lock.probed(from, message);
      break;
    case 'HELD':
      lock.probeAnswered(from, message.probe, message.count);
      break;
    case 'STEAL':
      lock.stealFor(from);
      break;
    case 'STOLEN':
      lock.stolenBy(from);
      break;
    case 'START': // The lock is there now, and has started.
  }
}
