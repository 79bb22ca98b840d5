/** Parsers for topologies written as text: edges for trees and graphs, sets for quorums. */
import type { NodeId } from '../core/algorithm.ts';
import { UsageError } from '../core/errors.ts';
import type { Edge } from './adjacency.ts';

/** One edge per line, as in `0 1`; a `#` begins a comment. Errors name the line. */
export function parseEdges(text: string, n: number): readonly Edge[] {
  const seen = new Map<number, number>();
  return [...linesOf(text)].map(({ line, number }) => {
    const [, a, b] = /^(\d+)\s+(\d+)$/.exec(line) ?? refuse(number, 'an edge, as in "0 1"', line);
    const i = site(a!, n, number);
    const j = site(b!, n, number);
    if (i === j) throw new UsageError(`line ${number}: an edge joins two nodes, got ${i} twice`);
    const key = Math.min(i, j) * n + Math.max(i, j);
    const before = seen.get(key);
    if (before !== undefined) {
      throw new UsageError(`line ${number}: the edge ${i} ${j} is already on line ${before}`);
    }
    seen.set(key, number);
    return [i, j];
  });
}

/**
 * One line per site, as in `0: 0 1 2`, or with several sets as in `0: 0 1 2 | 0 3`. Returns a list
 * of sets, ascending, for each name of a set. Errors name the line, or the site that has none.
 */
export function parseSets(
  text: string,
  n: number,
  names: readonly string[],
): readonly (readonly (readonly NodeId[])[])[] {
  const example = (me: NodeId) => `${me}: ${names.map(() => '0 1').join(' | ')}`;
  const sets = names.map(() => new Array<readonly NodeId[] | undefined>(n).fill(undefined));
  for (const { line, number } of linesOf(text)) {
    const [, head, rest] =
      /^(\d+)\s*:([\d\s|]*)$/.exec(line) ??
      refuse(number, `a site and its sets, as in "${example(0)}"`, line);
    const me = site(head!, n, number);
    if (sets[0]![me] !== undefined) {
      throw new UsageError(`line ${number}: site ${me} already has a line`);
    }
    const parts = rest!.split('|');
    if (parts.length !== names.length) {
      refuse(number, `${names.length} sets (${names.join(' | ')}), as in "${example(0)}"`, line);
    }
    for (const [s, part] of parts.entries()) {
      const words = part.split(/\s+/).filter((word) => word !== '');
      const members = [...new Set(words.map((word) => site(word, n, number)))];
      if (members.length !== words.length) {
        throw new UsageError(`line ${number}: a set names each site once, got "${part.trim()}"`);
      }
      sets[s]![me] = members.sort((a, b) => a - b);
    }
  }
  return sets.map((perSite) =>
    perSite.map((set, me) => {
      if (set !== undefined) return set;
      throw new UsageError(`site ${me} of ${n} has no line: write one as in "${example(me)}"`);
    }),
  );
}

function* linesOf(text: string): Generator<{ readonly line: string; readonly number: number }> {
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/#.*/, '').trim();
    if (line !== '') yield { line, number: index + 1 };
  }
}

function site(word: string, n: number, line: number): NodeId {
  const id = Number(word);
  if (id < n) return id;
  throw new UsageError(`line ${line}: there is no node ${word}, the ${n} are numbered from 0`);
}

function refuse(line: number, expected: string, got: string): never {
  throw new UsageError(`line ${line}: expected ${expected}, got "${got}"`);
}
