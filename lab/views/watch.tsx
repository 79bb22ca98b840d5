/** Watch, and break: the diagram, the structure beside it, and what is so where the page stands. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Diagram } from '../diagram/diagram.tsx';
import type { Picture } from '../diagram/picture.ts';
import {
  active,
  at,
  branch,
  branches,
  chosenCopy,
  goTo,
  goToBranch,
  look,
  moment,
  picture,
  pictures,
  seen,
  site,
} from '../model/state.ts';
import { BreakMenu, type MenuSpot } from '../ui/break-menu.tsx';
import { sentenceOf } from '../ui/inspector.tsx';
import { RunBar } from '../ui/run-bar.tsx';
import { saveDiagram } from '../ui/save.ts';
import { isNarrow, Sheet } from '../ui/sheet.tsx';
import { Side } from '../ui/side.tsx';
import { Timeline } from '../ui/timeline.tsx';

export function Watch() {
  const menu = useSignal<MenuSpot | null>(null);
  const now = picture.value;
  useFirstLook(now);
  if (now === undefined || seen.value === null) return <p class="hint">Loading …</p>;
  const known = moment.value;
  const { loaded } = now;
  return (
    <div class="watch">
      <RunBar />
      <p class="sentence" aria-live="polite">
        {known === null ? '' : sentenceOf(known, site.value)}
        {loaded.violation !== null && at.value === loaded.rows.steps && (
          <strong class="violation">
            {' '}
            {loaded.violation.property}: {loaded.violation.why}
          </strong>
        )}
      </p>
      <Branches />
      <div class="stage">
        <div class="diagrams">
          <Lane number={active.value} menu={menu} />
          {branch.value.parent >= 0 && <Lane number={branch.value.parent} menu={menu} />}
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
      {menu.value !== null && (
        <BreakMenu
          spot={menu.value}
          onClose={() => {
            menu.value = null;
          }}
        />
      )}
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
      chosenCopy.value = copyOf(now, id, to);
    }}
  />
);

const chooseSite = (chosen: number) => {
  site.value = chosen;
};

/** At first about thirty events are seen: more is a carpet, fewer no story. */
function useFirstLook(now: Picture | undefined): void {
  useEffect(() => {
    if (now === undefined || seen.value !== null) return;
    const isNarrow = innerWidth < 700;
    const { copies, steps } = now.loaded.rows;
    const part = Math.min(1, (isNarrow ? 22 : 46) / Math.max(1, Math.max(copies, steps)));
    look(0, now.axis.length * 1.04 * part);
    if (at.value > 0 && now.drawn[at.value - 1]! > now.axis.length * part) {
      look(now.drawn[at.value - 1]! - 0.5 * now.axis.length * part, now.axis.length * part);
    }
  }, [now]);
}

function copyOf({ loaded: { rows } }: Picture, id: number, to: number): number {
  for (let copy = rows.copies - 1; copy >= 0; copy--) {
    if (rows.id[copy] === id && rows.to[copy] === to) return copy;
  }
  return -1;
}

/** One branch as a diagram. The branch that it left stands below, at the same time. */
function Lane({ number, menu }: { number: number; menu: { value: MenuSpot | null } }) {
  const own = pictures.value.get(number);
  const isActive = number === active.value;
  if (own === undefined || seen.value === null) return null;
  const [from, to] = isActive ? seen.value : sameTime(own);
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
        onLook={look}
        onStep={goTo}
        onSite={chooseSite}
        onCopy={(copy) => {
          chosenCopy.value = copy;
        }}
        onMenu={(spot) => {
          if (isActive) menu.value = spot;
        }}
        isSmall={branch.value.parent >= 0}
      />
    </div>
  );
}

/** What the active branch shows, in the other's own drawn time. */
function sameTime(other: Picture): readonly [number, number] {
  const { axis } = picture.value!;
  const [from, to] = seen.value!.map((drawn) => other.axis.drawn(axis.time(drawn))) as [
    number,
    number,
  ];
  return to > from ? [from, to] : [from, from + 1];
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

function Legend({ picture: { loaded, isUsed } }: { picture: Picture }) {
  const { types, carriers, figures } = loaded;
  return (
    <p class="legend">
      <span class="key inside">inside</span>
      <span class="key waits">waits</span>
      {types.map((name, type) =>
        isUsed[type] ? (
          <span key={name} class={carriers[type] ? 'key token' : `key type-${type % 7}`}>
            {name}
          </span>
        ) : null,
      )}
      <span class="figures">
        {figures.entries} entries, {figures.messages} messages,{' '}
        {figures.messagesPerEntry.toFixed(2)} for each{' '}
        <button type="button" class="small-button" onClick={() => saveDiagram('svg')}>
          SVG
        </button>{' '}
        <button type="button" class="small-button" onClick={() => saveDiagram('png')}>
          PNG
        </button>
      </span>
    </p>
  );
}
