/** How results look on a terminal: colour, aligned tables, a progress line that erases itself. */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colour where a person is looking, none in files and pipes. */
export function styler(stream: NodeJS.WriteStream): (style: Style, text: string) => string {
  const colours = stream.isTTY && process.env['NO_COLOR'] === undefined;
  return colours ? styleText : (_, text) => text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what terminals obey.
const ESCAPES = /\u001b\[[0-9;]*m/g;
const widthOf = (text: string): number => [...text.replace(ESCAPES, '')].length;

/** Pads to a width as seen, colours not counted. */
function pad(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? text + space : space + text;
}

/** Rows under a header, columns aligned: numbers to the right, words to the left. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const numeric = header.map((_, c) =>
    rows.every((row) => /^[−-]?[\d.,]*( ?±.*)?$|^–$/.test(row[c]!)),
  );
  const widths = header.map((name, c) =>
    rows.reduce((width, row) => Math.max(width, widthOf(row[c]!)), widthOf(name)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, c) => pad(cell, widths[c]!, numeric[c] ? 'right' : 'left'))
      .join('  ')
      .trimEnd();
  return [header, ...rows].map(line).join('\n');
}

/** 12345678 as "12,345,678"; fractions with at most so many digits. */
export function number(value: number, digits = 2): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/**
 * One line on stderr that is written over while work goes on, and gone when it is done. On anything
 * but a terminal, a line now and then, so that a log shows that it lives.
 */
export class ProgressLine {
  #last = 0;
  #shown = false;
  readonly #everyMs = process.stderr.isTTY ? 100 : 10_000;
  readonly #started = performance.now();

  update(text: () => string): void {
    const now = performance.now();
    if (now - Math.max(this.#last, this.#started) < this.#everyMs) return;
    this.#last = now;
    if (process.stderr.isTTY) {
      const width = process.stderr.columns || 80;
      process.stderr.write(`\r${text().slice(0, width - 1)}\u001b[K`);
      this.#shown = true;
    } else {
      process.stderr.write(`${text()}\n`);
    }
  }

  done(): void {
    if (this.#shown) process.stderr.write('\r\u001b[K');
    this.#shown = false;
  }
}

/** 1234567 as "20 min 34 s": two units at most, as people say it. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${number(seconds, 1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${number(Math.floor(minutes / 60), 0)} h ${minutes % 60} min`;
}
