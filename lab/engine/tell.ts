/** A step in one sentence, for the inspector: what happened, what was sent to which sites, and whether a site went in. */
import { describe, happening } from '../../src/core/formats/words.ts';
import type { TraceStep } from '../../src/core/trace.ts';

const BY_NETWORK = new Set(['lose', 'duplicate', 'delay', 'cut', 'heal', 'partition']);

/** `actor` names the site of the step, and `name` every other site. */
export function tell(step: TraceStep, actor: string, name = (site: number) => `${site}`): string {
  const subject = BY_NETWORK.has(step.event) ? 'the network' : actor;
  const receivers = new Map<string, string[]>();
  for (const { to, message } of step.sends) {
    const text = describe(message);
    receivers.set(text, [...(receivers.get(text) ?? []), to < 0 ? 'all other sites' : name(to)]);
  }
  const sends = [...receivers].map(([text, all]) => `sends ${text} to ${all.join(', ')}`);
  const enters = step.enters ? ['goes in'] : [];
  return `${subject} ${[happening(step, name), ...sends, ...enters].join('; ')}`;
}
