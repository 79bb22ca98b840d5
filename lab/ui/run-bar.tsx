/** The run that is looked at: algorithm, sites, structure, load and chance. A mistake is told beside them. */

import type { RunSpec } from '../model/spec.ts';
import { catalogue, listed, problem, setSpec, spec } from '../model/state.ts';
import { Faults } from './faults.tsx';
import { NumberField } from './number-field.tsx';

const change = (fields: Partial<RunSpec>) =>
  setSpec({ ...spec.value, ...fields, interventions: [] });

/** On a narrow screen it is folded away. */
export function RunBar() {
  const { nodes, workload } = spec.value;
  return (
    <details class="run-fold" open={innerWidth > 700}>
      <summary>
        {listed.value?.title}, {nodes} sites, {workload}
      </summary>
      <RunForm />
      <Faults />
    </details>
  );
}

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
      {own?.options.some(({ kind }) => kind === 'flag') && (
        <label>
          variant{' '}
          <select
            value={now.options[0] ?? ''}
            onChange={(event) =>
              change({
                options: event.currentTarget.value === '' ? [] : [event.currentTarget.value],
              })
            }
          >
            <option value="">none</option>
            {own!.options
              .filter(({ kind }) => kind === 'flag')
              .map(({ name, about }) => (
                <option key={name} value={name} title={about}>
                  {name}
                </option>
              ))}
          </select>
        </label>
      )}
      <label>
        load{' '}
        <select
          value={now.workload}
          onChange={(event) => change({ workload: event.currentTarget.value })}
        >
          <option value="poisson">at random</option>
          <option value="saturated">saturated</option>
          <option value="once">all at once</option>
          <option value="solo">one at a time</option>
          {now.workload === 'script' && <option value="script">a script</option>}
        </select>
      </label>
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
      <NumberField name="seed" value={now.seed} least={0} onValue={(seed) => change({ seed })} />
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
    </form>
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
