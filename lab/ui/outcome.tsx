/** A search: how far it is, what it says, and the schedule that it found. */
import type { Signal } from '@preact/signals';
import type { Path } from '../model/link.ts';
import type { Searching } from '../model/searching.ts';
import { Counterexample, Verdict } from './counterexample.tsx';

export function Outcome({ of, path }: { of: Searching; path: Signal<Path | null> }) {
  const { progress, problem, result, engine } = of;
  const found = result.value?.run ?? null;
  return (
    <>
      {progress.value !== '' && (
        <p class="progress" role="status">
          {progress.value}{' '}
          <button type="button" onClick={() => of.stop()}>
            Stop
          </button>
        </p>
      )}
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {result.value !== null && <Verdict result={result.value} />}
      {found !== null && (
        <Counterexample
          key={result.value!.seconds}
          engine={engine}
          total={found.rows.steps}
          path={path}
          hasArrowKeys
        />
      )}
    </>
  );
}
