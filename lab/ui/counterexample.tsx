/** What the checker says, and the steps of what it found. */
import { batch, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Picture } from '../diagram/picture.ts';
import type { Engine } from '../engine/client.ts';
import type { Checked, Trial } from '../engine/protocol.ts';
import { sentenceOf } from './inspector.tsx';
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
            {name}: {own === 'bounded' ? 'not decided' : own}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface CounterexampleProps {
  /** The engine that has found it. */
  readonly engine: Engine;
  /** How many steps it has; 0 where a reader is to find it. */
  readonly total: number;
  readonly onWrong?: () => void;
}

/** The schedule that goes wrong, step by step; at every step something else may be chosen instead. */
export function Counterexample({ engine, total, onWrong }: CounterexampleProps) {
  const at = useSignal(total);
  const choices = useSignal<readonly number[]>([]);
  const trial = useSignal<Trial | null>(null);
  const site = useSignal(-1);
  const window = useSignal<readonly [number, number] | null>(null);
  useEffect(() => {
    const asked = { at: at.value, choices: choices.value };
    engine.ask('trial', asked).then(
      (answer) => {
        if (asked.at !== at.value || asked.choices !== choices.value) return;
        trial.value = answer;
        if (answer.wrong !== null) onWrong?.();
      },
      () => undefined,
    );
  }, [at.value, choices.value]);
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
        window={window.value ?? [0.2, picture.axis.length * 1.05]}
        at={moment.at}
        onLook={(start, span) => {
          window.value = [start, start + Math.max(1, span)];
        }}
        onStep={(step) => {
          if (choices.value.length === 0) at.value = Math.max(0, Math.min(total, step));
        }}
      >
        <div class="controls" role="toolbar" aria-label="Steps">
          <button
            type="button"
            aria-label="To the start"
            onClick={() => {
              batch(() => {
                choices.value = [];
                at.value = 0;
              });
            }}
          >
            |◀
          </button>
          <button
            type="button"
            aria-label="Step back"
            onClick={() => {
              if (choices.value.length > 0) choices.value = choices.value.slice(0, -1);
              else at.value = Math.max(0, at.value - 1);
            }}
          >
            ◀
          </button>
          <button
            type="button"
            aria-label="Step"
            disabled={choices.value.length > 0}
            onClick={() => {
              at.value = Math.min(total, at.value + 1);
            }}
          >
            ▶|
          </button>
          <output>
            {moment.at} / {total}
            {choices.value.length > 0 ? `, ${choices.value.length} of them chosen` : ''}
          </output>
          {choices.value.length > 0 && (
            <button
              type="button"
              onClick={() => {
                choices.value = [];
              }}
            >
              Back to what was found
            </button>
          )}
        </div>
        <details class="enabled" open>
          <summary>What may happen next ({now.enabled.length})</summary>
          <ul>
            {now.enabled.map(({ site: actor, text, index }) => (
              <li key={index}>
                <button
                  type="button"
                  onClick={() => {
                    choices.value = [...choices.value, index];
                  }}
                >
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
