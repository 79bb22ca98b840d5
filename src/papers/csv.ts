/** A figure's data as CSV (RFC 4180), one line for each point or bar. */
import type { BarFigure, Figure, Series } from './figure.ts';

type Cell = string | number | null | undefined;

export const asCsv = (figure: Figure): string =>
  figure.kind === 'bars' ? bars(figure) : points(figure.series);

function points(series: readonly Series[]): string {
  const lines = series.flatMap(({ name, points: own, formulaOf }) =>
    own.map(({ x, y, ci95 }): Cell[] => [
      ...[name, formulaOf === undefined ? 'measured' : 'formula', x, y, ci95],
    ]),
  );
  return csv(['series', 'kind', 'x', 'y', 'ci95'], lines);
}

function bars({ groups, bars: own }: BarFigure): string {
  const lines = own.flatMap(({ name, values, marks }) =>
    values.map((value, i): Cell[] => [name, groups[i], value, marks?.[i]]),
  );
  return csv(['bar', 'group', 'value', 'mark'], lines);
}

const csv = (head: readonly string[], lines: readonly (readonly Cell[])[]): string =>
  `${[head, ...lines].map((line) => line.map(cell).join()).join('\r\n')}\r\n`;

function cell(value: Cell): string {
  const text = String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
