/** One lock of a running group: its messages as they are exchanged, its structure, and why its sites wait. */
import { useSignal } from '@preact/signals';
import type { LiveStatus } from '../../src/daemon/live-protocol.ts';
import type { Picture } from '../diagram/picture.ts';
import type { WatchedLock } from '../model/link.ts';
import { type SeenLock, seconds, standsAt } from '../model/live.ts';
import { lock as watched } from '../model/state.ts';
import { sentenceOf } from './inspector.tsx';
import { Keys } from './legend.tsx';
import { LockHistory } from './lock-history.tsx';
import { SaveDiagram } from './save-diagram.tsx';
import { Stage } from './stage.tsx';

interface Props {
  readonly lock: WatchedLock;
  readonly seen: SeenLock | null;
  readonly status: LiveStatus;
}

export function LockPicture({ lock, seen, status }: Props) {
  const site = useSignal(-1);
  const window = useSignal<readonly [number, number] | null>(null);
  const span = useSignal(0);
  const missing = status.members.filter(({ id }) => !status.watched.includes(id));
  if (seen === null) return <p class="hint">Waiting for the first steps of {lock.name} …</p>;
  const { picture, moment, algorithm, left, isInGap } = seen;
  const { length } = picture.axis;
  // While the picture follows the present, it shows the newest part.
  const usual = span.value > 0 ? span.value : Math.min(length * 1.03, newest(picture));
  const isPresent = standsAt.value < 0;
  // The margin is a part of what is seen: a part of the whole history would soon be wider than the window.
  const [from, to] = window.value ?? [length - 0.98 * usual, length + 0.02 * usual];
  const { rows } = picture.loaded;
  const steps = rows.steps - 1;
  const stand = (wanted: number) => {
    const step = Math.max(0, Math.min(steps, wanted));
    const drawn = picture.drawn[Math.max(0, step - 1)] ?? 0;
    const isSeen = drawn >= from && drawn <= to;
    const start = isSeen ? from : drawn - 0.5 * (to - from);
    window.value = [start, start + to - from];
    standsAt.value = step;
  };
  return (
    <section class="lock-picture" aria-label={`The lock ${lock.name}`}>
      <div class="controls" role="toolbar" aria-label="History of the lock">
        <h2>
          {lock.name} <small>by {algorithm}</small>
        </h2>
        <label class="scrub">
          <span class="hidden">Step</span>
          <input
            type="range"
            min="0"
            max={steps}
            value={isPresent ? steps : standsAt.value}
            aria-label="Step of the lock"
            onInput={(event) => stand(Number(event.currentTarget.value))}
          />
        </label>
        <button
          type="button"
          class={isPresent ? 'primary' : ''}
          aria-pressed={isPresent}
          onClick={() => {
            standsAt.value = -1;
            window.value = null;
          }}
        >
          Now
        </button>
        <button
          type="button"
          onClick={() => {
            watched.value = null;
          }}
        >
          Close
        </button>
      </div>
      <p class="sentence" aria-live="off">
        {isInGap
          ? 'More happens here than members tell: entries are only counted until the next second begins.'
          : sentenceOf(moment, site.value, picture.loaded.names)}
      </p>
      <Stage
        picture={picture}
        name={`the lock ${lock.name}`}
        moment={moment}
        site={site}
        window={[from, Math.max(from + 1e-3, to)]}
        at={isPresent ? -1 : standsAt.value}
        onLook={(start, wide) => {
          window.value = [start, start + Math.max(0.05, wide)];
          span.value = wide;
          if (isPresent) standsAt.value = steps;
        }}
        onStep={stand}
      >
        <p class="legend">
          <Keys picture={picture} />
          <span class="figures">
            {picture.loaded.figures.entries} entries and {picture.loaded.figures.messages} messages
            shown, milliseconds
            {left > 0 && `; ${left.toLocaleString('en')} more entries counted, not shown`}
            {missing.length > 0 &&
              `; nothing of ${missing.map(({ id }) => id).join(', ')}: name its page in the setting pages`}{' '}
            <SaveDiagram name="lock" />
          </span>
        </p>
        <LockHistory
          seconds={seconds.value}
          members={picture.loaded.names ?? []}
          kept={[seen.since + (rows.time[0] ?? 0), seen.since + rows.time[steps]!]}
          onTime={(at) => stand(stepAt(rows.time, at - seen.since))}
        />
      </Stage>
    </section>
  );
}

/** How many steps were made up to that time. */
function stepAt(times: Float64Array, time: number): number {
  const later = times.findIndex((at) => at > time);
  return later < 0 ? times.length : later;
}

/** The drawn length of the newest forty steps, which are as many as can be read. */
function newest({ drawn, axis }: Picture): number {
  const first = Math.max(0, drawn.length - 40);
  return Math.max(axis.length * 0.002, (axis.length - (drawn[first] ?? 0)) * 1.04);
}
