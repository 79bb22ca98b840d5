/**
 * The line of `directory-token`: sites that wait, as lists. No list is changed in place. So all empty lists are one, and
 * the state of an idle site is small. Objects are written out: a spread takes several times as long.
 */
import type { Mode, NodeId } from '../../core/algorithm.ts';
import { freeze } from '../../core/plain.ts';

export const DIRECTORY: NodeId = 0;
/** Requests to write are numbered 0 and 1 by turns, requests to read 2 and 3. */
export const FIRST_READ = 2;

export type Line = {
  line: readonly NodeId[]; //    the sites that wait, in the order in which they enter
  readers: readonly NodeId[]; // those of them that wait to read, in the same order
};

export type Followers = Line & {
  numbers: number[]; // of their requests, in the same order
};

export type Token = Line & {
  credit: number; // how many sites may still be put at the head, before the sites in line
  roams: boolean; // another site had asked before the one that has it
};

export const NONE: NodeId[] = freeze([]);
export const NOBODY: Followers = freeze({ line: NONE, readers: NONE, numbers: NONE });

/** Free tokens by the number of sites: see `freeToken`. */
const roaming: Token[] = [];
const staying: Token[] = [];

/**
 * A token that no site waits for, in a world of n sites. Nearly all tokens are such, so each is made once. The state of an idle
 * site is old, and an old object that refers to a new one makes every garbage collection longer.
 */
export function freeToken(n: number, roams: boolean): Token {
  const tokens = roams ? roaming : staying;
  tokens[n] ??= freeze({ line: NONE, readers: NONE, credit: n, roams });
  return tokens[n];
}

/** The list as a new one, without j. */
export function without(list: NodeId[], j: NodeId): NodeId[] {
  const rest = list.filter((i) => i !== j);
  return rest.length === 0 ? NONE : rest;
}

/** If j waits to write, its place in line becomes a reader's. */
export function withReader(token: Token, j: NodeId): Token {
  const { line, readers, credit, roams } = token;
  const place = line.indexOf(j);
  if (place === -1 || readers.includes(j)) return token;
  const all = line.filter((i, at) => at === place || readers.includes(i));
  return { line, readers: all, credit, roams };
}

/** With one site more at the end of the line. */
export function withSite(token: Token, j: NodeId, mode: Mode, credit = token.credit): Token {
  const { line, readers, roams } = token;
  const all = mode === 'shared' ? withLast(readers, j) : readers;
  return { line: withLast(line, j), readers: all, credit, roams };
}

export function withFollower(to: Followers, j: NodeId, n: number, mode: Mode): Followers {
  const readers = mode === 'shared' ? [...to.readers, j] : to.readers;
  return { line: [...to.line, j], readers, numbers: [...to.numbers, n] };
}

/** Every hand-over makes such a list. A spread makes room for sixteen sites more, and so takes three times the memory. */
function withLast(list: readonly NodeId[], j: NodeId): NodeId[] {
  const longer = new Array<NodeId>(list.length + 1);
  for (let i = 0; i < list.length; i++) longer[i] = list[i]!;
  longer[list.length] = j;
  return longer;
}

export const behindFirst = (list: readonly NodeId[]): readonly NodeId[] =>
  list.length === 1 ? NONE : list.slice(1);
