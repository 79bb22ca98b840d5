/** Watch, and break: the diagram, the structure beside it, and what is so where the page stands. */
import { computed, useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Diagram } from '../diagram/diagram.tsx';
import { Picture } from '../diagram/picture.ts';
import {
  active,
  at,
  branch,
  branches,
  chosenCopy,
  compared,
  compareWith,
  copyOf,
  goTo,
  goToBranch,
  isLit,
  isPlaying,
  look,
  moment,
  picture,
  pictures,
  seen,
  site,
  spec,
  view,
} from '../model/state.ts';
import { BreakMenu, menuSpot, openMenu } from '../ui/break-menu.tsx';
import { sentenceOf } from '../ui/inspector.tsx';
import { Keys } from '../ui/legend.tsx';
import { RunBar } from '../ui/run-bar.tsx';
import { SaveDiagram } from '../ui/save-diagram.tsx';
import { isNarrow, Sheet } from '../ui/sheet.tsx';
import { Side } from '../ui/side.tsx';
import { Timeline } from '../ui/timeline.tsx';
import { Violation } from '../ui/violation.tsx';

/** The run that the branch left, at the same times; undefined where there is none. */
const left = computed(() => {
  const [own, parent] = [picture.value, pictures.value.get(branch.value.parent)];
  if (own === undefined || parent === undefined || parent.axis === own.axis) return parent;
  return new Picture(parent.loaded, own.axis);
});

export function Watch() {
  const now = picture.value;
  useFirstLook(now);
  // Panning changes what is seen in every frame: only the diagram and the minimap follow it.
  const isShown = useComputed(() => seen.value !== null);
  if (now === undefined || !isShown.value) return <p class="hint">Loading …</p>;
  const known = moment.value;
  const { loaded } = now;
  return (
    <div class="watch">
      <RunBar />
      <div class="headline">
        <p class="sentence" aria-live={isPlaying.value ? 'off' : 'polite'}>
          {loaded.violation !== null && at.value === loaded.rows.steps ? (
            <Violation {...loaded.violation} />
          ) : (
            known !== null && sentenceOf(known, site.value)
          )}
        </p>
        <p class="hidden" aria-live="polite">
          {known !== null && !isPlaying.value && `Step ${known.at}: ${known.story}`}
        </p>
        <Ways />
      </div>
      <Branches />
      <div class="stage">
        <div class="diagrams">
          <Lane number={active.value} />
          {left.value !== undefined && <Lane number={branch.value.parent} />}
          <Legend picture={now} />
        </div>
        {!isNarrow.value && (
          <aside class="side">{known !== null && <SideOf picture={now} />}</aside>
        )}
      </div>
      <div class="bottom">
        {isNarrow.value && known !== null && (
          <Sheet title={`Step ${known.at}: ${known.story}`}>
            <SideOf picture={now} />
          </Sheet>
        )}
        <Timeline />
      </div>
      <BreakMenu />
    </div>
  );
}

/** What to do with the run, for a reader who sees it for the first time. */
function Ways() {
  return (
    <div class="ways">
      <button
        type="button"
        title="Lose a message, crash a site, cut a link (m)"
        onClick={() => {
          isPlaying.value = false;
          openMenu();
        }}
      >
        Break it
      </button>
      <button
        type="button"
        title="The same requests to other algorithms"
        onClick={() => {
          const own = spec.value.algorithm;
          compareWith.value = [own, ...compared.value.filter((id) => id !== own)].slice(0, 4);
          view.value = 'compare';
        }}
      >
        Compare
      </button>
      <button
        type="button"
        title="Search every schedule"
        onClick={() => {
          view.value = 'check';
        }}
      >
        Find a bug
      </button>
    </div>
  );
}

/** The structure and the inspector. */
const SideOf = ({ picture: now }: { picture: Picture }) => (
  <Side
    loaded={now.loaded}
    moment={moment.value!}
    site={site}
    onMessage={(id, to) => {
      chosenCopy.value = copyOf(id, to);
    }}
  />
);

const chooseSite = (chosen: number) => {
  site.value = chosen;
};

const MOST_AT_FIRST = 120;

/** At first about thirty events are seen: more is a carpet, fewer no story. */
function useFirstLook(now: Picture | undefined): void {
  useEffect(() => {
    if (now === undefined || seen.value !== null) return;
    const isNarrow = innerWidth < 700;
    const { copies, steps } = now.loaded.rows;
    const part = Math.min(1, (isNarrow ? 22 : 46) / Math.max(1, Math.max(copies, steps)));
    // A branch that ends early has the times of the run that it left: only the beginning of them is its own.
    const length = Math.min(now.axis.length, 1.6 * (now.drawn[steps - 1] ?? 1));
    let span = length * 1.04 * part;
    const stands = at.value === 0 ? 0 : now.drawn[at.value - 1]!;
    const start = () => (stands > span ? stands - 0.5 * span : 0);
    // Where much happens at once, less of it.
    const seenSteps = () => now.firstStep(start() + span) - now.firstStep(start());
    while (seenSteps() > MOST_AT_FIRST) span *= 0.7;
    look(start(), span);
  }, [now]);
}

/** One branch as a diagram. The branch that it left stands below, at the same time. */
function Lane({ number }: { number: number }) {
  const isActive = number === active.value;
  const own = isActive ? picture.value : left.value;
  if (own === undefined || seen.value === null) return null;
  const [from, to] = seen.value;
  const { name } = branches.value[number]!;
  return (
    <div class={isActive ? 'lane' : 'lane other'}>
      {branches.value.length > 1 && <p class="lane-name">{isActive ? name : `before: ${name}`}</p>}
      <Diagram
        picture={own}
        name={name}
        from={from}
        to={to}
        at={isActive ? at.value : -1}
        site={site.value}
        copy={isActive ? chosenCopy.value : -1}
        lit={isActive && isLit.value ? at.value - 1 : -1}
        onLook={look}
        onStep={goTo}
        onSite={chooseSite}
        onCopy={(copy) => {
          chosenCopy.value = copy;
        }}
        onMenu={(spot) => {
          if (isActive) menuSpot.value = spot;
        }}
        isSmall={branch.value.parent >= 0}
      />
    </div>
  );
}

function Branches() {
  if (branches.value.length < 2) return null;
  return (
    <nav class="branches" aria-label="Branches">
      {branches.value.map(({ name }, number) => (
        <button
          key={number}
          type="button"
          aria-pressed={number === active.value}
          onClick={() => goToBranch(number)}
        >
          {name}
        </button>
      ))}
    </nav>
  );
}

function Legend({ picture: now }: { picture: Picture }) {
  const { figures } = now.loaded;
  return (
    <p class="legend">
      <Keys picture={now} />
      <span class="figures">
        {figures.entries.toLocaleString('en')} entries, {figures.messages.toLocaleString('en')}{' '}
        messages, {figures.messagesPerEntry.toFixed(2)} for each <SaveDiagram name="diagram" />
      </span>
    </p>
  );
}
