/** The run that is looked at: algorithm, sites, structure, load and chance. A mistake is told beside them. */

import { faultsOf, type RunSpec } from '../model/spec.ts';
import { catalogue, listed, problem, setSpec, spec } from '../model/state.ts';
import { Faults } from './faults.tsx';
import { NumberField } from './number-field.tsx';

const change = (fields: Partial<RunSpec>) =>
  setSpec({ ...spec.value, ...fields, interventions: [] });

/** Folded away on a narrow screen, and for a reader who sees the page for the first time: first the picture, then forms. */
const isUnfolded = innerWidth > 700 && location.hash.length > 1;

export function RunBar() {
  const { nodes, workload, topology, seed } = spec.value;
  const structure = topology === '' ? listed.value?.defaultTopology : topology;
  return (
    <>
      <details class="run-fold" open={isUnfolded}>
        <summary>
          <strong>{listed.value?.title}</strong> {nodes} sites, {structure}, {LOADS[workload]}, seed{' '}
          {seed} <u>change</u>
        </summary>
        <div class="run-fields">
          <RunForm />
          <More />
        </div>
      </details>
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
    </>
  );
}

const LOADS: { readonly [workload: string]: string } = {
  poisson: 'at random',
  saturated: 'saturated',
  once: 'all at once',
  solo: 'one at a time',
  script: 'a script',
};

function RunForm() {
  const now = spec.value;
  const own = listed.value;
  return (
    <form class="run-bar" aria-label="The run" onSubmit={(event) => event.preventDefault()}>
      <AlgorithmChoice />
      <NumberField
        name="sites"
        value={now.nodes}
        least={1}
        onValue={(nodes) => change({ nodes })}
      />
      {(own?.topologies.length ?? 0) > 1 && (
        <label>
          structure{' '}
          <select
            value={now.topology}
            onChange={(event) => change({ topology: event.currentTarget.value })}
          >
            <option value="">{own!.defaultTopology}</option>
            {own!.topologies
              .filter(({ name }) => !/[A-Z]/.test(name) && name !== own!.defaultTopology)
              .map(({ name, about }) => (
                <option key={name} value={name} title={about}>
                  {name}
                </option>
              ))}
          </select>
        </label>
      )}
      {own?.k === true && (
        <NumberField name="k" value={now.k} least={1} onValue={(k) => change({ k })} />
      )}
      <label>
        load{' '}
        <select
          value={now.workload}
          onChange={(event) => change({ workload: event.currentTarget.value })}
        >
          {Object.entries(LOADS)
            .filter(([load]) => load !== 'script' || now.workload === 'script')
            .map(([load, name]) => (
              <option key={load} value={load}>
                {name}
              </option>
            ))}
        </select>
      </label>
      <NumberField name="seed" value={now.seed} least={0} onValue={(seed) => change({ seed })} />
    </form>
  );
}

/** What a reader changes less often. */
function More() {
  const now = spec.value;
  const own = listed.value;
  const flags = own?.options.filter(({ kind }) => kind === 'flag') ?? [];
  const faults = faultsOf(now).length;
  return (
    <details class="more">
      <summary>
        more{now.options.length > 0 && `: ${now.options.join(', ')}`}
        {faults > 0 && `: ${faults} ${faults === 1 ? 'fault' : 'faults'}`}
      </summary>
      <form class="run-bar" aria-label="More" onSubmit={(event) => event.preventDefault()}>
        {flags.length > 0 && (
          <label>
            variant{' '}
            <select
              value={now.options[0] ?? ''}
              onChange={({ currentTarget: { value } }) =>
                change({ options: value === '' ? [] : [value] })
              }
            >
              <option value="">none</option>
              {flags.map(({ name, about }) => (
                <option key={name} value={name} title={about}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {now.workload === 'poisson' && (
          <NumberField
            name="rate"
            value={now.rate}
            least={0}
            step="0.001"
            onValue={(rate) => change({ rate })}
          />
        )}
        <NumberField
          name="entries"
          value={now.entries}
          least={1}
          onValue={(entries) => change({ entries })}
        />
        <label>
          delay{' '}
          <input
            value={now.delay}
            size={12}
            spellcheck={false}
            onChange={(event) => change({ delay: event.currentTarget.value })}
          />
        </label>
        <label>
          links{' '}
          <select
            value={now.links}
            onChange={(event) => change({ links: event.currentTarget.value })}
          >
            <option value="">{own?.links === 'fifo' ? 'keep order' : 'may reorder'}</option>
            {own?.links === 'fifo' ? (
              <option value="any">may reorder</option>
            ) : (
              <option value="fifo">keep order</option>
            )}
          </select>
        </label>
      </form>
      <Faults />
    </details>
  );
}

function AlgorithmChoice() {
  const groups = [
    ['token', 'With a token'],
    ['permission', 'By permission'],
  ] as const;
  return (
    <label>
      <span class="hidden">Algorithm</span>
      <select
        class="algorithm"
        aria-label="Algorithm"
        value={spec.value.algorithm}
        onChange={(event) => {
          const algorithm = event.currentTarget.value;
          void change({ algorithm, printed: '', topology: '', options: [], k: 1, links: '' });
        }}
      >
        {groups.map(([family, name]) => (
          <optgroup key={family} label={name}>
            {catalogue.value
              .filter((entry) => entry.family === family)
              .map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}
