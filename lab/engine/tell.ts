/** A step in one sentence, for the inspector: what happened, what was sent to which sites, and whether a site went in. */
import { describe, happening } from '../../src/core/formats/words.ts';
import type { TraceStep } from '../../src/core/trace.ts';

const BY_NETWORK = new Set(['lose', 'duplicate', 'delay', 'cut', 'heal', 'partition']);

/** `actor` names the site of the step. */
export function tell(step: TraceStep, actor: string): string {
  const subject = BY_NETWORK.has(step.event) ? 'the network' : actor;
  const receivers = new Map<string, (number | string)[]>();
  for (const { to, message } of step.sends) {
    const text = describe(message);
    receivers.set(text, [...(receivers.get(text) ?? []), to < 0 ? 'everyone' : to]);
  }
  const sends = [...receivers].map(([text, all]) => `sends ${text} to ${all.join(', ')}`);
  const enters = step.enters ? ['goes in'] : [];
  return `${subject} ${[happening(step), ...sends, ...enters].join('; ')}`;
}
