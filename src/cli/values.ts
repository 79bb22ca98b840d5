/** Values from the command line: each is read once, here, and refused with the rule it breaks. */
import { readFileSync, statSync } from 'node:fs';
import { UsageError } from '../core/errors.ts';

/** A parser for commander: a whole number within bounds. */
export function whole(flag: string, min: number, max = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^[+-]?\d+$/.test(text.trim()) || value < min || value > max) {
      const bounds = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
      throw new UsageError(`${flag} takes a whole number, ${bounds}, got "${text}"`);
    }
    return value;
  };
}

/** A parser for commander: the lease of an engine on a store. */
export const leaseMs = whole('--lease-ms', 500, 3_600_000);

/** A parser for commander: any number within bounds. */
export function real(flag: string, min: number, max = Number.POSITIVE_INFINITY, open = false) {
  return (text: string): number => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    const fits = Number.isFinite(value) && value <= max && (open ? value > min : value >= min);
    if (!fits) {
      const least = open ? `greater than ${min}` : `${min} or more`;
      const range = open ? `${least}, at most ${max}` : `from ${min} to ${max}`;
      const bounds = max === Number.POSITIVE_INFINITY ? least : range;
      throw new UsageError(`${flag} takes a number, ${bounds}, got "${text}"`);
    }
    return value;
  };
}

/** A parser for commander: one of a few words. */
export function oneOf<const W extends string>(flag: string, words: readonly W[]) {
  return (text: string): W => {
    const word = words.find((w) => w === text);
    if (word === undefined) {
      throw new UsageError(`${flag} takes ${words.join(' or ')}, got "${text}"`);
    }
    return word;
  };
}

/** For options that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  value,
];

/** A text that is larger than this does not fit the memory that reading it takes. */
const MAX_FILE_BYTES = 268_435_456;

/** The text of a file the user named. */
export function textOf(flag: string, path: string, maxBytes = MAX_FILE_BYTES): string {
  try {
    const { size } = statSync(path);
    if (size <= maxBytes) return readFileSync(path, 'utf8');
    const rule = `at most ${maxBytes} bytes can be read`;
    throw new UsageError(`${flag} cannot read "${path}": it has ${size} bytes, and ${rule}`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${flag} cannot read "${path}": ${reasonOf(error as Error)}`);
  }
}

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'no such file',
  EISDIR: 'it is a directory',
  EACCES: 'this user may not read it',
};
const reasonOf = (error: NodeJS.ErrnoException): string =>
  REASONS[error.code ?? ''] ?? error.message;
