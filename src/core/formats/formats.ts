/** The formats of a trace, by name. */
import { didYouMean, UsageError } from '../errors.ts';
import { toChrome } from './chrome.ts';
import { toCsv } from './csv.ts';
import { toItf } from './itf.ts';
import { toMermaid } from './mermaid.ts';
import { type Trace, toNative } from './native.ts';
import { toShiviz } from './shiviz.ts';

export interface Format {
  readonly name: string;
  /** What the format is and which tool reads it, in one line. */
  readonly about: string;
  readonly convert: (trace: Trace) => string;
}

export const formats: readonly Format[] = [
  { name: 'native', about: 'JSON Lines, the one that latchkey replays', convert: toNative },
  {
    name: 'itf',
    about: 'states as JSON, for Apalache and Quint tools (.itf.json)',
    convert: toItf,
  },
  { name: 'shiviz', about: 'a log with vector clocks, for ShiViz', convert: toShiviz },
  { name: 'chrome', about: 'trace events as JSON, for ui.perfetto.dev', convert: toChrome },
  {
    name: 'mermaid',
    about: 'a sequence diagram as text, at most 200 messages',
    convert: toMermaid,
  },
  { name: 'csv', about: 'a row for each step, for spreadsheets', convert: toCsv },
];

/** The format of that name. Throws a UsageError that names the nearest if there is none. */
export function findFormat(name: string): Format {
  const names = formats.map((format) => format.name);
  const found = formats.find((format) => format.name === name);
  if (found !== undefined) return found;
  throw new UsageError(
    `there is no format "${name}": take one of ${names.join(', ')}${didYouMean(name, names)}`,
  );
}

/** The trace in that format. Throws a UsageError if the format cannot represent it. */
export function convert(trace: Trace, format: Format): string {
  try {
    return format.convert(trace);
  } catch (error) {
    // The longest possible string has half a gigabyte.
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(
      `a trace of ${trace.steps.length} steps is too long for ${format.name}: simulate with fewer --entries`,
      { cause: error },
    );
  }
}
