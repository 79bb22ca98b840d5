/** The connection to a running group, and what was heard over it: only while the live view is open. */
import { batch, signal } from '@preact/signals';
import type {
  LiveFrame,
  LiveProblem,
  LiveStatus,
  LiveSteps,
} from '../../src/daemon/live-protocol.ts';
import { Picture } from '../diagram/picture.ts';
import { Engine } from '../engine/client.ts';
import type { Moment } from '../engine/protocol.ts';
import { LockHistory, type Second } from '../live/lock-history.ts';
import type { Absence } from '../live/merge.ts';
import type { WatchedLock } from './link.ts';
import { type Sample, type Stall, stallsAfter } from './stalls.ts';

/** `none`: the server of this page has no group to show. */
export const connection = signal<'connecting' | 'open' | 'lost' | 'none'>('connecting');
export const status = signal<LiveStatus | null>(null);
export const samples = signal<readonly Sample[]>([]);
export const stalls = signal<readonly Stall[]>([]);
export const problem = signal('');
export const seen = signal<SeenLock | null>(null);

/** The lock that is watched, second by second. */
export const seconds = signal<readonly Second[]>([]);

/** The step that the picture stands at; −1 for the present. */
export const standsAt = signal(-1);

/** The lock that is watched, as it is now. */
export interface SeenLock {
  readonly picture: Picture;
  readonly moment: Moment;
  readonly algorithm: string;
  readonly left: number;
  readonly isInGap: boolean;
  /** The time 0 of the picture, in milliseconds since 1970. */
  readonly since: number;
}

const MOST_SAMPLES = 600;
/** The picture is made anew at most so often. */
const REDRAW_MS = 150;
/**
 * Members tell their steps every 50 ms, each at a moment of its own. What is younger than this is known of some of
 * them alone, and would show the next holder inside before the exit of the last one is told.
 */
const COMPLETE_MS = 75;
/** Built in a worker of its own: a simulation in another view does not keep it waiting. */
const builder = new Engine();

interface Heard {
  frame: LiveFrame | null;
  steps: LiveSteps[];
  absences: Absence[];
  readonly history: LockHistory | null;
  /** How far the clock of the member that serves the page is ahead of the page's, or somewhat less. */
  ahead: number;
}

/** Connects, with the steps of that lock if there is one. Returns how to disconnect. */
export function connect(lock: WatchedLock | null): () => void {
  const history = lock === null ? null : new LockHistory(lock);
  const heard: Heard = { frame: null, steps: [], absences: [], history, ahead: -Infinity };
  const source = new EventSource(addressOf(lock));
  batch(() => {
    connection.value = 'connecting';
    seen.value = null;
    seconds.value = [];
    standsAt.value = -1;
    problem.value = '';
  });
  const on = <T>(type: string, hear: (value: T) => void) =>
    source.addEventListener(type, ({ data }) => hear(JSON.parse(data as string)));
  on<LiveStatus>('status', (told) => hearStatus(told, heard));
  on<LiveFrame>('frame', (told) => {
    heard.frame = told;
  });
  on<LiveSteps>('steps', (told) => {
    heard.steps.push(told);
    // A status comes first, and sets the clock.
    if (heard.ahead > -Infinity) history?.hearSteps(told, Date.now() + heard.ahead);
  });
  on<LiveProblem>('problem', ({ member, text }) => {
    problem.value = `${member} tells no more steps: ${text}`;
  });
  source.onopen = () => {
    connection.value = 'open';
  };
  source.onerror = () => {
    // The browser tries again by itself, unless the answer was no stream.
    connection.value = source.readyState === EventSource.CLOSED ? 'none' : 'lost';
  };
  const timer = setInterval(() => void redraw(heard), REDRAW_MS);
  return () => {
    source.close();
    clearInterval(timer);
    builder.stop('the live view was closed');
  };
}

function addressOf(lock: WatchedLock | null): string {
  const address = new URL('../live', location.href);
  address.hash = '';
  if (lock !== null) {
    address.searchParams.set('lock', lock.name);
    address.searchParams.set('permits', String(lock.permits));
  }
  return address.href;
}

function hearStatus(told: LiveStatus, heard: Heard): void {
  heard.ahead = Math.max(heard.ahead, told.at - Date.now());
  const before = new Map(status.value?.members.map(({ id, isConnected }) => [id, isConnected]));
  for (const { id, isConnected } of told.members) {
    if ((before.get(id) ?? true) === isConnected) continue;
    heard.absences.push({ member: id, at: told.at, isAway: !isConnected });
  }
  heard.history?.hearStatus(told, Date.now() + heard.ahead);
  const longest = told.pending[0]?.forMs ?? 0;
  const last = samples.value.at(-1);
  const span = last === undefined ? 1000 : Math.max(1, told.at - last.at);
  const granted = last === undefined ? 0 : (1000 * (told.entries - last.entries)) / span;
  const sample: Sample = {
    ...{ at: told.at, waiting: told.counts.pending, longestMs: longest, entries: told.entries },
    granted: Math.max(0, granted),
    away: told.members.filter(({ isConnected }) => !isConnected).length,
  };
  batch(() => {
    status.value = told;
    seconds.value = [...(heard.history?.seconds ?? [])];
    samples.value = [...samples.value, sample].slice(-MOST_SAMPLES);
    stalls.value = stallsAfter(stalls.value, told.pending, told.at, told.held);
  });
}

let isBusy = false;

/** Gives the worker what was heard, and shows what it makes of it. */
async function redraw(heard: Heard): Promise<void> {
  const told = status.value;
  if (isBusy || told === null || heard.ahead === -Infinity) return;
  isBusy = true;
  const { frame, steps, absences } = heard;
  heard.frame = null;
  heard.steps = [];
  heard.absences = [];
  try {
    const now = Date.now() + heard.ahead - COMPLETE_MS;
    const made = await builder.ask('live', {
      ...{ frame, self: told.self, steps, absences, at: standsAt.value, now },
    });
    if (made !== null) {
      const { run, ...rest } = made;
      seen.value = { picture: new Picture(run), ...rest };
    }
  } catch {
    // The view was closed meanwhile.
  }
  isBusy = false;
}
