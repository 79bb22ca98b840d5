/** Each mutant of lending changes one line of the source, and dies by the property that it violates. */
import { expect, test } from 'vitest';
import { base, other, run } from '../support/lending-runs.ts';
import { type LendingSettings, sourceIn } from '../support/lending-world.ts';
import { type Change, copiesOfSource } from '../support/mutated-source.ts';

interface Mutant extends Change {
  readonly name: string;
  readonly violates: string;
  readonly settings?: Partial<LendingSettings>;
}

const mutants: readonly Mutant[] = [
  {
    name: 'a client gives back what a caller is inside by',
    file: 'client/loans.ts',
    line: "if (loan.isInside) return { type: 'using', reentries: loan.used };",
    becomes: '',
    violates: 'mutual-exclusion',
  },
  {
    name: 'a client does not answer if no caller is inside',
    file: 'client/loans.ts',
    line: "return { type: 'done' };",
    becomes: 'return undefined;',
    violates: 'recall-answered',
  },
  {
    name: 'a client goes on when its fences are used up',
    file: 'client/loans.ts',
    line: 'if (!loan.isRecalled && loan.left > 0) return true;',
    becomes: 'if (!loan.isRecalled) return true;',
    violates: 'fences-grow',
    settings: { clients: [[3], [1]], reentries: 1 },
  },
  {
    name: 'a client enters by a loan while an earlier request of its own waits',
    file: 'client/requests.ts',
    line: 'const back = this.loans.giveUp(name);',
    becomes: 'const back = undefined as number | undefined;',
    violates: 'in-order',
    settings: { clients: [[2, 2]] },
  },
  {
    name: 'a client keeps a loan although another request of its own has been made meanwhile',
    file: 'client/requests.ts',
    line: 'if (other.id !== id && other.name === name) this.loans.giveUp(name);',
    becomes: '',
    violates: 'in-order',
    settings: { clients: [[2, 2]] },
  },
  {
    name: 'a daemon does not wait for the answer',
    file: 'daemon/served-request.ts',
    line: 'this.#session.recall(this);',
    becomes: 'this.used(0);',
    violates: 'try-is-honest',
    settings: { ...other, otherHows: ['try'] },
  },
  {
    name: 'a member reserves no fences',
    file: 'group/node.ts',
    line: ' + reentries * this.size;\n    return this.clock - reentries * this.size;',
    becomes: ';\n    return this.clock;',
    violates: 'fences-grow',
  },
  {
    name: 'a lock that is lent counts as taken for a try',
    file: 'group/probe.ts',
    line: ' - (this.#lock.lent === null ? 0 : 1)',
    becomes: '',
    violates: 'try-is-honest',
    settings: { hows: ['wait', 'try'] },
  },
  {
    name: 'a member answers a probe before its client has answered',
    file: 'group/probe.ts',
    line: 'if (this.watchers === null || this.#lock.lent !== null) return;',
    becomes: 'if (this.watchers === null) return;',
    violates: 'try-is-honest',
    settings: { ...other, otherHows: ['try'] },
  },
  {
    name: 'a steal does not wait for the answer',
    file: 'group/stealing.ts',
    line: 'if (lock.lent === null) lock.lose(',
    becomes: 'lock.lose(',
    violates: 'mutual-exclusion',
    settings: { ...other, otherHows: ['steal'] },
  },
  {
    name: 'a member does not ask back what another member wants',
    file: 'group/lending.ts',
    line: ' || sites.isAwaited(site);',
    becomes: ' || (false && sites.isAwaited(site));',
    violates: 'nobody-waits-for-ever',
    settings: other,
  },
  {
    name: 'a member does not ask back what another caller here wants',
    file: 'group/lending.ts',
    line: 'queue.first !== null || stealing',
    becomes: 'stealing',
    violates: 'nobody-waits-for-ever',
  },
  {
    name: 'a member does not pass on what came back',
    file: 'group/lock.ts',
    line: 'this.membership.freed(this);\n    }\n    this.advance();',
    becomes: 'this.membership.freed(this);\n    }',
    violates: 'nobody-waits-for-ever',
    settings: other,
  },
  {
    name: 'a member does not notice that a loan has come back',
    file: 'group/lock.ts',
    line: 'if (request === this.lent) this.lent = null;',
    becomes: '',
    violates: 'nobody-waits-for-ever',
    settings: { ...other, otherHows: ['try'] },
  },
];

const copyOf = copiesOfSource('lending');

test.each(mutants)('$name: dies by $violates', async ({ violates, settings, ...change }) => {
  const report = run(await sourceIn(copyOf(change)), { ...base, ...settings });
  expect(report.violation?.property).toBe(violates);
});
