/** Who holds and who waits, lock by lock. */
import type { SurveyEntry } from '../group/backend.ts';
import type { DaemonStatus } from './daemon.ts';
import { count, plural, readable, safe, short } from './html.ts';

/** Longer lists are for /status.json. */
const MOST_LOCKS = 200;
const MOST_IN_LINE = 30;

interface LockRow {
  readonly name: string;
  readonly permits: number;
  readonly held: SurveyEntry[];
  readonly pending: SurveyEntry[];
}

export function locks({ held, pending, algorithms }: DaemonStatus): string {
  const sorted = rowsOf(held, pending);
  const shown = sorted.slice(0, MOST_LOCKS).map(lock);
  const more = sorted.length - shown.length;
  const rest =
    more > 0 ? `<p class="more">and ${plural(more, 'more lock')} in status.json</p>` : '';
  const hint = 'Try <code>latchkey lock build -- sleep 10</code>';
  const none = `<p class="none">Nobody holds or waits for a lock. ${hint}</p>`;
  const rules = algorithms.map(
    ({ of, match, algorithm }) => `${of} <code>${safe(match)}</code> ${safe(algorithm)}`,
  );
  return `<h2>Locks</h2>
${shown.length === 0 ? none : `<ul class="locks">${shown.join('')}</ul>${rest}`}
<p class="rules">Algorithms: ${rules.join(', ')}</p>`;
}

/** Where most wait comes first; by name among equals, as the order must not change with every glance. */
function rowsOf(held: readonly SurveyEntry[], pending: readonly SurveyEntry[]): readonly LockRow[] {
  const rows = new Map<string, LockRow>();
  const rowOf = ({ name, permits }: SurveyEntry): LockRow => {
    const key = `${permits} ${name}`;
    const line = rows.get(key) ?? { name, permits, held: [], pending: [] };
    rows.set(key, line);
    return line;
  };
  for (const entry of held) rowOf(entry).held.push(entry);
  for (const entry of pending) rowOf(entry).pending.push(entry);
  return [...rows.values()].sort(
    (a, b) => b.pending.length - a.pending.length || (a.name < b.name ? -1 : 1),
  );
}

function lock({ name, permits, held, pending }: LockRow): string {
  const kind = permits > 0 ? `${held.length} of ${plural(permits, 'permit')}` : '';
  const waiters = pending.slice(0, MOST_IN_LINE).map(waiter);
  const more = pending.length - waiters.length;
  if (more > 0) waiters.push(`<li class="more">and ${count(more)} more</li>`);
  const nobody = '<span class="none">nobody at the moment</span>';
  const holders = held.length === 0 ? nobody : `<ul>${held.map(holder).join('')}</ul>`;
  const queue = `<ol>${waiters.join('')}</ol>`;
  return `<li><h3>${safe(readable(name))} <small>${kind}</small></h3>
${line('held by', holders)}
${pending.length === 0 ? '' : line(plural(pending.length, 'waits', 'wait'), queue)}</li>`;
}

const line = (label: string, html: string): string =>
  `<div class="line"><span class="label">${label}</span>${html}</div>`;

function holder(entry: SurveyEntry): string {
  return `<li class="held">${who(entry)}<span class="fence">${safe(entry.fence ?? '')}</span></li>`;
}

function waiter(entry: SurveyEntry): string {
  const { waitsFor = [] } = entry;
  const missing = safe(waitsFor.join(', '));
  const whom = missing === '' ? '' : ` <span class="whom">for ${missing}</span>`;
  return `<li class="waits">${who(entry)}${whom}</li>`;
}

function who({ clientId, forMs, mode }: SurveyEntry): string {
  const shared = mode === 'shared' ? ' <span class="mode">shared</span>' : '';
  return `${safe(clientId)} <span class="for">${short(forMs)}</span>${shared}`;
}
