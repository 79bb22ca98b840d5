/**
 * Comma-separated values (RFC 4180): one row for each step, for spreadsheets and data frames.
 * Structured values (messages, sends, states) are JSON within their cell. A field that a step does
 * not have is an empty cell.
 */
import type { TraceStep } from '../trace.ts';
import type { Trace } from './native.ts';

const COLUMNS = [
  'step',
  'time',
  'site',
  'event',
  'mode',
  'from',
  'id',
  'type',
  'message',
  'timer',
  'peer',
  'alive',
  'sides',
  'link',
  'by',
  'enters',
  'sends',
  'draws',
  'timers',
  'forced',
  'state',
] as const;

export function toCsv({ steps }: Trace): string {
  const rows = steps.map((step) => {
    const cells: { readonly [column: string]: unknown } = { ...step, type: typeOf(step) };
    return COLUMNS.map((column) => cell(cells[column])).join(',');
  });
  // The RFC ends every line with both characters, on every system.
  return [COLUMNS.join(','), ...rows].map((row) => `${row}\r\n`).join('');
}

const typeOf = (step: TraceStep): string | undefined =>
  'message' in step ? step.message.type : undefined;

function cell(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
