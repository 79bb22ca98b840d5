/** Find a bug: the model checker, and the errors of papers; what it finds is stepped, and goes on otherwise. */
import { batch, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Engine } from '../engine/client.ts';
import type { Checked, CheckSpec, Listed, Misprint } from '../engine/protocol.ts';
import { FIRST_SEARCH, PLAIN_SEARCH } from '../model/search.ts';
import { catalogue, search, wantedSearch } from '../model/state.ts';
import { Counterexample, Verdict } from '../ui/counterexample.tsx';
import { NumberField } from '../ui/number-field.tsx';
import { wrongOf } from '../ui/violation.tsx';

/** Its own worker: a long search does not keep the rest of the page waiting, and can be stopped. */
const checker = new Engine();

export function CheckView() {
  const asked = useSignal<CheckSpec>(FIRST_SEARCH);
  const result = useSignal<Checked | null>(null);
  const progress = useSignal('');
  const problem = useSignal('');
  const isBusy = progress.value !== '';
  const run = async (next: CheckSpec) => {
    if (progress.value !== '') checker.stop('stopped for another search');
    batch(() => {
      asked.value = next;
      search.value = next;
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
    void run({ ...PLAIN_SEARCH, ...wanted });
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
        <Counterexample
          key={result.value.seconds}
          engine={checker}
          total={result.value.run.rows.steps}
        />
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
  maxStates: FIRST_SEARCH.maxStates,
});

function Errata({ onRun, chosen }: { onRun: (spec: CheckSpec) => void; chosen: CheckSpec }) {
  const all = catalogue.value.flatMap((entry) =>
    entry.printed.map((misprint) => ({ entry, misprint })),
  );
  const now = all.find(
    ({ entry, misprint }) => entry.id === chosen.algorithm && misprint.name === chosen.printed,
  );
  // Once one is chosen, the list makes room for what is found.
  const isOpen = useSignal(search.value === null && wantedSearch.value === null);
  return (
    <section class="errata" aria-label="Errors of papers">
      <details
        open={isOpen.value}
        onToggle={(event) => {
          isOpen.value = event.currentTarget.open;
        }}
      >
        <summary>
          <h2>Errors that papers print</h2>
        </summary>
        <p>
          Choose one: every schedule of a small group is searched here and now, and the shortest
          that goes wrong opens as a picture.
        </p>
        <ul>
          {all.map(({ entry, misprint }) => (
            <li key={`${entry.id} ${misprint.name}`}>
              <button
                type="button"
                aria-pressed={now?.misprint === misprint}
                onClick={() => {
                  isOpen.value = false;
                  onRun(specOf(entry, misprint));
                }}
              >
                {entry.title}: {misprint.name} <em>{wrongOf(misprint.violates)}</em>
                <small>{misprint.about}</small>
              </button>
            </li>
          ))}
        </ul>
      </details>
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
