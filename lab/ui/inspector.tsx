/** What is so at the step that the page stands at: the story, why sites wait, and a state in the paper's names. */
import { Fragment } from 'preact';
import type { Loaded, Moment, Why } from '../engine/protocol.ts';
import { changesOf } from '../model/changes.ts';

interface Props {
  readonly loaded: Loaded;
  readonly moment: Moment;
  readonly site: number;
  readonly onSite: (site: number) => void;
  readonly onMessage: (id: number, to: number) => void;
}

/** The sentence of the moment: which site waits, and why. */
export function sentenceOf(moment: Moment, site: number, names?: readonly string[]): string {
  const named = (j: number) => (names === undefined ? `${j}` : `${j} (${names[j]})`);
  const shown = site >= 0 && (moment.waits[site]?.length ?? 0) > 0 ? site : firstWaiter(moment);
  if (shown < 0) {
    const inside = moment.phases.flatMap((phase, j) => (phase === 'inside' ? [j] : []));
    if (inside.length === 0) return 'No site waits.';
    return `${inside.map(named).join(' and ')} ${inside.length > 1 ? 'are' : 'is'} inside, and no site waits.`;
  }
  return `${named(shown)} waits: ${moment.waits[shown]!.map(({ text }) => text)
    .slice(0, 2)
    .join('; ')}.`;
}

const firstWaiter = (moment: Moment): number => moment.waits.findIndex((why) => why.length > 0);

export function Inspector({ loaded, moment, site, onSite, onMessage }: Props) {
  const shown = site >= 0 ? site : Math.max(0, moment.site);
  const state = moment.states[shown];
  const isActor = shown === moment.site;
  return (
    <section class="inspector" aria-label="Inspector">
      <h2>
        Step {moment.at}
        {!loaded.isUntimed && <small> at time {moment.time.toFixed(2)}</small>}
      </h2>
      <Story text={moment.story} />
      <h3>
        Site{' '}
        <select
          value={shown}
          onChange={(event) => onSite(Number(event.currentTarget.value))}
          aria-label="Site"
        >
          {moment.phases.map((phase, j) => (
            <option key={j} value={j}>
              {j}
              {loaded.names === undefined ? '' : ` (${loaded.names[j]})`}, {phase}
            </option>
          ))}
        </select>
      </h3>
      <Waits why={moment.waits[shown] ?? []} onSite={onSite} onMessage={onMessage} />
      <StateTable state={state} before={isActor ? moment.before : state} fields={loaded.fields} />
      <UnderWay moment={moment} site={shown} onMessage={onMessage} />
    </section>
  );
}

/** What the step did. A message with a whole matrix in it is folded after its first words. */
function Story({ text }: { text: string }) {
  if (text.length <= LONG) return <p class="story">{text}</p>;
  const end = text.lastIndexOf(' ', LONG);
  return (
    <details class="story">
      <summary>{text.slice(0, end)} …</summary>
      {text.slice(end)}
    </details>
  );
}

const LONG = 150;

function Waits({
  why,
  onSite,
  onMessage,
}: { why: readonly Why[] } & Pick<Props, 'onSite' | 'onMessage'>) {
  if (why.length === 0) return null;
  return (
    <>
      <h4>Why it waits</h4>
      <ul class="why">
        {why.map((reason) => (
          <li key={reason.text}>
            <button
              type="button"
              class="link"
              onClick={() =>
                reason.message === undefined
                  ? onSite(reason.site)
                  : onMessage(reason.message, reason.to!)
              }
            >
              {reason.text}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** What the step changed is marked, with what it was before. */
function StateTable({
  state,
  before,
  fields,
}: {
  state: unknown;
  before: unknown;
  fields: Loaded['fields'];
}) {
  if (typeof state !== 'object' || state === null) return <p class="hint">It is down.</p>;
  const was = (before ?? {}) as { readonly [field: string]: unknown };
  // What no paper names serves variants: where those are not used, it is empty, and comes last.
  const isSpare = ([field, value]: readonly [string, unknown]) =>
    Object.keys(fields).length > 0 && fields[field] === undefined && isEmpty(value);
  const all = Object.entries(state);
  const spare = all.filter(isSpare);
  return (
    <>
      <Fields
        caption="Its state"
        of={all.filter((entry) => !isSpare(entry))}
        was={was}
        fields={fields}
      />
      {spare.length > 0 && (
        <details class="spare">
          <summary>
            {spare.length} {spare.length === 1 ? 'field' : 'fields'} that variants use
          </summary>
          <Fields caption="For variants" of={spare} was={was} fields={fields} />
        </details>
      )}
    </>
  );
}

const isEmpty = (value: unknown): boolean =>
  !value || (typeof value === 'object' && Object.values(value).every(isEmpty));

function Fields({
  caption,
  of,
  was,
  fields,
}: {
  caption: string;
  of: readonly (readonly [string, unknown])[];
  was: { readonly [field: string]: unknown };
  fields: Loaded['fields'];
}) {
  return (
    <table class="state">
      <caption>{caption}</caption>
      <tbody>
        {of.map(([field, value]) => {
          const lines = changesOf(value, field in was ? was[field] : value);
          const isNew = lines.some(({ now, was: old }) => now !== old);
          return (
            <tr key={field} class={isNew ? 'changed' : ''}>
              <th
                scope="row"
                title={fields[field] === undefined ? undefined : `${field} in our code`}
              >
                {breakable(fields[field] ?? field)}
              </th>
              <td>
                {lines.map(({ now, was: old }, i) => (
                  <Fragment key={i}>
                    {i > 0 && '\n'}
                    {now !== old && old !== null && <del>{old}</del>}
                    {now === old ? now : now !== null && <ins>{now}</ins>}
                  </Fragment>
                ))}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** A long name of a paper may go on in the next line after an underscore. */
const breakable = (name: string) =>
  name.split(/(?<=_)/).map((part, i) => (
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {part}
    </Fragment>
  ));

function UnderWay({
  moment,
  site,
  onMessage,
}: { moment: Moment; site: number } & Pick<Props, 'onMessage'>) {
  const messages = moment.underWay
    .filter(({ from, to }) => from === site || to === site)
    .slice(0, 12);
  const timers = moment.timers.filter((timer) => timer.site === site);
  if (messages.length + timers.length === 0) return null;
  return (
    <>
      <h4>Under way</h4>
      <ul class="under-way">
        {messages.map(({ id, from, to, text, arrives }) => (
          <li key={`${id} ${to}`}>
            <button type="button" class="link" onClick={() => onMessage(id, to)}>
              {from} → {to} {text}
            </button>
            {arrives !== null && <small> at {arrives.toFixed(1)}</small>}
          </li>
        ))}
        {timers.map(({ timer, due }) => (
          <li key={timer}>
            timer {timer} <small>at {due.toFixed(1)}</small>
          </li>
        ))}
      </ul>
    </>
  );
}
