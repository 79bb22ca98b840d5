/** Learn: stories with a picture that stands where the sentence is, and a question. */
import { batch, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Diagram } from '../diagram/diagram.tsx';
import { Picture } from '../diagram/picture.ts';
import type { CheckSpec, Loaded, Moment } from '../engine/protocol.ts';
import type { Path } from '../model/link.ts';
import { PLAIN_SEARCH } from '../model/search.ts';
import { Searching } from '../model/searching.ts';
import { FIRST, type RunSpec } from '../model/spec.ts';
import { beat, engine, searchFor, setSpec, story, view } from '../model/state.ts';
import { STORIES } from '../stories/stories.ts';
import type { Beat, Story } from '../stories/story.ts';
import { StructureView } from '../structure/structure.tsx';
import { Keys } from '../ui/legend.tsx';
import { Outcome } from '../ui/outcome.tsx';
import { SaveDiagram } from '../ui/save-diagram.tsx';
import { isNarrow } from '../ui/sheet.tsx';

export function LearnView() {
  const chosen = STORIES.find(({ id }) => id === story.value) ?? STORIES[0]!;
  return (
    <div class="learn">
      <nav class="stories" aria-label="Stories">
        <details open={!isNarrow.value}>
          <summary>All {STORIES.length} stories</summary>
          <ol>
            {STORIES.map(({ id, title }) => (
              <li key={id}>
                <button
                  type="button"
                  aria-current={id === chosen.id ? 'true' : undefined}
                  onClick={() =>
                    batch(() => {
                      story.value = id;
                      beat.value = 0;
                    })
                  }
                >
                  {title}
                </button>
              </li>
            ))}
          </ol>
        </details>
      </nav>
      <article key={chosen.id}>
        <h2>{chosen.title}</h2>
        {chosen.run !== undefined && <Played story={chosen} run={{ ...FIRST, ...chosen.run }} />}
        {chosen.search !== undefined && <Searched story={chosen} />}
        <Question story={chosen} />
      </article>
    </div>
  );
}

/** Where a beat is in a run, as a number of steps. */
function stepOf({ when }: Beat, { rows }: Loaded): number {
  if (when.event === 'end') return rows.steps;
  let count = 0;
  for (let row = 0; row < rows.steps; row++) {
    const isIt =
      when.event === 'enters'
        ? rows.enters[row] === 1
        : rows.event[row] === (when.event === 'request' ? 0 : 8);
    if (isIt && ++count === when.count) return row + 1;
  }
  return rows.steps;
}

/** Of a longer run only a part can be read. */
const MOST_STEPS = 130;
const STEPS_SEEN = 60;

/** All that the story tells; of a long run, the steps around the one that the page stands at. */
function windowOf({ drawn, axis, loaded }: Picture, at: number, last: number): [number, number] {
  const { steps } = loaded.rows;
  const place = (step: number) => drawn[Math.max(0, Math.min(steps, step) - 1)] ?? 0;
  if (last <= MOST_STEPS) {
    const end = Math.min(1.03 * axis.length, Math.max(60, 1.25 * place(last)));
    return [-0.01 * end, end];
  }
  const first = Math.max(0, Math.min(steps, at + STEPS_SEEN / 4) - STEPS_SEEN);
  const [from, to] = [place(first), place(first + STEPS_SEEN)];
  return [from, to + 0.05 * (to - from)];
}

function Played({ story: { beats }, run }: { story: Story; run: RunSpec }) {
  const picture = useSignal<Picture | null>(null);
  const moment = useSignal<Moment | null>(null);
  const window = useSignal<readonly [number, number] | null>(null);
  const problem = useSignal('');
  const fail = ({ message }: Error) => {
    problem.value = message;
  };
  useEffect(() => {
    void engine.ask('run', run).then((loaded) => {
      picture.value = new Picture(loaded);
    }, fail);
  }, []);
  const now = picture.value;
  // A link may be of a story that had more of them.
  const stands = Math.min(beat.value, beats.length - 1);
  const at = now === null ? 0 : stepOf(beats[stands]!, now.loaded);
  useEffect(() => {
    if (now === null) return;
    void engine.ask('moment', { spec: run, at }).then((answer) => {
      moment.value = answer;
    }, fail);
  }, [now, at]);
  if (problem.value !== '') {
    return (
      <p class="problem" role="alert">
        {problem.value}
      </p>
    );
  }
  if (now === null) return <p class="hint">Loading …</p>;
  const [from, to] = window.value ?? windowOf(now, at, stepOf(beats.at(-1)!, now.loaded));
  return (
    <>
      <p class="sentence" aria-live="polite">
        {beats[stands]!.text}
      </p>
      <div class="stage">
        <div class="diagrams">
          <div class="lane">
            <Diagram
              picture={now}
              name="story"
              from={from}
              to={to}
              at={at}
              site={-1}
              copy={-1}
              onLook={(start, span) => {
                window.value = [start, start + Math.max(2, span)];
              }}
            />
          </div>
          <p class="legend">
            <Keys picture={now} />
            <span class="figures">
              <SaveDiagram name="story" />
            </span>
          </p>
        </div>
        <aside class="side">
          {moment.value !== null && (
            <StructureView loaded={now.loaded} moment={moment.value} site={-1} />
          )}
        </aside>
      </div>
      <div class="controls">
        <button
          type="button"
          disabled={stands === 0}
          onClick={() => {
            window.value = null;
            beat.value = stands - 1;
          }}
        >
          Back
        </button>
        <button
          type="button"
          class="primary"
          disabled={stands === beats.length - 1}
          onClick={() => {
            window.value = null;
            beat.value = stands + 1;
          }}
        >
          Next
        </button>
        <output>
          {stands + 1} of {beats.length}
        </output>
        <button
          type="button"
          onClick={async () => {
            await setSpec(run, { at });
            view.value = 'watch';
          }}
        >
          Open it in Watch
        </button>
      </div>
    </>
  );
}

/** One worker for all stories: it has the counterexample that is stepped through. */
const searching = new Searching();
const path = signal<Path | null>(null);

function Searched({ story: { tells, search } }: { story: Story }) {
  const wanted: CheckSpec = { ...PLAIN_SEARCH, ...search };
  const isMine = JSON.stringify(searching.asked.value) === JSON.stringify(wanted);
  return (
    <>
      {tells!.map((text) => (
        <p key={text} class="tells">
          {text}
        </p>
      ))}
      <p>
        <button
          type="button"
          class="primary"
          onClick={() => {
            path.value = null;
            void searching.run(wanted);
          }}
        >
          Search every schedule
        </button>{' '}
        {isMine && searching.result.value !== null ? (
          <button type="button" onClick={() => searchFor(search!)}>
            Open it in Find a bug
          </button>
        ) : (
          'The checker finds the shortest schedule that goes wrong, and opens it as a picture.'
        )}
      </p>
      {isMine && <Outcome of={searching} path={path} />}
    </>
  );
}

function Question({ story: { asks, answers, id } }: { story: Story }) {
  const given = useSignal(-1);
  // The right one is not always the first: the order depends on the story.
  const turn = id.length % answers.length;
  const ordered = [...answers.slice(turn), ...answers.slice(0, turn)];
  return (
    <fieldset class="question">
      <legend>{asks}</legend>
      {ordered.map(({ text, isRight, because }, i) => (
        <div key={text}>
          <button
            type="button"
            aria-pressed={given.value === i}
            onClick={() => {
              given.value = i;
            }}
          >
            {text}
          </button>
          {given.value === i && (
            <p role="status" class={isRight ? 'right' : 'wrong'}>
              {isRight ? 'Yes. ' : 'No. '}
              {because}
            </p>
          )}
        </div>
      ))}
    </fieldset>
  );
}
