/** A running group as a run of the page: the steps that its members tell, in the columns of a simulated run. */
import { find } from '../../src/algorithms/catalogue.ts';
import { blame, type MessageUnderWay } from '../../src/core/blame.ts';
import { describe } from '../../src/core/formats/words.ts';
import type { TraceStep } from '../../src/core/trace.ts';
import type { LiveFrame } from '../../src/daemon/live-protocol.ts';
import { Columns, DELIVERED, EVENTS, LOST, UNDER_WAY } from '../../src/sim/columns.ts';
import { type Absence, LiveRun, type MergedStep, originOf } from '../live/merge.ts';
import { pointersOf } from './layouts.ts';
import type { LiveAsk, Loaded, Moment, Seen } from './protocol.ts';
import { trimmed } from './rows.ts';
import { frameOf } from './runs.ts';
import { tell } from './tell.ts';

/** The lock that is watched. */
let run: LiveRun | undefined;
/** When it was first watched: the time 0 of its picture. */
let since = 0;
/** The steps as they were last shown, up to then. They stay while the reader stands at one of them. */
let shown: { readonly steps: readonly PlayedStep[]; readonly now: number } | undefined;

/** Adds what has been heard; the run as it is now, and the moment that the page stands at. */
export function live({ frame, self, steps, absences, at, now }: LiveAsk): Seen | null {
  if (frame !== null && !run?.isLike(frame)) {
    run = new LiveRun(frame, self);
    since = now;
    shown = undefined;
  }
  if (run === undefined) return null;
  for (const told of steps) run.add(told);
  for (const absence of absences) run.addAbsence(absence);
  return seen(run, at, now - since);
}

const worldOf = ({ nodes, k, topology, options }: LiveFrame) =>
  ({ n: nodes, k, topology, options }) as never;

/** Members tell nothing from then on, until the next step. */
interface GapStep {
  readonly at: number;
  readonly site: -1;
}
type PlayedStep = MergedStep | (Absence & { readonly site: number }) | GapStep;

function seen(of: LiveRun, wanted: number, latest: number): Seen {
  const algorithm = find(of.frame.algorithm);
  // Old steps make room for new ones, and would move the reader to other steps.
  if (wanted < 0 || shown === undefined) shown = { steps: played(of, latest), now: latest };
  const { steps, now } = shown;
  const { columns, messages } = columnsOf(of, steps, now);
  const loaded: Loaded = {
    ...frameOf(algorithm, worldOf(of.frame), columns),
    rows: trimmed(columns),
    tokensAtFirst: Array(of.frame.nodes).fill(0),
    figures: figuresOf(steps, now),
    violation: null,
    isUntimed: false,
    names: of.frame.members,
    gaps: steps.flatMap((step, row) => (isGap(step) ? [row] : [])),
  };
  const at = wanted < 0 ? steps.length : Math.min(wanted, steps.length);
  return {
    ...{ run: loaded, algorithm: of.frame.algorithm, isInGap: at > 0 && isGap(steps[at - 1]!) },
    left: of.entries - loaded.figures.entries,
    since,
    moment: momentOf(of, steps, columns, messages, at),
  };
}

/** Steps and absences up to now, in the order of time, from 0 on. */
function played(of: LiveRun, now: number): PlayedStep[] {
  const gone = of.absences.flatMap((absence) =>
    of.frame.members.flatMap((member, site) =>
      member === absence.member ? [{ ...absence, site }] : [],
    ),
  );
  const { steps, gaps } = of.merged();
  const begun = gaps.map(({ from }) => ({ at: from, site: -1 as const }));
  const all: PlayedStep[] = [...steps, ...gone, ...begun].map((step) => ({
    ...step,
    at: Math.max(0, step.at - since),
  }));
  return all.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
}

const isGap = (step: PlayedStep): step is GapStep => step.site === -1;
const isAbsence = (step: PlayedStep): step is Absence & { readonly site: number } =>
  'isAway' in step;

function columnsOf(of: LiveRun, steps: readonly PlayedStep[], now: number) {
  const columns = new Columns();
  const types = Object.keys(find(of.frame.algorithm).messages);
  const open = new Map<string, number>();
  /** By link, the copies whose arrival has not been told, in the order in which they were sent. */
  const links = new Map<string, number[]>();
  const messages: MessageUnderWay['message'][] = [];
  for (const step of steps) {
    const row = columns.nextStep();
    columns.time[row] = step.at;
    columns.site[row] = step.site;
    columns.copy[row] = -1;
    if (isGap(step)) {
      columns.event[row] = EVENTS.indexOf('peer');
      continue;
    }
    if (isAbsence(step)) {
      columns.event[row] = EVENTS.indexOf(step.isAway ? 'crash' : 'restart');
      columns.phase[row] = step.isAway ? 3 : 0;
      // What was under way to a process that died is gone.
      if (step.isAway) endAll(columns, step.site, row);
      continue;
    }
    columns.event[row] = EVENTS.indexOf(step.event);
    columns.phase[row] = step.phase;
    columns.enters[row] = step.enters ? 1 : 0;
    columns.tokens[row] = step.tokens;
    const arrived = step.id === undefined ? undefined : open.get(originOf(step));
    if (arrived !== undefined && columns.fate[arrived] === UNDER_WAY) {
      columns.copy[row] = arrived;
      columns.endedAt[arrived] = row;
      columns.fate[arrived] = DELIVERED;
    }
    endUntold(columns, links, step, arrived);
    for (const { to, id, message } of step.sends) {
      const copy = columns.nextCopy();
      columns.id[copy] = numberOf(step.site, id, of.frame.nodes);
      columns.from[copy] = step.site;
      columns.to[copy] = to;
      columns.type[copy] = Math.max(0, types.indexOf(message.type));
      columns.sentAt[copy] = row;
      columns.endedAt[copy] = -1;
      messages[copy] = message;
      open.set(`${step.site}>${to} ${id}`, copy);
      const link = `${step.site}>${to}`;
      links.set(link, [...(links.get(link) ?? []), copy]);
    }
  }
  // Nothing happens at the end: the picture goes on to the present.
  const end = columns.nextStep();
  columns.time[end] = Math.max(now, end === 0 ? 0 : columns.time[end - 1]!);
  columns.site[end] = -1;
  columns.event[end] = EVENTS.indexOf('peer');
  columns.copy[end] = -1;
  return { columns, messages };
}

/** Each site counts its own messages. The number stays when older messages are no longer kept. */
const numberOf = (site: number, id: number, nodes: number): number =>
  ((id % MOST_NUMBERS) * nodes + site) % MOST_NUMBERS;

/** A column has room for so many numbers. */
const MOST_NUMBERS = 2 ** 31;

/**
 * Links keep the order, so what was sent before a message that has arrived has arrived too; and what was sent before
 * a site is watched is not told. Such a copy ends where it begins: it is neither drawn nor under way.
 */
function endUntold(
  columns: Columns,
  links: Map<string, number[]>,
  step: MergedStep,
  arrived: number | undefined,
): void {
  for (const [link, copies] of links) {
    if (!link.endsWith(`>${step.site}`)) continue;
    const isStart = step.event === 'start';
    if (!isStart && (arrived === undefined || !copies.includes(arrived))) continue;
    while (copies.length > 0 && (isStart || copies[0]! <= arrived!)) {
      const copy = copies.shift()!;
      if (columns.fate[copy] !== UNDER_WAY) continue;
      columns.endedAt[copy] = columns.sentAt[copy]!;
      columns.fate[copy] = DELIVERED;
    }
  }
}

function endAll(columns: Columns, site: number, row: number): void {
  for (let copy = 0; copy < columns.copies; copy++) {
    if (columns.to[copy] !== site || columns.endedAt[copy] !== -1) continue;
    columns.endedAt[copy] = row;
    columns.fate[copy] = LOST;
  }
}

function figuresOf(steps: readonly PlayedStep[], time: number): Loaded['figures'] {
  let [entries, messages] = [0, 0];
  for (const step of steps) {
    if (isAbsence(step) || isGap(step)) continue;
    if (step.enters) entries++;
    messages += step.sends.length;
  }
  return {
    ...{ entries, messages, messagesPerEntry: messages / Math.max(1, entries), bytesPerEntry: 0 },
    ...{ waiting: 0, waitingMax: 0, response: 0, handOver: null, jain: 1, maxBypass: 0, time },
  };
}

const WORDS = ['idle', 'waiting', 'inside', 'down'] as const;

function momentOf(
  of: LiveRun,
  steps: readonly PlayedStep[],
  columns: Columns,
  messages: readonly MessageUnderWay['message'][],
  at: number,
): Moment {
  const { frame } = of;
  const algorithm = find(frame.algorithm);
  const world = worldOf(frame);
  const phases: (typeof WORDS)[number][] = Array(frame.nodes).fill('idle');
  const tokens: number[] = Array(frame.nodes).fill(0);
  const states: unknown[] = Array(frame.nodes).fill(null);
  let before: unknown = null;
  for (const [row, step] of steps.slice(0, at).entries()) {
    // In a gap the page stands at what was told last.
    if (isGap(step)) continue;
    phases[step.site] = WORDS[columns.phase[row]!]!;
    if (isAbsence(step)) continue;
    before = states[step.site];
    tokens[step.site] = step.tokens;
    states[step.site] = step.state;
  }
  const underWay: MessageUnderWay[] = [];
  for (let copy = 0; copy < columns.copies; copy++) {
    const isSent = columns.sentAt[copy]! < at;
    const hasEnded = columns.endedAt[copy]! >= 0 && columns.endedAt[copy]! < at;
    if (!isSent || hasEnded) continue;
    const [from, to] = [columns.from[copy]!, columns.to[copy]!];
    const id = columns.id[copy]!;
    underWay.push({ id, from, to, message: messages[copy]!, isHeld: false });
  }
  // A site whose member tells nothing has no state: reasons that need it cannot be given.
  const isWhole = states.every((state, site) => state !== null || phases[site] === 'down');
  const names = frame.members;
  const whole = { algorithm, world, states, phases, underWay, timers: [], losses: [], names };
  const last = steps[at - 1];
  return {
    ...{ at, time: last?.at ?? 0, phases, tokens, states, before, site: last?.site ?? -1 },
    waits: phases.map((_, site) => (isWhole ? blame(whole, site) : [])),
    underWay: underWay.map(({ message, ...copy }) => ({
      ...{ ...copy, text: describe(message), arrives: null },
    })),
    timers: [],
    pointers: isWhole ? pointersOf(algorithm, world, states, phases) : [],
    story:
      last === undefined ? 'nothing has happened yet' : told(last, at, columns, messages, names),
    canRestart: false,
  };
}

/** What a step was, in the words of a trace, and which callers it let in. */
function told(
  step: PlayedStep,
  at: number,
  columns: Columns,
  messages: readonly MessageUnderWay['message'][],
  names: readonly string[],
): string {
  if (isGap(step)) return 'more happens than members tell: entries are only counted from here on';
  if (isAbsence(step)) return `${step.member} ${step.isAway ? 'does not answer' : 'is back'}`;
  if (step.event === 'start') return `${step.member} is watched from here on`;
  const copy = columns.copy[at - 1]!;
  const message = copy >= 0 ? messages[copy] : { type: step.type ?? '' };
  const played = {
    ...{ step: at, time: step.at, site: step.site, event: step.event, mode: 'exclusive' },
    ...{ from: step.from, id: step.id, message, timer: 'the end of the turn' },
    ...{ sends: step.sends, enters: step.enters, state: null },
  } as unknown as TraceStep;
  const grants = step.grants.length === 0 ? '' : `; ${step.grants.join(', ')} holds the lock`;
  const name = (site: number) => `${site} (${names[site]})`;
  return `${tell(played, name(step.site), name)}${grants}`;
}
