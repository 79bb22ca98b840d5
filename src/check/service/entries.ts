/** Fences grow: an entry must know of the entries before it. See the clocks in processes.ts. */
import type { StepError } from '../steps.ts';
import { PairTable } from '../tables.ts';
import type { Channels } from './channels.ts';
import { isAtLevel, type Local, loweredLocal, nameOf, type Outcome } from './processes.ts';

/** The parts of a space that an entry concerns. */
interface EntriesSpace {
  readonly members: number;
  readonly channels: Channels;
  /** Where the channel of two different members is, and where the epoch of the last entry. */
  readonly channelAt: (from: number, to: number) => number;
  readonly epochAt: number;
  readonly local: (id: number) => Local;
  readonly localId: (local: Local) => number;
}

export class Entries {
  readonly #space: EntriesSpace;
  readonly #lowered = new PairTable(); // (process, the entry that it does not know of)

  constructor(space: EntriesSpace) {
    this.#space = space;
  }

  /**
   * After a step of `site` that has granted, and in which it sent each member `sent` messages: clocks that do not know
   * of the entry are lowered.
   */
  count(
    into: Int32Array,
    site: number,
    { grants }: Pick<Outcome, 'grants'>,
    sent: (to: number) => number,
  ): StepError | undefined {
    if (grants.length === 0) return undefined;
    const { members: n, channels, channelAt, epochAt, local } = this.#space;
    const lastEpoch = into[epochAt]!;
    for (const grant of grants) {
      const { epoch, caller } = grant;
      if (epoch > lastEpoch || (epoch === lastEpoch && isAtLevel(grant))) continue;
      const name = nameOf(local(into[site]!), caller);
      const why = `${name} enters, and its fence may be below that of an entry before it`;
      return { property: 'fences-grow', why };
    }
    const { epoch } = grants[0]!;
    into[epochAt] = epoch;
    const isWriter = grants.some(({ mode }) => mode === 'exclusive');
    for (let i = 0; i < n; i++) {
      if (i !== site) into[i] = this.#loweredLocal(into[i]!, isWriter, epoch);
      for (let j = 0; j < n; j++) {
        if (i === j) continue;
        const own = i === site ? sent(j) : 0;
        const at = channelAt(i, j);
        into[at] = channels.lowered(into[at]!, own, isWriter, epoch);
      }
    }
    return undefined;
  }

  #loweredLocal(id: number, isWriter: boolean, epoch: number): number {
    const entry = 2 * epoch + (isWriter ? 1 : 0);
    const known = this.#lowered.get(id, entry);
    if (known !== -1) return known;
    const { local, localId } = this.#space;
    const lowered = localId(loweredLocal(local(id), isWriter, epoch));
    this.#lowered.add(id, entry, lowered);
    return lowered;
  }
}
