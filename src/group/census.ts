/** Who holds and who waits, in the whole group: each member is asked, and tells of its own callers. */

import type { Survey, SurveyEntry } from './backend.ts';
import { fenceValue } from './fence.ts';
import type { Instance } from './instance.ts';
import { type Control, type ControlOf, inParts } from './messages.ts';
import type { Outside } from './outside.ts';
import type { Request } from './request.ts';

/** Whoever has not answered by then is reported as unreachable. */
const PATIENCE_MS = 1000;

interface Post {
  readonly self: string;
  readonly shelf: Iterable<Instance>;
  readonly outside: Outside;
  readonly members: () => readonly string[];
  readonly waitsFor: () => readonly string[];
  readonly tell: (message: Control, to: readonly string[]) => void;
}

interface OpenSurvey {
  readonly held: SurveyEntry[];
  readonly pending: SurveyEntry[];
  readonly silent: Set<string>;
  readonly finish: () => void;
}

export class Surveyor {
  readonly #post: Post;
  readonly #surveys = new Map<number, OpenSurvey>();
  #lastQuery = 0;

  constructor(post: Post) {
    this.#post = post;
  }

  query(): Promise<Survey> {
    const { self, outside, members, tell } = this.#post;
    const others = members().filter((id) => id !== self);
    const query = ++this.#lastQuery;
    return new Promise((resolve) => {
      const finish = () => {
        cancel();
        this.#surveys.delete(query);
        // What happens here while the others answer belongs to the picture: we look at ourselves last.
        const own = this.look();
        const held = [...own.held, ...survey.held];
        const pending = [...own.pending, ...survey.pending];
        const { silent } = survey;
        resolve({
          held,
          pending: pending.map((entry) => narrowed(entry, held, silent)),
          unreachable: [...silent],
        });
      };
      const survey: OpenSurvey = { held: [], pending: [], silent: new Set(others), finish };
      const cancel = outside.later(PATIENCE_MS, finish);
      this.#surveys.set(query, survey);
      if (others.length === 0) finish();
      else tell({ type: 'QUERY', query }, others);
    });
  }

  receive(from: string, message: ControlOf<'QUERY' | 'CENSUS'>): void {
    if (message.type === 'QUERY') {
      this.#answer(from, message.query);
      return;
    }
    const survey = this.#surveys.get(message.query);
    if (survey === undefined || !survey.silent.has(from)) return;
    for (const entry of message.held) survey.held.push({ ...entry, member: from });
    for (const { fence, ...entry } of message.pending) {
      survey.pending.push({ ...entry, member: from });
    }
    if (!message.isLast) return;
    survey.silent.delete(from);
    if (survey.silent.size === 0) survey.finish();
  }

  #answer(to: string, query: number): void {
    const { held, pending } = this.look();
    const plain = (entry: SurveyEntry) => ({
      ...entry,
      fence: entry.fence ?? '',
      waitsFor: entry.waitsFor ?? [],
    });
    const tell = (
      held: readonly SurveyEntry[],
      pending: readonly SurveyEntry[],
      isLast: boolean,
    ) => {
      const parts = { held: held.map(plain), pending: pending.map(plain) };
      this.#post.tell({ type: 'CENSUS', query, isLast, ...parts }, [to]);
    };
    for (const part of inParts(held)) tell(part, [], false);
    for (const part of inParts(pending)) tell([], part, false);
    tell([], [], true);
  }

  /** What the callers of this process hold and wait for. */
  look(): { readonly held: SurveyEntry[]; readonly pending: SurveyEntry[] } {
    const { self, outside, members, waitsFor, shelf } = this.#post;
    const now = outside.now();
    const held: SurveyEntry[] = [];
    const pending: SurveyEntry[] = [];
    for (const lock of shelf) {
      const { name, permits, sites, queue } = lock;
      const common = ({ mode, clientId, since }: Request) => ({
        name,
        permits,
        mode,
        clientId,
        member: self,
        forMs: Math.max(0, now - since),
      });
      for (const request of lock.held()) {
        held.push({ ...common(request), fence: String(fenceValue(request)) });
      }
      if (queue.first === null) continue;
      const awaited = waitsFor();
      const waits = awaited.length > 0 ? awaited : sites.awaits().map((i) => members()[i]!);
      for (const request of queue) pending.push({ ...common(request), waitsFor: waits });
    }
    return { held, pending };
  }
}

/** An algorithm may know only that one of several has the token: the census knows who holds or is silent. */
function narrowed(
  entry: SurveyEntry,
  held: readonly SurveyEntry[],
  silent: ReadonlySet<string>,
): SurveyEntry {
  const isOf = ({ name, permits }: SurveyEntry) => name === entry.name && permits === entry.permits;
  const holders = new Set(held.filter(isOf).map(({ member }) => member));
  const waitsFor = entry.waitsFor?.filter((id) => holders.has(id) || silent.has(id)) ?? [];
  return waitsFor.length === 0 ? entry : { ...entry, waitsFor };
}
