/**
 * Lending, explored in full in small worlds: the client's end, the daemon's end and the members as they are deployed. Each
 * mutant changes one line of the source, and dies by the property that it violates.
 */
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Exploration, explore } from '../support/explore.ts';
import {
  type LendingSettings,
  type LendingState,
  LendingWorld,
  type Source,
  type Successor,
  sourceIn,
} from '../support/lending-world.ts';
import { type Change, copiesOfSource } from '../support/mutated-source.ts';

const base: LendingSettings = {
  clients: [[3], [1]],
  hows: ['wait'],
  others: 0,
  otherHows: ['wait'],
  reentries: 2,
  crashes: 0,
  delays: 0,
};

interface Report extends Exploration {
  readonly reentries: number;
}

function run(source: Source, settings: LendingSettings, most = 2_000_000): Report {
  const world = new LendingWorld(source, settings);
  let reentries = 0;
  const isWaiting = ({ stage }: { readonly stage: string }) => stage === 'waiting';
  const report = explore<LendingState, Successor>(
    {
      initial: world.initial(),
      successors: (state) => world.successors(state),
      isQuiet: ({ clients, other }) =>
        !isWaiting(other) && !clients.some(({ callers }) => callers.some(isWaiting)),
      seen: ({ isReentry }) => {
        if (isReentry) reentries++;
      },
    },
    most,
  );
  return { ...report, reentries };
}

const other = { clients: [[3]], others: 1 };

describe('proved of lending', () => {
  test.each<{ name: string; settings: Partial<LendingSettings>; states: number }>([
    { name: 'two clients of one daemon', settings: {}, states: 7_061 },
    { name: 'another member', settings: other, states: 7_653 },
    { name: 'a client that dies', settings: { crashes: 1 }, states: 19_101 },
    {
      name: 'a client that dies, and another member',
      settings: { ...other, crashes: 1 },
      states: 11_433,
    },
    { name: 'two callers of one client', settings: { clients: [[2, 2]] }, states: 20_098 },
    {
      name: 'tries of clients',
      settings: { clients: [[2], [1]], hows: ['wait', 'try'] },
      states: 10_945,
    },
    { name: 'a try of another member', settings: { ...other, otherHows: ['try'] }, states: 15_309 },
    {
      name: 'a reader of another member',
      settings: { ...other, otherHows: ['read'] },
      states: 9_710,
    },
    {
      name: 'steals of clients',
      settings: { clients: [[2], [1]], hows: ['wait', 'steal'] },
      states: 35_279,
    },
    {
      name: 'a steal of another member',
      settings: { ...other, otherHows: ['steal'] },
      states: 11_652,
    },
    {
      name: 'a client that is slow to answer',
      settings: { ...other, clients: [[2]], otherHows: ['try', 'steal'], delays: 1 },
      states: 9_930,
    },
  ])('with $name', async ({ settings, states }) => {
    const report = run(await sourceIn(resolve('src')), { ...base, ...settings });
    expect(report.violation).toBeUndefined();
    expect(report.reentries).toBeGreaterThan(0);
    expect(report.states).toBe(states);
  });
});

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
