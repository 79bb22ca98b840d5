/** What a step changed in a state, in words: a value, and what it was before. */

interface Line {
  /** Null where there is none: an item of a list was added or taken out. */
  readonly now: string | null;
  readonly was: string | null;
}

/** A value and what it was before, line by line: of a list of records, each is a line, so that only what changed is marked. */
export function changesOf(value: unknown, before: unknown): readonly Line[] {
  if (!isRecords(value) || !isRecords(before) || Math.max(value.length, before.length) < 2) {
    return [{ now: shortly(value), was: shortly(before) }];
  }
  const [now, was] = [value.map(lineOf), before.map(lineOf)];
  // What left the head of a queue, or joined its end, moves no other line.
  const gone = was.length > now.length ? was.length - now.length : 0;
  const shift = now.every((line, i) => line === was[i + gone]) ? gone : 0;
  const length = Math.max(now.length + shift, was.length);
  return Array.from({ length }, (_, i) => ({ now: now[i - shift] ?? null, was: was[i] ?? null }));
}

const isRecords = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);

const lineOf = (item: object): string => `· ${shortly(item)}`;

/** A value as the table shows it: sets of sites by their numbers, the rest as JSON without quotes. */
function shortly(value: unknown): string {
  if (value === undefined) return '';
  if (value === null) return '–';
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every((item) => typeof item === 'boolean')) {
      return `{${value.flatMap((item, i) => (item ? [i] : [])).join(', ')}}`;
    }
    const isList = value.some((item) => typeof item === 'object' && item !== null);
    if (isList && value.length > 1) return value.map((item) => lineOf(item)).join('\n');
    return `[${value.map(shortly).join(', ')}]`;
  }
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, inner]) => `${name} ${shortly(inner)}`)
      .join(', ');
  }
  return String(value);
}
