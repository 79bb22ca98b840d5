/**
 * The names of writes: revisions of keys, and nonces. The engine only compares them for equality, and a name that
 * nothing refers to is never compared again. So after each step the names in use are replaced by the numbers
 * from 1, in the order of the writes: without that, no state would ever recur.
 */
import type { RegisterAnswer, RegisterOperation } from '../../group/register.ts';
import type { EngineSnapshot, WriteNames } from './leased-processes.ts';
import type { Flight } from './leasing.ts';
import { type Local, memberName } from './processes.ts';
import type { Register } from './register.ts';

/** The numbers in use, by key; nonces have a key for each owner. */
export type NamesInUse = ReadonlyMap<string, ReadonlySet<number>>;
/** The new number of each, where one changes. */
type Renaming = ReadonlyMap<string, ReadonlyMap<number, number>>;

const nonceKey = (owner: string): string => `nonce ${owner}`;

export class Names {
  readonly #snapshot: EngineSnapshot;

  constructor(snapshot: EngineSnapshot) {
    this.#snapshot = snapshot;
  }

  inLocal(local: Local): NamesInUse {
    return collected((names) => this.#local(local, names));
  }

  inRegister(register: Register): NamesInUse {
    return collected((names) => this.#register(register, names));
  }

  renamedLocal(local: Local, renaming: Renaming): Local {
    return this.#local(local, namesBy(renaming));
  }

  renamedRegister(register: Register, renaming: Renaming): Register {
    return this.#register(register, namesBy(renaming));
  }

  #local(local: Local, names: WriteNames): Local {
    const self = memberName(local.id);
    // A process never looks at the nonces of others.
    const own: WriteNames = {
      revision: names.revision,
      nonce: (owner, nonce) => (owner === self ? names.nonce(owner, nonce) : 0),
    };
    const { node, leased } = local;
    const flights = leased!.flights.map((flight) => this.#flight(flight, own));
    const engine = node && this.#snapshot.renamed(node.engine, self, own);
    return {
      ...local,
      node: node && { ...node, engine: engine! },
      leased: { ...leased!, flights },
    };
  }

  #flight({ call, operation, isPending, answer }: Flight, names: WriteNames): Flight {
    return {
      call,
      operation: this.#operation(operation, names),
      isPending,
      answer: this.#answer(operation, answer, names),
    };
  }

  #operation(operation: RegisterOperation, names: WriteNames): RegisterOperation {
    if (operation.type !== 'compareAndSet') return operation;
    const { key, revision, value } = operation;
    return {
      ...operation,
      revision: revision === null ? null : names.revision(key, revision),
      value: value === null ? null : this.#snapshot.renamedValue(key, value, names),
    };
  }

  #answer(operation: RegisterOperation, answer: RegisterAnswer, names: WriteNames): RegisterAnswer {
    if (answer.type === 'records') {
      const records = answer.records.map(({ key, value, revision }) => ({
        key,
        value: this.#snapshot.renamedValue(key, value, names),
        revision: names.revision(key, revision),
      }));
      return { ...answer, records };
    }
    if (answer.type !== 'set' || answer.revision === undefined) return answer;
    if (operation.type !== 'compareAndSet') return answer;
    return { ...answer, revision: names.revision(operation.key, answer.revision) };
  }

  #register(register: Register, names: WriteNames): Register {
    const entries = Object.entries(register).map(([key, { revision, value }]) => [
      key,
      {
        revision: names.revision(key, revision),
        value: this.#snapshot.renamedValue(key, value, names),
      },
    ]);
    return Object.fromEntries(entries);
  }
}

function collected(visit: (names: WriteNames) => unknown): NamesInUse {
  const found = new Map<string, Set<number>>();
  const add = (key: string, number: number) => {
    const numbers = found.get(key) ?? new Set();
    found.set(key, numbers.add(number));
  };
  visit({
    revision: (key, revision) => {
      add(key, Number(revision));
      return revision;
    },
    nonce: (owner, nonce) => {
      add(nonceKey(owner), nonce);
      return nonce;
    },
  });
  return found;
}

const namesBy = (renaming: Renaming): WriteNames => ({
  revision: (key, revision) => String(renaming.get(key)?.get(Number(revision)) ?? Number(revision)),
  nonce: (owner, nonce) => renaming.get(nonceKey(owner))?.get(nonce) ?? nonce,
});

/** How the names in use in all parts of a state become the numbers from 1; and a text that tells it apart. */
export function renamingOf(parts: readonly NamesInUse[]): { renaming: Renaming; text: string } {
  const all = new Map<string, Set<number>>();
  for (const part of parts) {
    for (const [key, numbers] of part) {
      const merged = all.get(key) ?? new Set();
      for (const number of numbers) merged.add(number);
      all.set(key, merged);
    }
  }
  const renaming = new Map<string, ReadonlyMap<number, number>>();
  let text = '';
  for (const [key, numbers] of all) {
    const sorted = [...numbers].sort((a, b) => a - b);
    if (sorted.every((number, i) => number === i + 1)) continue;
    renaming.set(key, new Map(sorted.map((number, i) => [number, i + 1])));
    text += `${key}:${sorted};`;
  }
  return { renaming, text };
}
