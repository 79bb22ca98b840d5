/** Holders and waiting requests, lock by lock, as HTML. */

import { escapeMarkup } from '../core/markup.ts';
import type { SurveyEntry } from '../group/backend.ts';
import type { Cycle } from '../group/cycles.ts';
import { awaitedText } from '../member/status.ts';
import { count, plural, readable, short } from './html.ts';
import type { DaemonStatus } from './status.ts';

/** Longer lists are for /status.json. */
const MAX_LOCKS = 200;
const MAX_WAITING = 30;
const MAX_HOLDERS = 130;
const MAX_DEADLOCKS = 10;

interface LockRow {
  readonly name: string;
  readonly permits: number;
  readonly held: SurveyEntry[];
  readonly pending: SurveyEntry[];
}

export function locks(status: DaemonStatus): string {
  const { held, pending, algorithms, unreachable, omitted, deadlocks } = status;
  const sorted = rowsOf(held, pending);
  const shown = sorted.slice(0, MAX_LOCKS).map((row) => lock(row, status));
  const more = sorted.length - shown.length;
  const inStatus = more > 0 ? [`${plural(more, 'more lock')} in status.json`] : [];
  const left = omitted.held + omitted.pending;
  const notShown = left > 0 ? [`${plural(left, 'more entry', 'more entries')} by query()`] : [];
  const rest = [...inStatus, ...notShown].map((text) => `<p class="more">and ${text}</p>`);
  const hint = 'Try <code>latchkey lock build -- sleep 10</code>';
  const known = `<p class="none">No process holds or waits for a lock. ${hint}</p>`;
  const silent = escapeMarkup(unreachable.join(', '));
  const unknown = `<p class="none">No lock is known to be held, but what ${silent} holds is not known.</p>`;
  const none = unreachable.length === 0 ? known : unknown;
  const rules = algorithms.map(
    ({ of, match, algorithm }) =>
      `${of} <code>${escapeMarkup(match)}</code> ${escapeMarkup(algorithm)}`,
  );
  return `<h2>Locks</h2>
${deadlocks.slice(0, MAX_DEADLOCKS).map(deadlock).join('')}
${shown.length === 0 ? none : `<ul class="locks">${shown.join('')}</ul>`}${rest.join('')}
<p class="rules">Algorithms: ${rules.join(', ')}</p>`;
}

function deadlock(cycle: Cycle): string {
  const steps = cycle.map(
    ({ clientId, holds, waitsFor }) =>
      `<b>${escapeMarkup(clientId)}</b> holds ${escapeMarkup(readable(holds))} and waits for ${escapeMarkup(readable(waitsFor))}`,
  );
  return `<p class="bad" role="alert">▲ Deadlock: ${steps.join('; ')}. None of them goes on until one ends.</p>`;
}

/** The lock with the most waiting requests comes first; by name among equals, so that the order is stable. */
function rowsOf(held: readonly SurveyEntry[], pending: readonly SurveyEntry[]): readonly LockRow[] {
  const rows = new Map<string, LockRow>();
  const rowOf = ({ name, permits }: SurveyEntry): LockRow => {
    const key = `${permits} ${name}`;
    const row = rows.get(key) ?? { name, permits, held: [], pending: [] };
    rows.set(key, row);
    return row;
  };
  for (const entry of held) rowOf(entry).held.push(entry);
  for (const entry of pending) rowOf(entry).pending.push(entry);
  return [...rows.values()].sort(
    (a, b) => b.pending.length - a.pending.length || (a.name < b.name ? -1 : 1),
  );
}

function lock({ name, permits, held, pending }: LockRow, status: DaemonStatus): string {
  const { unreachable } = status;
  const permitText = permits > 0 ? `${held.length} of ${plural(permits, 'permit')}` : '';
  const list = (
    entries: readonly SurveyEntry[],
    most: number,
    item: (e: SurveyEntry) => string,
  ) => {
    const more = entries.length - most;
    const rest = more > 0 ? `<li class="more">and ${count(more)} more</li>` : '';
    return entries.slice(0, most).map(item).join('') + rest;
  };
  // A member that does not answer may be the holder: then it is not known whether the lock is free.
  const none =
    unreachable.length === 0
      ? 'no process at the moment'
      : `not known: ${escapeMarkup(unreachable.join(', '))} does not answer`;
  const holders =
    held.length === 0
      ? `<span class="none">${none}</span>`
      : `<ul>${list(held, MAX_HOLDERS, holder)}</ul>`;
  const queue = `<ol>${list(pending, MAX_WAITING, (entry) => waiter(entry, status))}</ol>`;
  return `<li><h3>${escapeMarkup(readable(name))} <small>${permitText}</small></h3>
${labelled('held by', holders)}
${pending.length === 0 ? '' : labelled(plural(pending.length, 'waits', 'wait'), queue)}</li>`;
}

const labelled = (label: string, html: string): string =>
  `<div class="line"><span class="label">${label}</span>${html}</div>`;

function holder(entry: SurveyEntry): string {
  return `<li class="held">${caller(entry)}<span class="fence">${escapeMarkup(entry.fence ?? '')}</span></li>`;
}

function waiter(entry: SurveyEntry, status: DaemonStatus): string {
  const { waitsFor = [] } = entry;
  const missing = escapeMarkup(awaitedText(status, waitsFor));
  const whom = missing === '' ? '' : ` <span class="whom">for ${missing}</span>`;
  return `<li class="waits">${caller(entry)}${whom}</li>`;
}

function caller({ clientId, forMs, mode }: SurveyEntry): string {
  const shared = mode === 'shared' ? ' <span class="mode">shared</span>' : '';
  return `${escapeMarkup(clientId)} <span class="for">${short(forMs)}</span>${shared}`;
}
