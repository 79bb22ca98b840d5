/** A store in memory, and a register on it whose faults tests choose. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Register } from '../../src/engines/register.ts';
import type { ReadResult, RegisterRecord, SetResult } from '../../src/group/register.ts';

interface Snapshot {
  readonly identity: string;
  readonly records: ReadonlyMap<string, RegisterRecord>;
}

/** The data of one store, with its history: no revision is used twice, not even after a rollback. */
export class MemoryStore {
  identity = 'store 1';
  #records: ReadonlyMap<string, RegisterRecord> = new Map();
  #revision = 0;
  #identities = 1;
  readonly #history: Snapshot[] = [];
  /** Is called after each write. */
  onWrite: ((key: string, value: string | null) => void) | null = null;

  /** What a read showed so many writes ago. */
  read(keys: string, writesAgo = 0): ReadResult {
    const { records, identity } =
      writesAgo === 0 ? this.#now() : (this.#history.at(-writesAgo) ?? this.#now());
    return { identity, records: [...records.values()].filter(({ key }) => key.startsWith(keys)) };
  }

  compareAndSet(key: string, revision: string | null, value: string | null): SetResult {
    const { identity } = this;
    if ((this.#records.get(key)?.revision ?? null) !== revision) {
      return { outcome: 'conflict', identity };
    }
    this.#keep();
    const next = `${++this.#revision}`;
    const records = new Map(this.#records);
    if (value === null) records.delete(key);
    else records.set(key, { key, value, revision: next });
    this.#records = records;
    this.onWrite?.(key, value);
    return { outcome: 'done', revision: next, identity };
  }

  /** The store loses its last writes; by default one can tell. */
  rollBack(writes: number, isNoticed = true): void {
    const { records } = this.#history.at(-writes) ?? { records: new Map() };
    this.#keep();
    this.#records = records;
    if (isNoticed) this.identity = `store ${++this.#identities}`;
  }

  /** A second primary with the same data, and with the same identity. */
  split(): MemoryStore {
    const other = new MemoryStore();
    other.identity = this.identity;
    other.#records = this.#records;
    // Revisions of the two never meet: a real store's may, which would be worse.
    other.#revision = this.#revision + 1_000_000_000;
    other.onWrite = this.onWrite;
    return other;
  }

  #now(): Snapshot {
    return { identity: this.identity, records: this.#records };
  }

  #keep(): void {
    this.#history.push(this.#now());
    if (this.#history.length > 400) this.#history.splice(0, 200);
  }
}

/** What goes wrong with one call. */
export interface RegisterFault {
  readonly delayMs?: number;
  /** No answer: the call was lost, or was carried out and its answer was lost. */
  readonly lost?: 'call' | 'answer';
  /** A read shows what was there so many writes ago. */
  readonly stale?: number;
}

/** A client of the store. Its faults are asked for before each call. */
export class MemoryRegister implements Register {
  readonly #store: MemoryStore;
  readonly #timeoutMs: number;
  readonly #watches = new Set<{ keys: string; onHint: () => void }>();
  fault: (method: 'read' | 'compareAndSet' | 'identity') => RegisterFault = () => ({});
  /** Hints are lost. */
  isWatchLost = false;
  /** Nothing is answered. */
  isFrozen = false;

  constructor(store: MemoryStore, timeoutMs = 200) {
    this.#store = store;
    this.#timeoutMs = timeoutMs;
    const before = store.onWrite;
    store.onWrite = (key, value) => {
      before?.(key, value);
      if (this.isWatchLost) return;
      for (const { keys, onHint } of this.#watches) if (key.startsWith(keys)) setImmediate(onHint);
    };
  }

  async read(keys: string): Promise<ReadResult> {
    const fault = this.#faultOf('read');
    await this.#travel(fault);
    const result = this.#store.read(keys, fault.stale ?? 0);
    if (fault.lost !== undefined) throw await this.#timeout();
    return result;
  }

  async compareAndSet(
    key: string,
    revision: string | null,
    value: string | null,
  ): Promise<SetResult> {
    const fault = this.#faultOf('compareAndSet');
    await this.#travel(fault);
    const isCarriedOut = fault.lost !== 'call';
    const result = isCarriedOut ? this.#store.compareAndSet(key, revision, value) : null;
    if (fault.lost === undefined) return result!;
    await this.#timeout();
    return { outcome: 'unknown' };
  }

  watch(keys: string, onHint: () => void): () => void {
    const watch = { keys, onHint };
    this.#watches.add(watch);
    return () => this.#watches.delete(watch);
  }

  async identity(): Promise<string> {
    const fault = this.#faultOf('identity');
    await this.#travel(fault);
    if (fault.lost !== undefined) throw await this.#timeout();
    return this.#store.identity;
  }

  async close(): Promise<void> {
    this.#watches.clear();
    this.isFrozen = true;
  }

  #faultOf(method: 'read' | 'compareAndSet' | 'identity'): RegisterFault {
    return this.isFrozen ? { lost: 'call' } : this.fault(method);
  }

  async #travel({ delayMs = 0 }: RegisterFault): Promise<void> {
    await sleep(delayMs);
  }

  async #timeout(): Promise<Error> {
    await sleep(this.#timeoutMs);
    return new Error(`no answer for ${this.#timeoutMs} ms`);
  }
}
