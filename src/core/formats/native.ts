/**
 * The native format: JSON Lines, a header and then one step per line. Every other format derives
 * from it.
 *
 * The parser accepts only a possible run: complete, in order, and with no delivery without its
 * sending. So converters need no checks of their own.
 */
import { UsageError } from '../errors.ts';
import type { TraceHeader, TraceStep } from '../trace.ts';
import { complaintAboutHeader, complaintAboutStep, shown } from './shape.ts';
import { TraceState } from './trace-state.ts';

/** A run as a value: what ran, and its steps. */
export interface Trace {
  readonly header: TraceHeader & {
    /** In a trace of starvation: the step that begins the cycle, which ends with the last step. */
    readonly loop?: number;
  };
  readonly steps: readonly TraceStep[];
  /** The states of all sites before the first step, where the algorithm was available. */
  readonly initial?: readonly unknown[];
}

export const toNative = ({ header, steps }: Trace): string =>
  [header, ...steps].map((line) => `${JSON.stringify(line)}\n`).join('');

/** Reads a trace. Throws a UsageError that names the line and the rule it breaks. */
export function parseTrace(text: string): Trace {
  const lines = text.split('\n');
  if (lines.pop() !== '') {
    refuse(lines.length + 1, 'it does not end: the file was cut off, so record the trace again');
  }
  const header = parseHeader(lines[0]);
  const traceState = new TraceState(header.nodes, header.links);
  let before: TraceStep | undefined;
  let sent = 0;
  const steps = lines.slice(1).map((line, i): TraceStep => {
    const number = i + 2;
    const fields = parseLine(line, number);
    const complaint =
      complaintAboutStep(fields, header.nodes) ?? complaintAboutOrder(fields, before, i + 1);
    if (complaint !== undefined) refuse(number, complaint);
    const step = fields as unknown as TraceStep;
    const objection = traceState.objection(step.site, step);
    if (objection !== undefined) refuse(number, `step ${step.step} cannot be: ${objection}`);
    for (const { id } of step.sends) {
      if (id !== ++sent)
        refuse(number, `messages are numbered as they are sent, ${sent} is next, got ${id}`);
    }
    traceState.apply(step);
    before = step;
    return step;
  });
  if (header.loop !== undefined && header.loop > steps.length) {
    refuse(1, `"loop" is one of its ${steps.length} steps, got ${header.loop}`);
  }
  return { header, steps };
}

type Fields = { readonly [name: string]: unknown };

function parseHeader(line: string | undefined): Trace['header'] {
  const rule = 'a trace begins with its header, {"latchkey":"trace","version":1,…}';
  if (line === undefined) return refuse(1, `${rule}, and the file is empty`);
  const header = parseLine(line, 1);
  if (header['latchkey'] !== 'trace') refuse(1, `${rule}, got ${shown(header)}`);
  if (header['version'] !== 1) {
    refuse(1, `"version" is 1, the only one this program reads, got ${shown(header['version'])}`);
  }
  const complaint = complaintAboutHeader(header);
  if (complaint !== undefined) refuse(1, complaint);
  return header as unknown as Trace['header'];
}

function complaintAboutOrder(
  { step, time }: Fields,
  before: TraceStep | undefined,
  next: number,
): string | undefined {
  if (step !== next)
    return `steps are numbered from 1 without a gap, ${next} is next, got ${shown(step)}`;
  if (before === undefined || (time as number) >= before.time) return undefined;
  return `time does not go back, and the step before is at ${before.time}, got ${time}`;
}

function parseLine(line: string, number: number): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    const reason = (cause as Error).message.replace(/\s+/g, ' ');
    throw new UsageError(`line ${number}: each line is one JSON object: ${reason}`, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  return refuse(number, `each line is one JSON object, got ${shown(value)}`);
}

function refuse(line: number, rule: string): never {
  throw new UsageError(`line ${line}: ${rule}`);
}
