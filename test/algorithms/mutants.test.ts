/**
 * One line wrong, and the checker must say so. Each mutant is a change of the source of an algorithm,
 * so that what is broken here is what is deployed there; if the line changes, so must the mutant.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mode } from '../../src/core/algorithm.ts';

interface Mutant {
  readonly name: string;
  readonly id: string;
  /** What to change in its file, or in another: a text that stands there exactly once. */
  readonly line: string;
  readonly becomes: string;
  readonly file?: string;
  /** The property that the checker finds violated. */
  readonly violates: string;
  readonly nodes?: number;
  readonly topology?: string;
  readonly options?: readonly string[];
  readonly entries?: readonly number[];
  readonly modes?: readonly Mode[];
  readonly downgrade?: boolean;
}

const mutants: readonly Mutant[] = [
  {
    name: 'lamport breaks no ties',
    id: 'lamport',
    line: '(queue[i] === queue[j] && i < j)',
    becomes: 'false',
    violates: 'mutual-exclusion',
    nodes: 2,
  },
  {
    name: 'lamport does not wait to hear from everyone',
    id: 'lamport',
    line: 'site.others.some((j) => !my.later[j] || isBefore(my, j, site.me))) return;',
    becomes: 'site.others.some((j) => isBefore(my, j, site.me))) return;',
    violates: 'mutual-exclusion',
    nodes: 2,
  },
  {
    name: 'ricart-agrawala loses a deferred REPLY',
    id: 'ricart-agrawala',
    line: 'my.deferred[from] = mode;',
    file: 'ricart-agrawala/parallel.ts',
    becomes: '',
    violates: 'deadlock-freedom',
  },
  {
    name: 'central forgets who left',
    id: 'central',
    line: 'my.inside.splice(my.inside.indexOf(from), 1);',
    becomes: '',
    violates: 'deadlock-freedom',
  },
  {
    name: 'suzuki-kasami does not record that its request was granted',
    id: 'suzuki-kasami',
    line: 'granted[site.me] = my.asked[site.me]!;',
    becomes: '',
    violates: 'assertion',
  },
  {
    name: 'lending-token sends the token to a writer while copies are lent',
    id: 'lending-token',
    line: 'if (!reads && (my.lent.length > 0 || my.inside)) return;',
    becomes: 'if (!reads && my.inside) return;',
    violates: 'every copy is known to the holder of the token',
    modes: ['exclusive', 'shared'],
  },
  {
    name: 'lending-token does not recall again the copies that it let others keep',
    id: 'lending-token',
    line: 'my.recalled = [];',
    becomes: '',
    violates: 'deadlock-freedom',
    modes: ['exclusive', 'shared'],
    downgrade: true,
  },
  {
    name: 'lending-token does not let those keep their copies who were asked for a writer that downgraded',
    id: 'lending-token',
    line: 'if (my.recalled.length > 0) letKeep(my, site);',
    becomes: '',
    violates: 'a copy is recalled only for a writer',
    modes: ['exclusive', 'shared'],
    downgrade: true,
  },
  {
    name: 'carvalho-roucairol goes in by what it had to read, before it is answered for what it wanted to write',
    id: 'carvalho-roucairol',
    line: 'my.permitted[j] = null; // what we have of it may be to read, but its answer is to come, and counts',
    becomes: '',
    violates: 'assertion',
    modes: ['exclusive', 'shared'],
    downgrade: true,
  },
  {
    name: 'carvalho-roucairol takes for a permission to write what comes after it has downgraded',
    id: 'carvalho-roucairol',
    line: 'my.permitted[from] = my.mode;',
    becomes: "my.permitted[from] = 'exclusive';",
    violates: 'a permission to write is the only one of its pair',
    modes: ['exclusive', 'shared'],
    downgrade: true,
  },
  {
    name: 'lending-token does not stand in line again as it leaves',
    id: 'lending-token',
    line: 'lendingToken.request(my, site, mode);',
    becomes: 'lendingToken.release(my, site); void mode;',
    violates: 'deadlock-freedom',
  },
  {
    name: 'directory-token keeps a request that the directory forwarded behind an earlier one',
    id: 'directory-token',
    line: "(my.stage === 'asksToWrite' && behind === my.n) ||",
    becomes: "(my.stage === 'asksToWrite' && behind !== PASSED) ||",
    violates: 'deadlock-freedom',
  },
  {
    name: 'directory-token sends the token to a writer while copies are lent',
    id: 'directory-token',
    line: "if (!reads && (my.lent.length > 0 || my.stage === 'inside')) {",
    becomes: "if (!reads && my.stage === 'inside') {",
    violates: 'every copy is known to the holder of the token',
    modes: ['exclusive', 'shared'],
  },
  {
    name: 'directory-token lends a second copy to a site whose first is still on its way back',
    id: 'directory-token',
    line: 'if (my.lent.includes(next)) break;',
    becomes: '',
    violates: 'every copy is known to the holder of the token',
    modes: ['exclusive', 'shared'],
    downgrade: true,
  },
  {
    name: 'directory-token keeps the requests behind a writer that has downgraded',
    id: 'directory-token',
    line: "follow(my, site, j, numbers[i]!, readers.includes(j) ? 'shared' : 'exclusive');",
    becomes: 'void numbers, readers, i, j;',
    violates: 'deadlock-freedom',
    modes: ['exclusive', 'shared'],
    downgrade: true,
  },
  {
    name: 'directory-token lets a writer in with a copy that an earlier DOWNGRADE brought it',
    id: 'directory-token',
    line: "if (my.mode === 'shared') enter(my, site);",
    becomes: 'enter(my, site); if (my.mode === null) return;',
    violates: 'mutual-exclusion',
    modes: ['exclusive', 'shared'],
    downgrade: true,
  },
  {
    name: 'directory-token lets a reader follow the token for ever',
    id: 'directory-token',
    line: '} else if (my.last !== null && behind === PASSED && n !== KNOWN) {',
    becomes: '} else if (my.last !== null && behind < 0) {',
    violates: 'starvation-freedom',
    modes: ['exclusive', 'shared'],
    entries: [Infinity, Infinity, 0],
  },
  {
    name: 'directory-token lets a writer overtake a request that comes back to the directory',
    id: 'directory-token',
    line: 'if (my.last!.site === from) [my.last!.site, my.last!.n] = [DIRECTORY, my.n];',
    becomes: '[my.last!.site, my.last!.n] = [DIRECTORY, my.n];',
    violates: 'starvation-freedom',
    entries: [Infinity, Infinity, Infinity],
  },
  {
    name: 'directory-token lets sites that ask anew enter before the line for ever',
    id: 'directory-token',
    line: 'const credit = token.line.length === 0 ? n : token.credit - line.length;',
    becomes: 'const credit = token.line.length === 0 ? n : token.credit - 0;',
    violates: 'starvation-freedom',
    entries: [Infinity, Infinity, Infinity],
  },
  {
    name: 'lending-coordinator forgets a RECALL that overtook its GRANT',
    id: 'lending-coordinator',
    line: 'my.mustReturn ||= !keep;',
    becomes: 'my.mustReturn = !keep;',
    violates: 'deadlock-freedom',
  },
  {
    name: 'lending-coordinator recalls no permit',
    id: 'lending-coordinator',
    line: "for (const j of my.keepers) site.send(j, { type: 'RECALL' });",
    becomes: '',
    violates: 'deadlock-freedom',
  },
  {
    name: 'raymond does not ask again after it passed the privilege on',
    id: 'raymond',
    line: 'my.asked = false;',
    file: 'raymond/privilege.ts',
    becomes: '',
    violates: 'ASKED exactly if HOLDER has the REQUEST or will get it (section 3.3, figure 4)',
  },
  {
    name: 'raymond forgets a REQUEST that overtook the PRIVILEGE',
    id: 'raymond',
    options: ['defer'],
    line: 'if (!my.early) return;',
    file: 'raymond/privilege.ts',
    becomes: 'my.early = false;\n  if (!my.early) return;',
    violates: 'ASKED exactly if HOLDER has the REQUEST or will get it (section 3.3, figure 4)',
  },
  {
    name: 'ricart-agrawala never sees the number of a REQUEST that it put aside',
    id: 'ricart-agrawala',
    options: ['delay-acting'],
    line: 'if (my.unseen[j]) see(my, site, my.unseen[j], my.deferred[j]!);',
    file: 'ricart-agrawala/parallel.ts',
    becomes: '',
    violates: 'mutual-exclusion',
  },
  {
    name: 'naimi-trehel does not turn its pointer to the one who asks',
    id: 'naimi-trehel',
    line: 'my.last = origin;',
    file: 'naimi-trehel/queue.ts',
    becomes: '',
    violates: 'mutual-exclusion',
  },
  {
    name: 'neilsen-mizuno keeps the token that it sends',
    id: 'neilsen-mizuno',
    line: 'my.holding = my.next === null;',
    becomes: 'my.holding = true;',
    violates: 'token-uniqueness',
  },
  {
    name: 'carvalho-roucairol keeps a permission that it has given away',
    id: 'carvalho-roucairol',
    line: "my.permitted[j] = mode === 'shared' && my.permitted[j] ? 'shared' : null;",
    becomes: 'void mode;',
    violates: 'a permission to write is the only one of its pair',
  },
  {
    name: 'singhal-dynamic does not ask again whom it let go before it',
    id: 'singhal-dynamic',
    line: 'if (mustRepeatRequest) ask(my, site, from);',
    becomes: 'void mustRepeatRequest;',
    violates: 'deadlock-freedom',
  },
  {
    name: 'lodha-kshemkalyani takes a FLUSH for a permission',
    id: 'lodha-kshemkalyani',
    line: 'FLUSH(my, site, from, { last }) {',
    becomes: 'FLUSH(my, site, from, { last }) { if (my.ours !== 0) my.replied[from] = true;',
    violates: 'mutual-exclusion',
    entries: [2, 2, 1],
  },
  {
    name: 'lodha-kshemkalyani forgets what is finished',
    id: 'lodha-kshemkalyani',
    line: 'if (isBefore(my.done, request)) insert(',
    file: 'lodha-kshemkalyani/queue.ts',
    becomes: 'insert(',
    violates: 'deadlock-freedom',
  },
];

// By process: two runs at once must not sweep each other's copies away.
const folder = resolve(`test/.mutants/${process.pid}`);
beforeAll(() => mkdirSync(folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A copy of the source with one change in it: checker and all, so that nothing else is mixed in. */
async function mutate({ id, line, becomes, file = `${id}.ts` }: Mutant, index: number) {
  const source = readFileSync(join('src/algorithms', file), 'utf8');
  expect(source.split(line).length - 1, `"${line}" stands once in ${file}`).toBe(1);
  const copy = join(folder, `${index}`);
  cpSync('src', copy, { recursive: true });
  writeFileSync(
    join(copy, 'algorithms', file),
    source.replace(line, () => becomes),
  );
  const { check }: typeof import('../../src/check/check.ts') = await import(
    join(copy, 'check/check.ts')
  );
  const { find }: typeof import('../../src/algorithms/catalogue.ts') = await import(
    join(copy, 'algorithms/catalogue.ts')
  );
  const { makeWorld }: typeof import('../../src/topologies/world.ts') = await import(
    join(copy, 'topologies/world.ts')
  );
  return { algorithm: find(id), check, makeWorld };
}

describe('the checker kills', () => {
  test.each(mutants.map((mutant, index) => ({ ...mutant, index })))('$name', async (mutant) => {
    const {
      nodes = 3,
      topology,
      options,
      entries,
      modes,
      downgrade = false,
      violates,
      index,
    } = mutant;
    const { algorithm, check, makeWorld } = await mutate(mutant, index);
    const world = makeWorld(algorithm, { nodes, topology, options });
    const settings = { downgrade, ...(entries && { entries }), ...(modes && { modes }) };
    const report = check(algorithm, world, { maxStates: 500_000, ...settings });
    expect(report.violation?.property).toBe(violates);
    expect(report.trace!.length).toBeGreaterThan(0);
  });
  test('ten of them or more', () => expect(mutants.length).toBeGreaterThanOrEqual(10));
});
