/** The callers that hold and wait: what the group says, corrected by what this process knows of itself. */
import type { Mode } from '../core/algorithm.ts';
import type { Survey, SurveyEntry } from '../group/backend.ts';
import type { Acquisition } from './acquisition.ts';
import type { Acquisitions } from './acquisitions.ts';

/** A lock that a caller holds or waits for. The first three fields are those of Web Locks. */
export interface LockInfo {
  readonly name: string;
  readonly mode: Mode;
  /** The same for all requests of one process. */
  readonly clientId: string;
  /** 0 for a lock; for a semaphore, how many permits it has. */
  readonly permits: number;
  /** How long it has been held or waited for, in milliseconds. */
  readonly forMs: number;
  /** The member of the group through which it was asked for, where that is known. */
  readonly member?: string;
  /** The fence as a decimal number, of what is held. */
  readonly fence?: string;
  /** Of what is waited for, where it is known: the members whose answer is missing. */
  readonly waitsFor?: readonly string[];
}

/** The whole group at a moment that is over by the time it is read; for people, logs and tests. */
export interface LockManagerSnapshot {
  readonly held: LockInfo[];
  /** For each name, in the order of asking, as far as one process can see it. */
  readonly pending: LockInfo[];
  /** Members that did not answer: what they hold and wait for is not in the lists. */
  readonly unreachable: readonly string[];
  /** False when the group did not answer at all: then the lists have this process alone. */
  readonly isComplete: boolean;
}

/** A group that is well answers within a round trip. */
const ANSWER_WITHIN_MS = 3000;

export async function snapshotOf(acquisitions: Acquisitions): Promise<LockManagerSnapshot> {
  const survey = await surveyOf(acquisitions);
  const now = acquisitions.monotonic();
  const { clientId } = acquisitions.backend;
  const held: Acquisition[] = [];
  const waiting: Acquisition[] = [];
  for (const acquisition of acquisitions.all) {
    // Granted: its callback runs in a moment. Requests that this process made before the query are decided.
    if (acquisition.stage === 'held' || acquisition.stage === 'granted') held.push(acquisition);
    else if (acquisition.stage !== 'missed') waiting.push(acquisition);
  }
  return {
    held: merge(survey?.held ?? [], held, clientId, now),
    pending: merge(survey?.pending ?? [], waiting, clientId, now),
    unreachable: survey?.unreachable ?? [],
    isComplete: survey !== undefined,
  };
}

async function surveyOf({ backend }: Acquisitions): Promise<Survey | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ANSWER_WITHIN_MS);
  });
  try {
    return await Promise.race([backend.query(), timeout]);
  } catch {
    // Not a member, no connection: then at least our own.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Leaves out own requests that the group still lists although they are over. Requests that it does not list yet come last. */
function merge(
  entries: readonly SurveyEntry[],
  own: readonly Acquisition[],
  clientId: string,
  now: number,
): LockInfo[] {
  const unlisted = new Set(own);
  const listed = entries.filter((entry) => {
    if (entry.clientId !== clientId) return true;
    const acquisition = own.find(
      (acquisition) => unlisted.has(acquisition) && isSame(acquisition, entry),
    );
    return acquisition !== undefined && unlisted.delete(acquisition);
  });
  return [...listed, ...[...unlisted].map((acquisition) => infoOf(acquisition, clientId, now))];
}

const isSame = (a: Acquisition, b: SurveyEntry): boolean =>
  a.name === b.name && a.permits === b.permits && a.mode === b.mode;

function infoOf(acquisition: Acquisition, clientId: string, now: number): LockInfo {
  const { name, mode, permits, since, stage } = acquisition;
  const info = { name, mode, clientId, permits, forMs: now - since };
  return stage === 'held' || stage === 'granted'
    ? { ...info, fence: acquisition.fence.toString() }
    : info;
}
