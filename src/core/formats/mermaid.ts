/**
 * A Mermaid sequence diagram, for issues, documents and slides. An arrow shows a delivery, a cross
 * a loss, and a dotted arrow at the end a message still in flight. A bar shows that a site is
 * inside, and a frame a cycle.
 */
import { UsageError } from '../errors.ts';
import type { TraceStep } from '../trace.ts';
import type { Trace } from './native.ts';
import { isOfMessage, TraceState } from './trace-state.ts';
import { describe, happening, subject } from './words.ts';

/** A larger diagram is unreadable. */
const MOST_MESSAGES = 200;
/** Mermaid itself refuses more, unless it is configured otherwise. */
const MOST_CHARACTERS = 50_000;
/** A token may carry a table: its beginning is enough. */
const WIDTH = 60;

export function toMermaid({ header, steps }: Trace): string {
  const { nodes, violation } = header;
  const traceState = new TraceState(nodes, header.links);
  const everyone = nodes === 1 ? 's0' : `s0,s${nodes - 1}`;
  const lines = [`%% ${plain(subject(header), 200)}`];
  for (let site = 0; site < nodes; site++) lines.push(`participant s${site} as site ${site}`);
  let arrows = 0;
  for (const step of steps) {
    const wasInside = traceState.phases[step.site] === 'inside';
    traceState.apply(step);
    const isInside = traceState.phases[step.site] === 'inside';
    const leaves = wasInside && (!isInside || step.event === 'rerequest');
    if (step.event === 'deliver' || step.event === 'lose') arrows++;
    if (step.step === header.loop) lines.push('loop for ever');
    lines.push(drawn(step, everyone));
    if (leaves) lines.push(`deactivate s${step.site}`);
    if (isInside && (!wasInside || leaves)) {
      lines.push(`Note over s${step.site}: goes in`, `activate s${step.site}`);
    }
  }
  if (header.loop !== undefined) lines.push('end');
  for (const { from, to, message, copies } of traceState.inFlight()) {
    arrows += copies;
    for (let i = 0; i < copies; i++) lines.push(`s${from}--)s${to}: ${plain(describe(message))}`);
  }
  for (const site of traceState.inPhase('inside')) lines.push(`deactivate s${site}`);
  if (violation)
    lines.push(`Note over ${everyone}: ${plain(`${violation.property}: ${violation.why}`, 200)}`);
  const text = `sequenceDiagram\n${lines.map((line) => `  ${line}\n`).join('')}`;
  if (arrows > MOST_MESSAGES) refuse(`${MOST_MESSAGES} messages`, arrows);
  if (text.length > MOST_CHARACTERS) refuse(`${MOST_CHARACTERS} characters`, text.length);
  return text;
}

function drawn(step: TraceStep, everyone: string): string {
  if (!isOfMessage(step)) {
    return `Note over ${step.site < 0 ? everyone : `s${step.site}`}: ${plain(happening(step))}`;
  }
  const { event, from, site, message } = step;
  const label = plain(describe(message));
  if (event === 'deliver') return `s${from}->>s${site}: ${label}`;
  if (event === 'lose') return `s${from}-xs${site}: ${label}`;
  return `Note over ${from === site ? `s${site}` : `s${from},s${site}`}: doubled: ${label}`;
}

/** Mermaid ends a text at `;` and `#`. */
function plain(text: string, width = WIDTH): string {
  const line = text.replace(/[;#\s]+/g, ' ');
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

function refuse(most: string, got: number): never {
  throw new UsageError(
    `a mermaid diagram has at most ${most}, and this one would have ${got}: simulate with fewer --entries ` +
      'or --nodes, or take shiviz or chrome, which show any number',
  );
}
