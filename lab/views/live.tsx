/** Live: a running group, for an operator. First the longest waits, then locks and members, then one lock in full. */
import { useEffect } from 'preact/hooks';
import type { LiveStatus } from '../../src/daemon/live-protocol.ts';
import { connect, connection, problem, samples, seen, stalls, status } from '../model/live.ts';
import { STALL_MS } from '../model/stalls.ts';
import { lock } from '../model/state.ts';
import { History } from '../ui/history.tsx';
import { LockPicture } from '../ui/lock-picture.tsx';

export function LiveView() {
  const name = JSON.stringify(lock.value);
  useEffect(() => connect(lock.value), [name]);
  const now = status.value;
  if (now === null) return <Unconnected />;
  return (
    <div class="live">
      {connection.value === 'lost' && (
        <p class="problem" role="alert">
          The member does not answer; what you see is old. Trying again …
        </p>
      )}
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <p class="sentence" aria-live="polite">
        <strong>{now.group}</strong>, seen by {now.self}: {healthOf(now)}
      </p>
      <Waits now={now} />
      {lock.value !== null && <LockPicture lock={lock.value} seen={seen.value} status={now} />}
      <div class="live-tables">
        <Locks now={now} />
        <Members now={now} />
        <History samples={samples.value} />
      </div>
    </div>
  );
}

function Unconnected() {
  return connection.value === 'none' ? (
    <p class="hint">
      No member serves this page. Open it from the page of <code>latchkey up</code> or{' '}
      <code>latchkey node</code>, or start <code>latchkey lab --live http://127.0.0.1:7180/</code>.
    </p>
  ) : (
    <p class="hint">Connecting to the group …</p>
  );
}

function healthOf({ members, counts, epoch, deadlocks }: LiveStatus): string {
  const away = members.filter(({ isConnected }) => !isConnected).map(({ id }) => id);
  if (away.length > 0) {
    return away.length === 1
      ? `${away[0]} does not answer; a lock that needs it waits until it is back.`
      : `${away.join(', ')} do not answer; a lock that needs one of them waits until it is back.`;
  }
  if (epoch === null) return 'there is no view yet, and nothing can be locked.';
  if (deadlocks.length > 0) return 'callers wait for each other in a circle.';
  const waiting =
    counts.pending === 0
      ? 'no request waits'
      : counts.pending === 1
        ? '1 request waits'
        : `${counts.pending} requests wait`;
  return `all ${members.length} members in one view, ${counts.held} held, ${waiting}.`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;

/** The longest first. A wait that has ended stays, so that a stall of some minutes ago is not missed. */
function Waits({ now }: { now: LiveStatus }) {
  const all = stalls.value;
  return (
    <section class="longest" aria-label="Longest waits">
      <h2>
        Longest waits{' '}
        <small>
          of {seconds(STALL_MS)} and more{all.length === 0 && ': none since this page was opened'}
        </small>
      </h2>
      {all.length > 0 && (
        <table class="live-table">
          <thead>
            <tr>
              <th>for</th>
              <th>lock</th>
              <th>caller</th>
              <th>waits for</th>
              <th>state</th>
            </tr>
          </thead>
          <tbody>
            {all.slice(0, lock.value === null ? 20 : 5).map((stall) => (
              <tr
                key={`${stall.since} ${stall.name} ${stall.clientId}`}
                class={stall.until === null ? '' : 'ended'}
              >
                <th scope="row">{seconds(stall.forMs)}</th>
                <td>
                  <WatchButton name={stall.name} permits={stall.permits} />
                </td>
                <td>
                  {stall.clientId} <small>at {stall.member}</small>
                </td>
                <td>{listOf(stall.waitsFor, 4)}</td>
                <td>
                  {stall.until === null ? 'waits' : `ended ${seconds(now.at - stall.until)} ago`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** The first few, and how many more there are. */
const listOf = (names: readonly string[], most: number): string =>
  names.length <= most
    ? names.join(', ')
    : `${names.slice(0, most).join(', ')} and ${names.length - most} more`;

function WatchButton({ name, permits }: { name: string; permits: number }) {
  const isWatched = lock.value?.name === name && lock.value.permits === permits;
  return (
    <button
      type="button"
      class="link"
      aria-pressed={isWatched}
      onClick={() => {
        lock.value = isWatched ? null : { name, permits };
      }}
    >
      {name}
      {permits > 0 ? ` (${permits} permits)` : ''}
    </button>
  );
}

/** Locks by the number of requests that wait for them, with their queues. */
function Locks({ now: { held, pending, counts } }: { now: LiveStatus }) {
  const rows = new Map<string, LockRow>();
  const rowOf = ({ name, permits }: { name: string; permits: number }): LockRow => {
    const key = `${permits} ${name}`;
    const row = rows.get(key) ?? { name, permits, holders: [], waiting: [] };
    rows.set(key, row);
    return row;
  };
  for (const entry of held) rowOf(entry).holders.push(entry.clientId);
  for (const entry of pending) rowOf(entry).waiting.push(entry.clientId);
  const sorted = [...rows.values()].sort(
    (a, b) => b.waiting.length - a.waiting.length || (a.name < b.name ? -1 : 1),
  );
  return (
    <section aria-label="Locks">
      <h2>
        Locks{' '}
        <small>
          {counts.held} held, {counts.pending} waiting
        </small>
      </h2>
      <table class="live-table">
        <thead>
          <tr>
            <th>lock</th>
            <th>held by</th>
            <th>waiting, the longest wait first</th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, 40).map(({ name, permits, holders, waiting }) => (
            <tr key={`${permits} ${name}`}>
              <th scope="row">
                <WatchButton name={name} permits={permits} />
              </th>
              <td>{listOf(holders, 4) || 'no caller at this moment'}</td>
              <td>{waiting.length === 0 ? 'none' : `${waiting.length}: ${listOf(waiting, 4)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length === 0 && <p class="hint">No lock is held, and no request waits.</p>}
      {sorted.length > 40 && <p class="hint">and {sorted.length - 40} more</p>}
      <OtherLock />
    </section>
  );
}

interface LockRow {
  readonly name: string;
  readonly permits: number;
  readonly holders: string[];
  /** The longest wait first, as they are told. */
  readonly waiting: string[];
}

function OtherLock() {
  return (
    <form
      class="filter"
      aria-label="Watch a lock"
      onSubmit={(event) => {
        event.preventDefault();
        const name = new FormData(event.currentTarget).get('name');
        if (typeof name === 'string' && name !== '') lock.value = { name, permits: 0 };
      }}
    >
      <label>
        another lock <input name="name" size={14} />
      </label>
      <button type="submit">Watch</button>
    </form>
  );
}

function Members({ now: { members, epoch, self } }: { now: LiveStatus }) {
  return (
    <section aria-label="Members">
      <h2>
        Members <small>view: {epoch === null ? 'none yet' : `epoch ${epoch}`}</small>
      </h2>
      <table class="live-table">
        <thead>
          <tr>
            <th>member</th>
            <th>state</th>
            <th>in view</th>
            <th>round trip</th>
          </tr>
        </thead>
        <tbody>
          {members.map(({ id, isConnected, isInView, roundTripMs, silentMs }) => (
            <tr key={id} class={isConnected ? '' : 'away'}>
              <th scope="row">{id}</th>
              <td>
                {id === self
                  ? 'this one'
                  : isConnected
                    ? 'connected'
                    : silentMs === null
                      ? 'away, never heard from'
                      : `away, silent for ${seconds(silentMs)}`}
              </td>
              <td>{isInView ? 'yes' : 'no'}</td>
              <td>{roundTripMs === null ? '–' : `${roundTripMs.toFixed(2)} ms`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
