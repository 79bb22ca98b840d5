/** What `latchkey status --json` and /status.json show: bounded, whatever the group holds. */
import type { Survey } from '../group/backend.ts';
import { type Cycle, cyclesOf } from '../group/cycles.ts';
import { type GroupStatus, type MemberStatus, waitsForOf } from '../member/status.ts';
import type { LoggedEvent } from './event-log.ts';
import type { SessionStatus } from './session.ts';
import { capped } from './shared-survey.ts';

export interface DaemonStatus extends GroupStatus {
  readonly sessions: readonly SessionStatus[];
  readonly events: readonly LoggedEvent[];
  readonly upMs: number;
  /** Of the daemon's process. */
  readonly pid: number;
  /** How many entries there are in all, in the lists and left out. */
  readonly counts: Counts;
  /** How many entries each list leaves out; `query()` of the library gives all of them. */
  readonly omitted: Counts;
  readonly longestWaitMs: number;
}

export interface Counts {
  readonly held: number;
  readonly pending: number;
  readonly sessions: number;
}

/** So much of each list is shown: together they fit what a client may leave unread. */
const MAX_ENTRIES = 2_000;
const MAX_LENGTH = 262_144;
const MAX_SESSIONS_LENGTH = 131_072;

export interface StatusParts {
  readonly member: MemberStatus;
  readonly survey: Survey;
  readonly sessions: readonly SessionStatus[];
  readonly events: readonly LoggedEvent[];
  readonly upMs: number;
}

/** Browsers and terminals share a survey, and so what is computed from it. */
const circlesOfSurvey = new WeakMap<Survey, readonly Cycle[]>();

function deadlocksIn(survey: Survey): readonly Cycle[] {
  const known = circlesOfSurvey.get(survey);
  if (known !== undefined) return known;
  const { shown } = capped(cyclesOf(survey), MAX_ENTRIES, MAX_LENGTH);
  circlesOfSurvey.set(survey, shown);
  return shown;
}

export function daemonStatus({
  member,
  survey,
  sessions,
  events,
  upMs,
}: StatusParts): DaemonStatus {
  const held = capped(survey.held, MAX_ENTRIES, MAX_LENGTH);
  const pending = capped(survey.pending, MAX_ENTRIES, MAX_LENGTH);
  const shownSessions = capped(sessions, MAX_ENTRIES, MAX_SESSIONS_LENGTH);
  let longestWaitMs = 0;
  for (const { forMs } of survey.pending) longestWaitMs = Math.max(longestWaitMs, forMs);
  return {
    ...member,
    waitsFor: waitsForOf(member, survey),
    unreachable: survey.unreachable,
    held: held.shown,
    pending: pending.shown,
    deadlocks: deadlocksIn(survey),
    sessions: shownSessions.shown,
    counts: {
      held: survey.held.length,
      pending: survey.pending.length,
      sessions: sessions.length,
    },
    omitted: {
      held: held.omitted,
      pending: pending.omitted,
      sessions: shownSessions.omitted,
    },
    longestWaitMs,
    events,
    upMs,
    pid: process.pid,
  };
}
