/** The register of the engine `leased`, as plain data: what each key holds. It is linearizable and durable. */
import type { RegisterAnswer, RegisterOperation } from '../../group/register.ts';

export interface Register {
  readonly [key: string]: { readonly revision: string; readonly value: string };
}

const IDENTITY = 'register';

/** The first revision that a step gives out: it is above all known revisions, which are renamed after each step. */
const FRESH = 1000;

/** The register after an operation, and the answer. */
export function applied(
  register: Register,
  operation: RegisterOperation,
): { readonly register: Register; readonly answer: RegisterAnswer } {
  const identity = IDENTITY;
  if (operation.type === 'identity') return { register, answer: { type: 'identity', identity } };
  if (operation.type === 'read') {
    const keys = Object.keys(register).filter((key) => key.startsWith(operation.keys));
    const records = keys.map((key) => ({ key, ...register[key]! }));
    return { register, answer: { type: 'records', records, identity } };
  }
  const { key, revision: expected, value } = operation;
  const found = register[key];
  if ((found?.revision ?? null) !== expected) {
    return { register, answer: { type: 'set', outcome: 'conflict', identity } };
  }
  const revision = String(Math.max(FRESH, Number(found?.revision ?? 0)) + 1);
  const { [key]: _, ...others } = register;
  const entries = Object.entries(
    value === null ? others : { ...others, [key]: { revision, value } },
  );
  const sorted = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  return { register: sorted, answer: { type: 'set', outcome: 'done', revision, identity } };
}

/** The answer to a process that cannot know the outcome of its call. */
export const unknownOutcome = ({ type }: RegisterOperation): RegisterAnswer =>
  type === 'compareAndSet'
    ? { type: 'set', outcome: 'unknown' }
    : { type: 'failed', error: 'no answer' };
