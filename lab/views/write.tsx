/** Write your own: an algorithm in an editor, simulated and checked like all others; and three exercises. */
import { batch, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Diagram } from '../diagram/diagram.tsx';
import { Picture } from '../diagram/picture.ts';
import { Engine } from '../engine/client.ts';
import type { Checked } from '../engine/protocol.ts';
import type { Path } from '../model/link.ts';
import { code, exercise, own as size, tried } from '../model/state.ts';
import { EXERCISES } from '../stories/exercises.ts';
import starter from '../stories/starter.ts?raw';
import { Counterexample, Verdict } from '../ui/counterexample.tsx';
import { Keys } from '../ui/legend.tsx';
import { NumberField } from '../ui/number-field.tsx';
import { SaveDiagram } from '../ui/save-diagram.tsx';
import { stripped } from '../ui/strip.ts';
import { Violation } from '../ui/violation.tsx';

/** Code that never ends is stopped after so long. */
const MOST_SECONDS = 20;
const own = new Engine({ runsOwnCode: true });
const tutor = new Engine();

// What was found stays when the reader looks at another view and comes back.
const checked = signal<Checked | null>(null);
const picture = signal<Picture | null>(null);
const busy = signal('');
const problem = signal('');
const path = signal<Path | null>(null);

async function run(action: 'own' | 'simulateOwn'): Promise<void> {
  batch(() => {
    checked.value = null;
    picture.value = null;
    path.value = null;
    problem.value = '';
    busy.value = action === 'own' ? 'searching every schedule …' : 'running …';
  });
  let limit: ReturnType<typeof setTimeout> | undefined;
  try {
    const [nodes, entries] = size.value;
    const given = { nodes, entries, code: await stripped(code.value ?? starter) };
    // The time counts from here: the code runs from now on.
    limit = setTimeout(
      () => own.stop(`it was stopped after ${MOST_SECONDS} seconds: does a handler never end?`),
      1000 * MOST_SECONDS,
    );
    if (action === 'own') {
      checked.value = await own.ask('own', given, (text) => {
        busy.value = text;
      });
    } else picture.value = new Picture(await own.ask('simulateOwn', given));
  } catch (error) {
    problem.value = (error as Error).message;
  }
  clearTimeout(limit);
  busy.value = '';
}

export function WriteView() {
  return (
    <div class="write">
      <section aria-label="Editor">
        <h2>Your algorithm</h2>
        <textarea
          aria-label="Code"
          spellcheck={false}
          value={code.value ?? starter}
          rows={30}
          onInput={(event) => {
            const text = event.currentTarget.value;
            code.value = text === starter ? null : text;
          }}
        />
        <div class="controls">
          <NumberField
            name="sites"
            value={size.value[0]}
            least={1}
            onValue={(nodes) => {
              size.value = [nodes, size.value[1]];
            }}
          />
          <NumberField
            name="entries each"
            value={size.value[1]}
            least={1}
            onValue={(entries) => {
              size.value = [size.value[0], entries];
            }}
          />
          <button
            type="button"
            class="primary"
            disabled={busy.value !== ''}
            onClick={() => run('own')}
          >
            Check it
          </button>
          <button type="button" disabled={busy.value !== ''} onClick={() => run('simulateOwn')}>
            Run it
          </button>
          {busy.value !== '' && <output>{busy.value}</output>}
        </div>
        {problem.value !== '' && (
          <p class="problem" role="alert">
            {problem.value}
          </p>
        )}
      </section>
      {checked.value !== null && <Verdict result={checked.value} />}
      {checked.value?.run != null && (
        <Counterexample
          key={checked.value.seconds}
          engine={own}
          total={checked.value.run.rows.steps}
          path={path}
        />
      )}
      {picture.value !== null && <Shown picture={picture.value} />}
      <Exercises />
    </div>
  );
}

function Shown({ picture }: { picture: Picture }) {
  const window = useSignal<readonly [number, number]>([
    0,
    Math.min(1.04 * picture.axis.length, 220),
  ]);
  const { violation, figures } = picture.loaded;
  return (
    <div class="counterexample">
      <p class="sentence">
        {figures.entries} entries, {figures.messagesPerEntry.toFixed(2)} messages for each.{' '}
        {violation !== null && <Violation {...violation} />}
      </p>
      <div class="lane">
        <Diagram
          picture={picture}
          name="your algorithm"
          from={window.value[0]}
          to={window.value[1]}
          at={-1}
          site={-1}
          copy={-1}
          onLook={(from, span) => {
            window.value = [from, from + Math.max(1, span)];
          }}
        />
      </div>
      <p class="legend">
        <Keys picture={picture} />
        <span class="figures">
          <SaveDiagram name="run" />
        </span>
      </p>
    </div>
  );
}

/** The exercise that the tutor has begun, and what was wrong with beginning one. */
const begun = signal('');
const refused = signal('');
const isSolved = signal(false);

async function begin(id: string): Promise<void> {
  batch(() => {
    begun.value = '';
    refused.value = '';
    isSolved.value = false;
  });
  try {
    if (id !== '') await tutor.ask('exercise', id);
    begun.value = id;
  } catch (error) {
    refused.value = (error as Error).message;
  }
}

function Exercises() {
  const id = exercise.value;
  useEffect(() => {
    if (id !== begun.value) void begin(id);
  }, [id]);
  const chosen = id === begun.value ? EXERCISES.find((one) => one.id === id) : undefined;
  return (
    <section class="exercises" aria-label="Exercises">
      <h2>Exercises: find the schedule</h2>
      <p>
        Each of these has one line wrong. You choose what happens next, step by step, until it
        shows.
      </p>
      <ul>
        {EXERCISES.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              aria-pressed={id === one.id}
              onClick={() =>
                batch(() => {
                  tried.value = null;
                  isSolved.value = false;
                  exercise.value = one.id;
                })
              }
            >
              {one.title}
            </button>
          </li>
        ))}
      </ul>
      {refused.value !== '' && (
        <p class="problem" role="alert">
          {refused.value}
        </p>
      )}
      {chosen !== undefined && (
        <>
          <details>
            <summary>A hint</summary>
            <p>{chosen.hint}</p>
          </details>
          {isSolved.value && (
            <p class="right" role="status">
              You have found it. {chosen.line}
            </p>
          )}
          <Counterexample
            key={chosen.id}
            engine={tutor}
            total={0}
            path={tried}
            onWrong={() => {
              isSolved.value = true;
            }}
          />
        </>
      )}
    </section>
  );
}
