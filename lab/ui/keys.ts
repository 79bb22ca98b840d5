/** The keys of the page, in one table: what `?` lists is what there is. */
import {
  at,
  follow,
  goTo,
  intervene,
  isLit,
  isPlaying,
  look,
  nextEntry,
  picture,
  problem,
  seen,
  site,
  stepOfSite,
  view,
} from '../model/state.ts';
import { loseChosen, openMenu } from './break-menu.tsx';
import { isField } from './fields.ts';
import { isHelpOpen } from './help.tsx';

interface Key {
  readonly keys: readonly string[];
  readonly says: string;
  readonly act: () => void;
}

export const KEYS: readonly Key[] = [
  {
    keys: [' '],
    says: 'play or pause',
    act: () => {
      isPlaying.value = !isPlaying.value;
    },
  },
  { keys: ['ArrowRight'], says: 'one step', act: () => goTo(at.value + 1) },
  { keys: ['ArrowLeft'], says: 'one step back', act: () => goTo(at.value - 1) },
  { keys: ['Shift+ArrowRight'], says: 'next step of the same site', act: () => stepOfSite(1) },
  { keys: ['Shift+ArrowLeft'], says: 'previous step of the same site', act: () => stepOfSite(-1) },
  { keys: [']'], says: 'along the message, to where it arrives', act: () => follow(1) },
  { keys: ['['], says: 'back along the message, to its sender', act: () => follow(-1) },
  { keys: ['n'], says: 'next entry', act: nextEntry },
  { keys: ['m'], says: 'menu: all that can be done here', act: openMenu },
  { keys: ['x'], says: 'lose the message that is chosen', act: loseChosen },
  { keys: ['c'], says: 'crash the site that is chosen', act: crashChosen },
  { keys: ['b'], says: 'branch: the site that is chosen asks now', act: askChosen },
  {
    keys: ['l'],
    says: 'highlight the causes and the effects of this step',
    act: () => {
      isLit.value = !isLit.value;
    },
  },
  { keys: ['w'], says: 'why: go to the first site that waits', act: goToWaiter },
  { keys: ['+', '='], says: 'zoom in', act: () => zoom(0.7) },
  { keys: ['-'], says: 'zoom out', act: () => zoom(1 / 0.7) },
  { keys: ['0'], says: 'see the whole run', act: () => look(0, Number.MAX_VALUE) },
  {
    keys: ['?'],
    says: 'this list',
    act: () => {
      isHelpOpen.value = !isHelpOpen.value;
    },
  },
];

const PRESSED = 'button, summary, [role=button], input[type=checkbox]';

export function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  // A slider takes arrows alone, and what a space presses is pressed.
  const isSlider = target.matches('input[type=range]') && !event.key.startsWith('Arrow');
  const isPressed = event.key === ' ' && target.closest(PRESSED) !== null;
  if ((isField(target) && !isSlider) || isPressed || event.defaultPrevented) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const name = event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key;
  const key = KEYS.find(({ keys }) => keys.includes(name));
  // They move through the run that Watch shows; the other views have buttons of their own.
  if (key === undefined || (view.value !== 'watch' && name !== '?')) return;
  event.preventDefault();
  key.act();
}

function zoom(factor: number): void {
  const now = picture.value;
  if (seen.value === null || now === undefined) return;
  const [from, to] = seen.value;
  const drawn = at.value === 0 ? from : now.drawn[at.value - 1]!;
  const centre = drawn > from && drawn < to ? drawn : (from + to) / 2;
  look(centre - (centre - from) * factor, (to - from) * factor);
}

function crashChosen(): void {
  if (site.value < 0) problem.value = 'choose a site first: click on its name';
  else void intervene({ after: at.value, crash: site.value });
}

function askChosen(): void {
  if (site.value < 0) problem.value = 'choose a site first: click on its name';
  else void intervene({ after: at.value, request: site.value });
}

function goToWaiter(): void {
  const rows = picture.value?.loaded.rows;
  if (rows === undefined) return;
  const phase = new Map<number, number>();
  for (let row = 0; row < at.value; row++) phase.set(rows.site[row]!, rows.phase[row]!);
  const waiter = [...phase].find(([, p]) => p === 1)?.[0];
  if (waiter !== undefined) site.value = waiter;
}
