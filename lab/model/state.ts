/** What the page knows, as signals; and the only functions that change it. */
import { batch, computed, effect, signal } from '@preact/signals';
import { commonAxis } from '../diagram/axis.ts';
import { copyIn, lowerBound, Picture } from '../diagram/picture.ts';
import { Engine } from '../engine/client.ts';
import type { CheckSpec, Listed, Loaded, Moment } from '../engine/protocol.ts';
import { FIRST_COMPARED } from '../stories/first-choices.ts';
import { branchName } from './branch-name.ts';
import {
  FIRST_OWN,
  fromHash,
  type OwnSize,
  type PageState,
  type Path,
  toHash,
  type WatchedLock,
} from './link.ts';
import { onceAtRest } from './rest.ts';
import { FIRST, type Intervention, type RunSpec } from './spec.ts';

/** The views that there are, in the order of the navigation. */
export const VIEWS = ['learn', 'watch', 'compare', 'check', 'papers', 'write', 'live'] as const;
export type ViewName = (typeof VIEWS)[number];

/** A run, and what was done to it: the first is as it came, each other one a branch of another. */
export interface Branch {
  readonly spec: RunSpec;
  /** The branch that it left, and after which step; −1 for the first. */
  readonly parent: number;
  readonly leftAt: number;
  /** What was done, in words. */
  readonly name: string;
}

export const engine = new Engine();
export const catalogue = signal<readonly Listed[]>([]);
export const view = signal<ViewName>('watch');
export const branches = signal<readonly Branch[]>([
  { spec: FIRST, parent: -1, leftAt: 0, name: 'as it ran' },
]);
export const active = signal(0);
/** By branch, its picture once it is loaded. */
export const pictures = signal<ReadonlyMap<number, Picture>>(new Map());
/** How many steps have been made where the page stands. */
export const at = signal(0);
/** What is seen, in drawn time; null until there is something to see. */
export const seen = signal<readonly [number, number] | null>(null);
export const site = signal(-1);
export const moment = signal<Moment | null>(null);
export const isPlaying = signal(false);
/** Whether the causes and effects of the step that the page stands at are lit. */
export const isLit = signal(false);
export const speed = signal(1);
/** What is wrong with the run that was asked for, beside the field. */
export const problem = signal('');
/** Whether a run takes so long that the reader should know, and can stop it. */
export const isRunning = signal(false);
export const mistakes = signal<readonly string[]>([]);
export const chosenCopy = signal(-1);
/** The story that is told and where, and the search that another view has asked for. */
export const story = signal('');
export const beat = signal(0);
export const wantedSearch = signal<Partial<CheckSpec> | null>(null);
/** The search that was made last, for the address, and where the page stands in what it found. */
export const search = signal<CheckSpec | null>(null);
export const path = signal<Path | null>(null);
/** The row of the papers that is open. */
export const row = signal('');
/** The lock of a running group that is watched. */
export const lock = signal<WatchedLock | null>(null);
/** What the reader has written, and how it is checked; null for what the editor begins with. */
export const code = signal<string | null>(null);
export const own = signal<OwnSize>(FIRST_OWN);
/** The exercise that is open, and what was chosen in it. */
export const exercise = signal('');
export const tried = signal<Path | null>(null);
/** The moment that a comparison stands at; null for its end. */
export const compareTime = signal<number | null>(null);
/** The algorithms that were chosen for a comparison; without a choice, those that it begins with. */
export const compareWith = signal<readonly string[]>([]);
export const compared = computed(() =>
  compareWith.value.length > 0 ? compareWith.value : FIRST_COMPARED,
);

export const branch = computed(() => branches.value[active.value]!);
export const spec = computed(() => branch.value.spec);
export const picture = computed(() => pictures.value.get(active.value));
export const listed = computed(() => catalogue.value.find(({ id }) => id === spec.value.algorithm));
export const steps = computed(() => picture.value?.loaded.rows.steps ?? 0);

/** Begins anew with another run; what was wrong stays beside the field until it is right. */
export function setSpec(next: RunSpec, where: { at?: number; site?: number } = {}): Promise<void> {
  const bare = { ...next, interventions: [] };
  const all: Branch[] = [{ spec: bare, parent: -1, leftAt: 0, name: 'as it ran' }];
  if (next.interventions.length > 0) {
    const [first] = next.interventions;
    all.push({ spec: next, parent: 0, leftAt: first!.after, name: '' });
  }
  return adopt(all, where);
}

async function adopt(all: readonly Branch[], where: { at?: number; site?: number }): Promise<void> {
  try {
    const loaded = await Promise.all(all.map((b) => runOf(b.spec)));
    batch(() => {
      problem.value = '';
      moment.value = null; // it is of another run
      branches.value = all.map((one, i) => {
        const { interventions } = one.spec;
        return interventions.length === 0
          ? one
          : { ...one, name: branchName(interventions, loaded[i]!) };
      });
      active.value = all.length - 1;
      const root = new Picture(loaded[0]!);
      pictures.value = new Map(loaded.map((run, i) => [i, i === 0 ? root : besides(root, run)]));
      site.value = where.site ?? -1;
      chosenCopy.value = -1;
      seen.value = null;
      at.value = Math.min(where.at ?? firstStop(pictures.value.get(active.value)!), steps.value);
    });
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

/** A reader who waits for longer than this wants to know for what. */
const LATE_MS = 400;

async function runOf(asked: RunSpec): Promise<Loaded> {
  const late = setTimeout(() => {
    isRunning.value = true;
  }, LATE_MS);
  try {
    return await engine.ask('run', asked);
  } finally {
    clearTimeout(late);
    isRunning.value = false;
  }
}

/** Ends the run that is being made; the page keeps the last one. */
export const stopRunning = (): void => engine.stop('the run was stopped');

/** A branch stands at the same times as the run that it comes from: where they differ is then seen at once. */
const besides = (root: Picture, run: Loaded): Picture =>
  new Picture(run, commonAxis([root.loaded.rows.time, run.rows.time]));

/** Where a run is first shown: a little way in, so that there is something to see. */
function firstStop(of: Picture): number {
  const { enters, steps: all } = of.loaded.rows;
  let entries = 0;
  for (let step = 0; step < all; step++) {
    entries += enters[step]!;
    if (entries === 2) return step + 1;
  }
  return all;
}

/** Does something to the run where the page stands: the future from there is a new branch. */
export async function intervene(intervention: Intervention): Promise<void> {
  const from = active.value;
  const before = branch.value.spec;
  const kept = before.interventions.filter(({ after }) => after <= intervention.after);
  const next: RunSpec = { ...before, interventions: [...kept, intervention] };
  try {
    const loaded = await runOf(next);
    atTheSameTime(() => {
      problem.value = '';
      const all = branches.value;
      const name = branchName([intervention], loaded);
      branches.value = [...all, { spec: next, parent: from, leftAt: intervention.after, name }];
      const own = besides(pictures.value.get(0)!, loaded);
      pictures.value = new Map([...pictures.value, [all.length, own]]);
      active.value = all.length;
      chosenCopy.value = -1;
      at.value = Math.min(intervention.after + 1, steps.value);
    });
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

export function goToBranch(number: number): void {
  atTheSameTime(() => {
    active.value = number;
    chosenCopy.value = -1;
    at.value = Math.min(at.value, steps.value);
  });
}

/** Goes to another branch, and shows the same part of time there. */
function atTheSameTime(go: () => void): void {
  batch(() => {
    const before = picture.value?.axis;
    const times = before === undefined ? undefined : seen.value?.map((drawn) => before.time(drawn));
    go();
    const now = picture.value?.axis;
    if (times === undefined || now === undefined) return;
    const [from, to] = times.map((time) => now.drawn(time)) as [number, number];
    look(from, to - from);
    reveal();
  });
}

/** Goes to a step; the window follows if it would be out of sight. */
export function goTo(step: number): void {
  at.value = Math.max(0, Math.min(steps.value, step));
  reveal();
}

function reveal(): void {
  const now = picture.value;
  if (now === undefined || seen.value === null || at.value === 0) return;
  const drawn = now.drawn[at.value - 1]!;
  const [from, to] = seen.value;
  const span = to - from;
  if (drawn >= from + 0.02 * span && drawn <= to - 0.06 * span) return;
  look(drawn - 0.35 * span, span);
}

/** Shows so much from there, within the run. */
export function look(from: number, span: number): void {
  const length = picture.value?.axis.length ?? 1;
  const most = length * 1.04;
  const wide = Math.min(most, Math.max(length / 200_000, Math.min(span, most), 0.5));
  const start = Math.max(-0.02 * wide, Math.min(from, length * 1.02 - wide));
  seen.value = [start, start + wide];
}

/** The next or previous step of the same site. */
export function stepOfSite(direction: 1 | -1): void {
  const now = picture.value;
  if (now === undefined || at.value === 0) {
    goTo(at.value + direction);
    return;
  }
  const row = at.value - 1;
  const next = direction === 1 ? now.after[row]! : now.before[row]!;
  if (next >= 0) goTo(next + 1);
}

/** Along the message: to the step that sent what arrived here, or to where the first that was sent arrives. */
export function follow(direction: 1 | -1): void {
  const rows = picture.value?.loaded.rows;
  if (rows === undefined || at.value === 0) return;
  const row = at.value - 1;
  if (direction === -1) {
    const copy = rows.copy[row]!;
    if (copy >= 0) goTo(rows.sentAt[copy]! + 1);
    return;
  }
  const copy = lowerBound(rows.sentAt, row);
  if (rows.sentAt[copy] === row && rows.endedAt[copy]! >= 0) goTo(rows.endedAt[copy]! + 1);
}

/** The copy of a message of the run, by the number of the message and its receiver; −1 where there is none. */
export const copyOf = (id: number, to: number): number =>
  picture.value === undefined ? -1 : copyIn(picture.value.loaded.rows, id, to);

/** Goes to Find a bug, which makes that search. */
export function searchFor(wanted: Partial<CheckSpec>): void {
  batch(() => {
    wantedSearch.value = wanted;
    path.value = null;
    view.value = 'check';
  });
}

export function nextEntry(): void {
  const enters = picture.value?.loaded.rows.enters;
  const next = enters?.indexOf(1, at.value) ?? -1;
  if (next >= 0) goTo(next + 1);
}

/** The state of the page, for its address. */
const page = computed<PageState>(() => {
  const axis = picture.value?.axis;
  const window =
    seen.value === null || axis === undefined
      ? null
      : ([axis.time(seen.value[0]), axis.time(seen.value[1])] as const);
  const [compare, told] = [compareWith.value, story.value];
  const rows = picture.value?.loaded.rows;
  const copy = chosenCopy.value;
  return {
    view: view.value,
    spec: spec.value,
    at: at.value,
    window,
    site: site.value,
    message: rows === undefined || copy < 0 ? null : [rows.id[copy]!, rows.to[copy]!],
    compare,
    time: compareTime.value,
    story: told,
    beat: beat.value,
    search: search.value,
    path: path.value,
    row: row.value,
    lock: lock.value,
    code: code.value,
    own: own.value,
    exercise: exercise.value,
    tried: tried.value,
  };
});

/** What the address says once the page is at rest: a link to what is seen. */
export const address = (): string => toHash(page.value);

/** Begins with what the address says, and keeps it true from then on. */
export async function begin(): Promise<void> {
  const isFirst = location.hash.length <= 1;
  catalogue.value = await engine.ask('catalogue', null);
  await open();
  keepAddress();
  keepMoment();
  // The first visit moves by itself, unless the reader has asked for less motion.
  if (isFirst && !matchMedia('(prefers-reduced-motion: reduce)').matches) isPlaying.value = true;
}

/** Loads what the address says; where it is wrong, says so and shows the rest. */
export async function open(): Promise<void> {
  const { state, mistakes: wrong } = fromHash(location.hash);
  const isView = (VIEWS as readonly string[]).includes(state.view);
  if (isView) view.value = state.view as ViewName;
  const noView = `"view" of the link: there is no view "${state.view}"`;
  mistakes.value = isView ? wrong : [...wrong, noView];
  compareWith.value = state.compare;
  compareTime.value = state.time;
  story.value = state.story;
  beat.value = state.beat;
  // What was written is kept when a link without it is followed.
  if (state.code !== null) code.value = state.code;
  own.value = state.own;
  exercise.value = state.exercise;
  tried.value = state.tried;
  row.value = state.row;
  lock.value = state.lock;
  search.value = state.search;
  wantedSearch.value = state.search;
  path.value = state.path;
  isPlaying.value = false;
  await setSpec(state.spec, { ...(state.at > 0 && { at: state.at }), site: state.site });
  if (picture.value === undefined) {
    const why = problem.value;
    await setSpec(FIRST);
    problem.value = `${why}; shown is another run`;
  }
  if (state.message !== null) {
    chosenCopy.value = copyOf(...state.message);
    const [id, to] = state.message;
    const none = `"message" of the link: the run has no message ${id} to site ${to}`;
    if (chosenCopy.value < 0) mistakes.value = [...mistakes.value, none];
  }
  if (state.window === null) return;
  const { axis } = picture.value!;
  const [from, to] = state.window.map((time) => axis.drawn(time)) as [number, number];
  look(from, to - from);
}

function keepAddress(): void {
  const write = onceAtRest(() => history.replaceState(null, '', address()));
  effect(() => {
    void page.value;
    write();
  });
}

/** While it plays, so often at most: the structure and the inspector are for reading, and a frame has no time for them. */
const PLAYING_MS = 100;

/** Asks the engine what is so at the step that the page stands at; only the latest question counts. */
function keepMoment(): void {
  let isBusy = false;
  let wanted: { spec: RunSpec; at: number } | undefined;
  const ask = async () => {
    if (isBusy || wanted === undefined) return;
    const question = wanted;
    wanted = undefined;
    isBusy = true;
    try {
      moment.value = await engine.ask('moment', question);
    } catch (error) {
      problem.value = (error as Error).message;
    }
    if (isPlaying.peek()) await new Promise((done) => setTimeout(done, PLAYING_MS));
    isBusy = false;
    void ask();
  };
  effect(() => {
    if (picture.value === undefined) return;
    wanted = { spec: spec.value, at: at.value };
    void ask();
  });
}
