/** Find a bug: the model checker, and the errors of papers; what it finds is stepped, and goes on otherwise. */
import { batch, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Diagram } from '../diagram/diagram.tsx';
import { Picture } from '../diagram/picture.ts';
import { Engine } from '../engine/client.ts';
import type { Checked, CheckSpec, Listed, Misprint, Trial } from '../engine/protocol.ts';
import { catalogue, wantedSearch } from '../model/state.ts';
import { StructureView } from '../structure/structure.tsx';
import { Inspector, sentenceOf } from '../ui/inspector.tsx';
import { NumberField } from '../ui/run-bar.tsx';

/** Its own worker: a long search does not keep the rest of the page waiting, and can be stopped. */
const checker = new Engine();

const FIRST: CheckSpec = {
  algorithm: 'maekawa',
  printed: 'original',
  nodes: 4,
  entries: [1, 1, 1, 0],
  links: 'fifo',
  topology: 'majority',
  options: [],
  crashes: 0,
  losses: 0,
  maxStates: 3_000_000,
};

export function CheckView() {
  const asked = useSignal<CheckSpec>(FIRST);
  const result = useSignal<Checked | null>(null);
  const progress = useSignal('');
  const problem = useSignal('');
  const isBusy = progress.value !== '';
  const run = async (next: CheckSpec) => {
    if (progress.value !== '') checker.stop('stopped for another search');
    batch(() => {
      asked.value = next;
      result.value = null;
      problem.value = '';
      progress.value = 'searching …';
    });
    try {
      const found = await checker.ask('check', next, (text) => {
        progress.value = text;
      });
      if (asked.value === next) result.value = found;
    } catch (error) {
      if (asked.value === next) problem.value = (error as Error).message;
    }
    if (asked.value === next) progress.value = '';
  };
  useEffect(() => {
    const wanted = wantedSearch.value;
    if (wanted === null) return;
    wantedSearch.value = null;
    void run({ ...FIRST, printed: '', links: '', topology: '', entries: [1], ...wanted });
  }, [wantedSearch.value]);
  return (
    <div class="check">
      <Errata onRun={run} chosen={asked.value} />
      <Form spec={asked.value} isBusy={isBusy} onRun={run} />
      {isBusy && (
        <p class="progress" role="status">
          {progress.value}{' '}
          <button
            type="button"
            onClick={() => {
              checker.stop('stopped');
              progress.value = '';
            }}
          >
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
      {result.value?.run != null && (
        <Counterexample key={result.value.seconds} checked={result.value} />
      )}
    </div>
  );
}

const specOf = ({ id }: Listed, misprint: Misprint): CheckSpec => ({
  algorithm: id,
  printed: misprint.name,
  nodes: misprint.nodes,
  entries: misprint.entries,
  links: misprint.links,
  topology: misprint.topology,
  options: misprint.options,
  crashes: misprint.crashes,
  losses: 0,
  maxStates: FIRST.maxStates,
});

function Errata({ onRun, chosen }: { onRun: (spec: CheckSpec) => void; chosen: CheckSpec }) {
  const all = catalogue.value.flatMap((entry) =>
    entry.printed.map((misprint) => ({ entry, misprint })),
  );
  const now = all.find(
    ({ entry, misprint }) => entry.id === chosen.algorithm && misprint.name === chosen.printed,
  );
  return (
    <section class="errata" aria-label="Errors of papers">
      <h2>Errors that papers print</h2>
      <p>Each is searched here and now: the shortest schedule that goes wrong opens below.</p>
      <ul>
        {all.map(({ entry, misprint }) => (
          <li key={`${entry.id} ${misprint.name}`}>
            <button
              type="button"
              aria-pressed={now?.misprint === misprint}
              onClick={() => onRun(specOf(entry, misprint))}
            >
              {entry.title}: {misprint.name} <small>{misprint.violates}</small>
            </button>
          </li>
        ))}
      </ul>
      {now !== undefined && <Explained {...now} onRun={onRun} />}
    </section>
  );
}

/** What is printed, what is right, and the same search on the right one. */
function Explained({
  misprint,
  entry,
  onRun,
}: {
  misprint: Misprint;
  entry: Listed;
  onRun: (spec: CheckSpec) => void;
}) {
  return (
    <div class="explained">
      <p>{misprint.about}</p>
      <p>{misprint.correction}</p>
      <button type="button" onClick={() => onRun({ ...specOf(entry, misprint), printed: '' })}>
        Search the corrected one
      </button>
    </div>
  );
}

function Form({
  spec,
  isBusy,
  onRun,
}: {
  spec: CheckSpec;
  isBusy: boolean;
  onRun: (spec: CheckSpec) => void;
}) {
  const own = useSignal(spec);
  useEffect(() => {
    own.value = spec;
  }, [spec]);
  const set = (fields: Partial<CheckSpec>) => {
    own.value = { ...own.value, ...fields };
  };
  const known = catalogue.value.find(({ id }) => id === own.value.algorithm);
  return (
    <form
      class="run-bar"
      aria-label="Search"
      onSubmit={(event) => {
        event.preventDefault();
        onRun(own.value);
      }}
    >
      <select
        class="algorithm"
        aria-label="Algorithm"
        value={own.value.algorithm}
        onChange={(event) =>
          set({
            algorithm: event.currentTarget.value,
            printed: '',
            topology: '',
            options: [],
            links: '',
            nodes: 3,
            entries: [1],
            crashes: 0,
          })
        }
      >
        {catalogue.value.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      <label>
        text{' '}
        <select
          value={own.value.printed}
          onChange={(event) => set({ printed: event.currentTarget.value })}
        >
          <option value="">corrected</option>
          {known?.printed.map(({ name }) => (
            <option key={name} value={name}>
              as printed: {name}
            </option>
          ))}
        </select>
      </label>
      <NumberField
        name="sites"
        value={own.value.nodes}
        least={1}
        onValue={(nodes) => set({ nodes, entries: [own.value.entries[0] ?? 1] })}
      />
      <label>
        entries{' '}
        <input
          size={8}
          value={own.value.entries.join(',')}
          onChange={(event) => set({ entries: event.currentTarget.value.split(',').map(Number) })}
        />
      </label>
      <label>
        links{' '}
        <select
          value={own.value.links}
          onChange={(event) => set({ links: event.currentTarget.value })}
        >
          <option value="">as it needs</option>
          <option value="any">may reorder</option>
          <option value="fifo">keep order</option>
        </select>
      </label>
      <NumberField
        name="crashes"
        value={own.value.crashes}
        least={0}
        onValue={(crashes) => set({ crashes })}
      />
      <NumberField
        name="losses"
        value={own.value.losses}
        least={0}
        onValue={(losses) => set({ losses })}
      />
      <button type="submit" class="primary" disabled={isBusy}>
        Search every schedule
      </button>
    </form>
  );
}

function Verdict({ result }: { result: Checked }) {
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

/** The schedule that goes wrong, step by step; at every step something else may be chosen instead. */
function Counterexample({ checked }: { checked: Checked }) {
  const total = checked.run!.rows.steps;
  const at = useSignal(total);
  const choices = useSignal<readonly number[]>([]);
  const trial = useSignal<Trial | null>(null);
  const site = useSignal(-1);
  const window = useSignal<readonly [number, number] | null>(null);
  useEffect(() => {
    const asked = { at: at.value, choices: choices.value };
    checker.ask('trial', asked).then(
      (answer) => {
        if (asked.at === at.value && asked.choices === choices.value) trial.value = answer;
      },
      () => undefined,
    );
  }, [at.value, choices.value]);
  const now = trial.value;
  if (now === null) return <p class="hint">Opening …</p>;
  const picture = new Picture(now.run);
  const [from, to] = window.value ?? [0.2, picture.axis.length * 1.05];
  const { moment } = now;
  return (
    <div class="counterexample">
      <p class="sentence" aria-live="polite">
        {sentenceOf(moment, site.value)}
        {now.wrong !== null && (
          <strong class="violation">
            {' '}
            {now.wrong.property}: {now.wrong.why}
          </strong>
        )}
      </p>
      <div class="stage">
        <div class="diagrams">
          <div class="lane">
            <Diagram
              picture={picture}
              name="counterexample"
              from={from}
              to={to}
              at={moment.at}
              site={site.value}
              copy={-1}
              onLook={(start, span) => {
                window.value = [start, start + Math.max(1, span)];
              }}
              onStep={(step) => {
                if (choices.value.length === 0) at.value = Math.max(0, Math.min(total, step));
              }}
              onSite={(chosen) => {
                site.value = chosen;
              }}
            />
          </div>
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
        </div>
        <aside class="side">
          <StructureView
            loaded={now.run}
            moment={moment}
            site={site.value}
            onSite={(chosen) => {
              site.value = chosen;
            }}
          />
          <Inspector
            loaded={now.run}
            moment={moment}
            site={site.value}
            onSite={(chosen) => {
              site.value = chosen;
            }}
            onMessage={() => undefined}
          />
        </aside>
      </div>
    </div>
  );
}
