/** The buttons that step through a schedule and play it, and how far it is. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Path } from '../model/link.ts';

/** A step of a schedule is read, with what it changes, before the next one comes. */
const STEP_MS = 1_000;

/** Where the reader stands in a schedule, and how to go elsewhere. */
export interface Walk {
  /** How many steps of what was found have been made, and of how many. */
  readonly at: number;
  readonly total: number;
  /** What was chosen after them. */
  readonly choices: readonly number[];
  stand(steps: number, choices?: readonly number[]): void;
  back(): void;
  forth(): void;
}

export function walkOf(path: Signal<Path | null>, total: number): Walk {
  const [at, ...choices] = path.value ?? [total];
  const stand = (steps: number, chosen: readonly number[] = []) => {
    const step = Math.max(0, Math.min(total, steps));
    path.value = step === total && chosen.length === 0 ? null : [step, ...chosen];
  };
  return {
    ...{ at: Math.min(at, total), total, choices, stand },
    back: () => {
      if (choices.length > 0) stand(at, choices.slice(0, -1));
      else stand(Math.min(at, total) - 1);
    },
    forth: () => {
      if (choices.length === 0) stand(at + 1);
    },
  };
}

export function ScheduleBar({ walk, made }: { readonly walk: Walk; readonly made: number }) {
  const { at, total, choices, stand } = walk;
  const isChosen = choices.length > 0;
  return (
    <div class="controls" role="toolbar" aria-label="Steps">
      <button type="button" title="To the start" aria-label="To the start" onClick={() => stand(0)}>
        |◀
      </button>
      <button type="button" title="Step back (←)" aria-label="Step back" onClick={walk.back}>
        ◀
      </button>
      {total > 0 && <PlayButton walk={walk} />}
      <button
        type="button"
        title="Step (→)"
        aria-label="Step"
        disabled={isChosen || at >= total}
        onClick={walk.forth}
      >
        ▶|
      </button>
      <output>
        {total === 0 ? `${made} ${made === 1 ? 'step' : 'steps'}` : `${made} / ${total}`}
        {total > 0 && isChosen ? `, ${choices.length} of them chosen` : ''}
      </output>
      {isChosen && (
        <button type="button" onClick={() => stand(at)}>
          {total === 0 ? 'Begin again' : 'Back to what was found'}
        </button>
      )}
    </div>
  );
}

/** Plays from where the reader stands to the end; from the end, the whole schedule once more. */
function PlayButton({ walk }: { readonly walk: Walk }) {
  const isPlaying = useSignal(false);
  const isAtEnd = walk.choices.length > 0 || walk.at >= walk.total;
  useEffect(() => {
    if (!isPlaying.value) return;
    if (isAtEnd) {
      isPlaying.value = false;
      return;
    }
    const timer = setTimeout(walk.forth, STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying.value, walk.at, isAtEnd]);
  return (
    <button
      type="button"
      class="primary"
      aria-label={isPlaying.value ? 'Pause' : 'Play'}
      onClick={() => {
        if (!isPlaying.value && isAtEnd) walk.stand(0);
        isPlaying.value = !isPlaying.value;
      }}
    >
      {isPlaying.value ? '❚❚' : '▶'}
    </button>
  );
}
