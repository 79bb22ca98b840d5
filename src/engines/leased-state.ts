/** The state of one process in the engine `leased`, as plain data; and its calls of the register. */
import type { EngineEnvironment } from '../group/engine.ts';
import type { Contact } from '../group/view.ts';
import type { Sighting } from './leased-plan.ts';
import type { Keys, LeasedMember, RecordState, ViewRecord } from './leased-records.ts';

export interface LeasedSettings {
  /** Names the group in the register. */
  readonly group: string;
  /** W, in milliseconds. */
  readonly leaseMs: number;
  /** Where the other members reach this process. */
  readonly address: string;
}

/** A call without an answer for this part of W is given up; a late answer is ignored. */
const CALL_TIMEOUT = 1 / 5;

/** A write of our own key, by its nonce. */
interface Attempt {
  readonly nonce: number;
  /** When it was sent: on the monotonic clock, and on the wall clock. */
  readonly at: number;
  readonly clock: number;
}

interface Heard {
  readonly incarnation: number;
  /** When the peer was last heard, and when it last said that it hears us; null for never. */
  readonly at: number | null;
  readonly confirmedAt: number | null;
}

/** Calls of the register that are not answered yet. */
export type Call =
  | { readonly kind: 'read' | 'fence' | 'forget'; readonly sentAt: number }
  | { readonly kind: 'view'; readonly sentAt: number; readonly view: ViewRecord }
  | {
      readonly kind: 'own';
      readonly sentAt: number;
      readonly nonce: number;
      readonly tenure: number;
      readonly state: RecordState;
      /** Whether the write has news for the other processes. */
      readonly isNews: boolean;
    };

export interface State {
  phase: 'joining' | 'member' | 'leaving' | 'ended';
  calls: { [call: string]: Call };
  nextCall: number;
  mustReread: boolean;
  storeReachable: boolean | null;
  identity: string | null;
  /** When that identity was first seen. */
  identityAt: number;

  // Our own key.
  tenure: number;
  nonce: number;
  /** The revision that the next write starts from, where that is known. */
  base: string | null;
  isBaseKnown: boolean;
  /** When the base became unknown: only a read that was sent later can tell it. */
  doubtAt: number;
  /** Whether the register once had a record of this tenure. */
  isConfirmed: boolean;
  attempts: Attempt[];
  /** What we wrote last, without the nonce. */
  said: string;
  /** Until when we may act; null if we may not. */
  deadline: number | null;
  /** The same on the wall clock: the monotonic clock stands still while a machine sleeps. */
  deadlineClock: number;

  // The view, the other keys, the peers.
  view: ViewRecord | null;
  viewRevision: string | null;
  /** The epoch of the view that the group was told last. */
  adopted: number;
  /** The highest epoch that we have heard of from anywhere, and when we first did. */
  heard: number;
  heardAt: number;
  /** Since when the register shows an earlier view than that. */
  behindSince: number | null;
  sightings: { [id: string]: Sighting };
  /** When the latest answered read was sent. */
  readAt: number;
  peers: { [id: string]: Heard };
  /** The processes that sessions were asked for with. */
  contacts: readonly Contact[];
  /** Since when the plan has had stale members, unreachable members, another view. */
  staleSince: number | null;
  cutSince: number | null;
  wantsViewSince: number | null;
}

export const initialState = (tenure: number): State => ({
  ...{ phase: 'joining', calls: {}, nextCall: 1, mustReread: false },
  ...{ storeReachable: null, identity: null, identityAt: 0 },
  ...{ tenure, nonce: 0, base: null, isBaseKnown: false, doubtAt: 0, isConfirmed: false },
  ...{ attempts: [], said: '', deadline: null, deadlineClock: 0 },
  ...{ view: null, viewRevision: null, adopted: 0, heard: 0, heardAt: 0, behindSince: null },
  ...{
    sightings: {},
    readAt: 0,
    peers: {},
    contacts: [],
    staleSince: null,
    cutSince: null,
    wantsViewSince: null,
  },
});

/** A process: what it knows, and what it can do. The other files of `leased` are its behaviour. */
export interface Process {
  readonly settings: LeasedSettings;
  readonly keys: Keys;
  readonly environment: EngineEnvironment;
  my: State;
}

/** That part of W, in milliseconds. */
export const partOf = ({ settings }: Process, part: number): number => part * settings.leaseMs;

/** Whether the process no longer takes part: it is leaving, has left, or was replaced. */
export const isOver = ({ my }: Process): boolean => my.phase === 'leaving' || my.phase === 'ended';

export function selfOf({ environment, my, settings }: Process): LeasedMember {
  const { id, incarnation } = environment.self;
  return { id, incarnation, tenure: my.tenure, address: settings.address };
}

export function beginCall({ my }: Process, call: Call): number {
  const number = my.nextCall++;
  my.calls[number] = call;
  return number;
}

export const isUnderWay = ({ my }: Process, kind: Call['kind']): boolean =>
  Object.values(my.calls).some((call) => call.kind === kind);

/** Reads everything. If a read is under way, reads once more after it, because it may miss what is new. */
export function readAll(us: Process): void {
  const { my, environment, keys } = us;
  if (my.phase === 'ended') return;
  my.mustReread = isUnderWay(us, 'read');
  if (my.mustReread) return;
  const call = beginCall(us, { kind: 'read', sentAt: environment.monotonic });
  environment.call(call, { type: 'read', keys: keys.all });
}

/** Gives up calls that have waited too long for an answer. Their outcomes are unknown. */
export function giveUpCalls(us: Process): void {
  const { my, environment } = us;
  for (const [number, { kind, sentAt }] of Object.entries(my.calls)) {
    if (environment.monotonic - sentAt < partOf(us, CALL_TIMEOUT)) continue;
    delete my.calls[number];
    my.storeReachable = false;
    if (kind === 'own') doubtBase(us);
  }
}

/** The outcome of a write of our own key is not known: no more writes until a read tells it. */
export function doubtBase(us: Process): void {
  us.my.isBaseKnown = false;
  us.my.doubtAt = us.environment.monotonic;
  readAll(us);
}
