/** The faults of a run by time: a list to which entries are added, and from which they are taken out. */
import { useSignal } from '@preact/signals';
import { type Fault, type Field, inWords, KINDS, type Values } from '../model/faults.ts';
import { faultsOf } from '../model/spec.ts';
import { setSpec, spec } from '../model/state.ts';
import { NumberField } from './number-field.tsx';

const NAMES: { readonly [F in Field]: string } = {
  at: 'from time',
  site: 'site',
  other: 'and site',
  until: 'until',
  percent: 'per cent',
};

const change = (faults: readonly Fault[]) =>
  setSpec({
    ...spec.value,
    faults: faults.length === 0 ? '' : JSON.stringify(faults),
    interventions: [],
  });

export function Faults() {
  const all = faultsOf(spec.value);
  const kind = useSignal(KINDS[0]!);
  const values = useSignal<Values>({ at: 100, site: 1, other: 2, until: 200, percent: 10 });
  return (
    <details class="faults">
      <summary>
        {all.length === 0 ? 'Faults: none' : `Faults: ${all.map(inWords).join('; ')}`}
      </summary>
      <ul>
        {all.map((fault, i) => (
          <li key={JSON.stringify(fault)}>
            {inWords(fault)}{' '}
            <button
              type="button"
              class="small-button"
              aria-label={`Take out: ${inWords(fault)}`}
              onClick={() => change(all.filter((_, j) => j !== i))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <form
        class="filter"
        aria-label="Add a fault"
        onSubmit={(event) => {
          event.preventDefault();
          void change([...all, kind.value.make(values.value)]);
        }}
      >
        <label>
          what{' '}
          <select
            value={kind.value.name}
            onChange={(event) => {
              const chosen = event.currentTarget.value;
              kind.value = KINDS.find(({ name }) => name === chosen)!;
            }}
          >
            {KINDS.map(({ name, says }) => (
              <option key={name} value={name}>
                {says}
              </option>
            ))}
          </select>
        </label>
        {kind.value.asks.map((field) => (
          <NumberField
            key={field}
            name={field === 'at' && !kind.value.asks.includes('until') ? 'at time' : NAMES[field]}
            value={values.value[field]}
            least={0}
            onValue={(value) => {
              values.value = { ...values.value, [field]: value };
            }}
          />
        ))}
        <button type="submit">Add</button>
      </form>
    </details>
  );
}
