/** What the checker says, and the steps of what it found. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Picture } from '../diagram/picture.ts';
import type { Engine } from '../engine/client.ts';
import type { Checked, Trial } from '../engine/protocol.ts';
import type { Path } from '../model/link.ts';
import { isField } from './fields.ts';
import { sentenceOf } from './inspector.tsx';
import { Keys } from './legend.tsx';
import { SaveDiagram } from './save-diagram.tsx';
import { ScheduleBar, type Walk, walkOf } from './schedule-bar.tsx';
import { Stage } from './stage.tsx';
import { Violation } from './violation.tsx';

export function Verdict({ result }: { result: Checked }) {
  const { verdict, states, transitions, depth, seconds, violation } = result;
  const words: { readonly [verdict: string]: string } = {
    proved: 'Proved for this number of sites: every reachable state was seen.',
    violated: `Violated in ${depth} steps.`,
    bounded: 'Undecided: the limit on states was reached.',
  };
  return (
    <section class={`verdict ${verdict}`} role="status">
      <h2>{words[verdict] ?? verdict}</h2>
      {violation !== null && (
        <p>
          {violation.property}: {violation.why}
        </p>
      )}
      <p class="hint">
        {states.toLocaleString('en')} states, {transitions.toLocaleString('en')} transitions,{' '}
        {seconds.toFixed(2)} s
      </p>
      <ul class="properties">
        {result.properties.map(({ name, verdict: own }) => (
          <li key={name} class={own}>
            {inWords(name, own)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** `sometimes` properties show that a search is not vacuous: a schedule is found in which they hold. */
function inWords(name: string, verdict: string): string {
  const [, what] = /^sometimes: (.*)$/.exec(name) ?? [];
  if (what !== undefined)
    return `a schedule in which ${what}: ${verdict === 'proved' ? 'found' : 'not found'}`;
  return `${name}: ${verdict === 'bounded' ? 'not decided' : verdict}`;
}

interface CounterexampleProps {
  /** The engine that has found it. */
  readonly engine: Engine;
  /** How many steps it has; 0 where a reader is to find it. */
  readonly total: number;
  /** Where the reader stands in it; null for its end. */
  readonly path: Signal<Path | null>;
  /** The arrow keys step through it, wherever the focus is. */
  readonly hasArrowKeys?: boolean;
  readonly onWrong?: () => void;
}

/** The schedule that goes wrong, step by step; at every step something else may be chosen instead. */
export function Counterexample(props: CounterexampleProps) {
  const { engine, total, path, onWrong } = props;
  const trial = useSignal<Trial | null>(null);
  const problem = useSignal('');
  const site = useSignal(-1);
  const window = useSignal<readonly [number, number] | null>(null);
  const walk = walkOf(path, total);
  const { at, choices, stand } = walk;
  useArrowKeys(props.hasArrowKeys === true, walk);
  useEffect(() => {
    let isLatest = true;
    engine.ask('trial', { at, choices }).then(
      (answer) => {
        if (!isLatest) return;
        trial.value = answer;
        problem.value = '';
        if (answer.wrong !== null) onWrong?.();
      },
      (error: Error) => {
        if (isLatest) problem.value = error.message;
      },
    );
    return () => {
      isLatest = false;
    };
  }, [path.value]);
  if (problem.value !== '') {
    return (
      <p class="problem" role="alert">
        {problem.value}{' '}
        <button type="button" onClick={() => stand(total)}>
          To the end of what was found
        </button>
      </p>
    );
  }
  const now = trial.value;
  if (now === null) return <p class="hint">Opening …</p>;
  const picture = new Picture(now.run);
  const { moment } = now;
  return (
    <div class="counterexample">
      <p class="sentence" aria-live="polite">
        {sentenceOf(moment, site.value)} {now.wrong !== null && <Violation {...now.wrong} />}
      </p>
      <Stage
        picture={picture}
        name="counterexample"
        moment={moment}
        site={site}
        window={window.value ?? [0.2, Math.max(LEAST_SEEN, picture.axis.length * 1.03 + 0.5)]}
        at={moment.at}
        onLook={(start, span) => {
          window.value = [start, start + Math.max(1, span)];
        }}
        onStep={(step) => {
          if (choices.length === 0) stand(step);
        }}
      >
        <p class="legend">
          <Keys picture={picture} />
          <span class="figures">
            <SaveDiagram name="counterexample" />
          </span>
        </p>
        <ScheduleBar walk={walk} made={moment.at} />
        <details class="enabled" open>
          <summary>What may happen next ({now.enabled.length})</summary>
          <ul>
            {now.enabled.map(({ site: actor, text, index }) => (
              <li key={index}>
                <button type="button" onClick={() => stand(at, [...choices, index])}>
                  {actor} {text}
                </button>
              </li>
            ))}
          </ul>
        </details>
      </Stage>
    </div>
  );
}

/** So many steps have room at least: fewer would be stretched over the whole width. */
const LEAST_SEEN = 6;

/** Left and right, unless a field or a diagram has taken them. */
function useArrowKeys(isOn: boolean, walk: Walk): void {
  const latest = useRef(walk);
  latest.current = walk;
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isPlain || event.defaultPrevented || isField(event.target)) return;
      if (event.key === 'ArrowLeft') latest.current.back();
      else if (event.key === 'ArrowRight') latest.current.forth();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isOn]);
}
