/**
 * A trace as a sequence diagram in plain text: a lane per site, time downwards, and beside each step
 * what it changed in the state of the site that took it.
 */
import type { NodeId } from '../core/algorithm.ts';
import type { AnyMessage } from '../core/message.ts';
import { key } from '../core/plain.ts';
import type { TraceStep } from '../core/trace.ts';

/** How a lane is drawn while its site is idle, waits, is inside, or is down. */
const LINE = { idle: '│', waiting: '┊', inside: '█', down: ' ' };
type Phase = keyof typeof LINE;

/** For steps that no algorithm takes: a word for each step, and names for the lanes. */
export interface DiagramWords {
  readonly word: (step: TraceStep) => string;
  readonly names: readonly string[];
}

/** `initial` are the states of all sites before the first step. */
export function diagram(
  trace: readonly TraceStep[],
  initial: readonly unknown[],
  words?: DiagramWords,
): string {
  const n = initial.length;
  const lane = laneWidth(trace, n);
  const phases: Phase[] = Array(n).fill('idle');
  const states = [...initial];
  const lines = [
    `${' '.repeat(6)}${initial.map((_, i) => (words?.names[i] ?? String(i)).padEnd(lane)).join('')}`,
  ];
  for (const step of trace) {
    const { site } = step;
    if (site < 0) {
      // A partition, or its end, concerns no site in particular.
      lines.push(`${String(step.step).padStart(4)}  ${step.event}`);
      continue;
    }
    const was = phases[site]!;
    phases[site] = phaseAfter(step, was);
    const lanes = draw(step, phases, was, lane, words?.word(step));
    const notes = [
      ...(step.enters ? ['goes in'] : []),
      ...sendings(step),
      ...changes('', states[site], step.state),
    ];
    states[site] = step.state;
    lines.push(`${String(step.step).padStart(4)}  ${lanes}${notes.join('; ')}`);
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Wide enough for the longest label between neighbours, as long as the lanes fit a screen. */
function laneWidth(trace: readonly TraceStep[], n: number): number {
  const labels = trace.map((step) => ('message' in step ? describe(step.message).length : 0));
  const longest = labels.reduce((a, b) => Math.max(a, b), 0);
  return Math.max(12, Math.min(longest + 5, Math.floor(100 / n)));
}

/** What a step sent. A message to several sites appears once. */
function sendings({ sends }: TraceStep): string[] {
  const receivers = new Map<string, (number | string)[]>();
  for (const { to, message } of sends) {
    const what = describe(message);
    receivers.set(what, [...(receivers.get(what) ?? []), to < 0 ? 'all' : to]);
  }
  return [...receivers].map(([what, to]) => `sends ${what} to ${to.join(', ')}`);
}

function phaseAfter(step: TraceStep, was: Phase): Phase {
  if (step.enters) return 'inside';
  if (step.event === 'request' || step.event === 'rerequest') return 'waiting';
  if (step.event === 'exit' || step.event === 'restart') return 'idle';
  return step.event === 'crash' ? 'down' : was;
}

/** The lanes at one step: an arrow from sender to receiver, or a word at the site that acts. */
function draw(
  step: TraceStep,
  phases: readonly Phase[],
  was: Phase,
  lane: number,
  given?: string,
): string {
  const cells = phases.map((phase) => LINE[phase].padEnd(lane));
  const { site } = step;
  if (step.event === 'deliver' || step.event === 'lose' || step.event === 'duplicate') {
    const lanes = [...cells.join('')];
    drawArrow(lanes, lane, step.from, site, describe(step.message), step.event === 'lose');
    return lanes.join('');
  }
  const own = {
    request: 'mode' in step && step.mode === 'shared' ? 'asks to read' : 'asks',
    rerequest: 'mode' in step && step.mode === 'shared' ? 're-requests to read' : 're-requests',
    downgrade: 'downgrades to reading',
    start: 'starts',
    exit: 'leaves',
    crash: 'crashes',
    restart: 'restarts',
    timer: 'timer' in step ? `timer ${step.timer}` : '',
    peer: 'peer' in step ? `hears ${step.peer} is ${step.alive ? 'up' : 'down'}` : '',
    delay: 'by' in step ? `waits ${step.by} for ${describe(step.message)}` : '',
    partition: '',
    cut: '',
    heal: '',
  }[step.event];
  const word = given || own;
  const leaves = step.event === 'exit' || step.event === 'rerequest';
  const mark = leaves ? LINE[was] : '◆';
  cells[site] = `${mark} ${word}`.slice(0, lane - 1).padEnd(lane);
  return cells.join('');
}

function drawArrow(
  lanes: string[],
  lane: number,
  from: NodeId,
  to: NodeId,
  label: string,
  lost: boolean,
): void {
  const left = lane * Math.min(from, to) + 1;
  const right = lane * Math.max(from, to) - 1;
  const room = right - left - 1;
  const text = label.length > room - 2 ? `${label.slice(0, room - 3)}…` : label;
  const fill = '─'.repeat(Math.max(0, room - text.length));
  const half = Math.ceil(fill.length / 2);
  const body = fill.slice(0, half) + text + fill.slice(half);
  const tip = lost ? '✗' : to > from ? '▶' : '◀';
  [...(to > from ? `${body}${tip}` : `${tip}${body}`)].forEach((c, i) => {
    lanes[left + i] = c;
  });
}

/** A message in few characters: its type, and its fields if they are short. */
function describe({ type, ...fields }: AnyMessage): string {
  const values = Object.entries(fields).map(([name, value]) => `${name}=${short(value)}`);
  return [type, ...values].join(' ');
}

/** A field that a state does not have is shown as nothing. */
const short = (value: unknown): string =>
  value === undefined ? 'nothing' : key(value).replaceAll('"', '');

/** Which parts of a state a step changed, and how. */
function changes(path: string, before: unknown, after: unknown): string[] {
  const [old, now] = [short(before), short(after)];
  if (old === now) return [];
  const alike = Array.isArray(before)
    ? Array.isArray(after) && before.length === after.length
    : true;
  if (!alike || !isNested(before) || !isNested(after)) return [`${path} ${old}→${now}`];
  return Object.entries(after).flatMap(([field, value]) => {
    const inner = Array.isArray(after) ? `${path}[${field}]` : path ? `${path}.${field}` : field;
    return changes(inner, before[field], value);
  });
}

const isNested = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
