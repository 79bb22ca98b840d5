/** Find a bug: the model checker, and the errors of papers; what it finds is stepped, and goes on otherwise. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CheckSpec, Listed, Misprint } from '../engine/protocol.ts';
import { FIRST_SEARCH, PLAIN_SEARCH } from '../model/search.ts';
import { Searching } from '../model/searching.ts';
import { catalogue, path, search, wantedSearch } from '../model/state.ts';
import { wrongOf } from '../model/wrong.ts';
import { NumberField } from '../ui/number-field.tsx';
import { Outcome } from '../ui/outcome.tsx';

/** What it found stays when the reader looks at another view and comes back. */
const searching = new Searching();

function run(next: CheckSpec): void {
  search.value = next;
  void searching.run(next);
}

/** From the beginning: what was chosen in another counterexample means nothing in this one. */
function runAnew(next: CheckSpec): void {
  path.value = null;
  run(next);
}

export function CheckView() {
  useEffect(() => {
    const wanted = wantedSearch.value;
    if (wanted === null) return;
    wantedSearch.value = null;
    run({ ...PLAIN_SEARCH, ...wanted });
  }, [wantedSearch.value]);
  const asked = search.value ?? FIRST_SEARCH;
  return (
    <div class="check">
      <Errata onRun={runAnew} chosen={asked} />
      <Form spec={asked} isBusy={searching.progress.value !== ''} onRun={runAnew} />
      {search.value !== null && <Outcome of={searching} path={path} />}
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
                title={misprint.about}
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
      <blockquote>
        “{misprint.quote.text}” <small>{misprint.quote.where}</small>
      </blockquote>
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
