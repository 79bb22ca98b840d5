/** The run that is looked at: algorithm, sites, structure, load and chance. A mistake is told beside them. */

import { useRef } from 'preact/hooks';
import { EVENTS } from '../../src/sim/columns.ts';
import type { Picture } from '../diagram/picture.ts';
import { faultsOf, LOADS, type RunSpec } from '../model/spec.ts';
import {
  catalogue,
  isRunning,
  listed,
  picture,
  problem,
  setSpec,
  spec,
  stopRunning,
} from '../model/state.ts';
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
          {workload === 'script' && <Script />}
          <More />
        </div>
      </details>
      {isRunning.value && (
        <p class="progress" role="status">
          running …{' '}
          <button type="button" onClick={stopRunning}>
            Stop
          </button>
        </p>
      )}
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
    </>
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
      <label>
        load{' '}
        <select
          value={now.workload}
          onChange={({ currentTarget: { value } }) =>
            change({
              workload: value,
              ...(value === 'script' && { script: scriptOf(picture.value!) }),
            })
          }
        >
          {Object.entries(LOADS).map(([load, name]) => (
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

const MOST_LINES = 100;

/** The requests of the run, as the script that a reader begins with. */
function scriptOf({ loaded: { rows } }: Picture): string {
  const lines: string[] = [];
  for (let row = 0; row < rows.steps && lines.length < MOST_LINES; row++) {
    const isRequest = rows.event[row] === REQUEST || rows.event[row] === REREQUEST;
    if (isRequest) lines.push(`${+rows.time[row]!.toFixed(2)} request ${rows.site[row]}`);
  }
  return lines.join('\n');
}

const [REQUEST, REREQUEST] = [EVENTS.indexOf('request'), EVENTS.indexOf('rerequest')];

/** The requests, written down. What is wrong with a line is told below, and the text stays as it is. */
function Script() {
  const field = useRef<HTMLTextAreaElement>(null);
  return (
    <form
      class="run-bar script"
      aria-label="Script of requests"
      onSubmit={(event) => {
        event.preventDefault();
        void change({ script: field.current!.value });
      }}
    >
      <textarea
        ref={field}
        aria-label="Script"
        spellcheck={false}
        rows={4}
        cols={30}
        value={spec.value.script}
      />
      <button type="submit">Run the script</button>
      <small>
        A line for each request, as in <code>12.5 request 0</code>, or with the time inside, as in{' '}
        <code>30 request 1 stay 4</code>
      </small>
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
