/** What the page shows of a member and its group, as HTML. */

import { missingOf, type PeerStatus } from '../member/status.ts';
import type { DaemonStatus } from './daemon.ts';
import { count, plural, safe, short, table } from './html.ts';
import { locks } from './page-locks.ts';

/** Longer lists are for /status.json. */
const MOST_SESSIONS = 50;
const MOST_HAPPENINGS = 30;

export function sections(status: DaemonStatus): { readonly [id: string]: string } {
  return {
    overview: overview(status),
    locks: locks(status),
    members: members(status),
    clients: clients(status),
    events: events(status),
  };
}

function overview(status: DaemonStatus): string {
  const { self, group, held, pending, entries, messages, upMs } = status;
  const perEntry = entries === 0 ? '–' : (messages / entries).toFixed(2);
  const figures: readonly (readonly [string, string])[] = [
    ['held', count(held.length)],
    ['waiting', count(pending.length)],
    ['longest wait', pending.length === 0 ? '–' : short(Math.max(...pending.map((e) => e.forMs)))],
    ['granted here', count(entries)],
    ['messages per entry', perEntry],
    ['up', short(upMs)],
  ];
  const cells = figures.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return `<h1>${safe(group)} <small>seen by member ${safe(self)}</small></h1>
${health(status)}
<dl class="figures">${cells.join('')}</dl>`;
}

/** In one sentence: can it lock, and if not, why. */
function health(status: DaemonStatus): string {
  const { view } = status;
  const say = (kind: string, mark: string, text: string) =>
    `<p class="health ${kind}" role="status"><span aria-hidden="true">${mark}</span> ${text}</p>`;
  const missing = missingOf(status).map((id) => `<b>${safe(id)}</b>`);
  if (missing.length > 0) {
    const text = `Without ${missing.join(', ')}: a lock whose algorithm needs it waits until it is back.`;
    return say('bad', '▲', text);
  }
  if (view === null) return say('bad', '▲', 'There is no view yet: nothing can be locked.');
  return say('good', '●', `All ${plural(view.members.length, 'member')} in one view.`);
}

function members({ self, view, peers, upMs }: DaemonStatus): string {
  const inView = new Set(view?.members.map(({ id }) => id));
  const here = {
    id: self,
    cells: ['<span class="good">● this one</span>', '–', `up ${short(upMs)}`],
  };
  const rows = [here, ...peers.map((peer) => ({ id: peer.id, cells: peerCells(peer) }))]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, cells }) => [safe(id), inView.has(id) ? 'yes' : 'no', ...cells]);
  const epoch = view === null ? 'none yet' : `epoch ${view.epoch}`;
  return `<h2>Members <small>view: ${epoch}</small></h2>
${table(['member', 'in view', 'state', 'round trip', 'last heard'], rows)}`;
}

function peerCells({ connected, roundTripMs, silentMs }: PeerStatus): string[] {
  const state = connected
    ? '<span class="good">● connected</span>'
    : '<span class="bad">▲ away</span>';
  const roundTrip = roundTripMs === null ? '–' : `${roundTripMs.toFixed(2)} ms`;
  return [state, roundTrip, silentMs === null ? 'never' : `${short(silentMs)} ago`];
}

function clients({ sessions, self }: DaemonStatus): string {
  const rows = sessions
    .slice(0, MOST_SESSIONS)
    .map(({ clientId, held, waiting }) => [safe(clientId), count(held), count(waiting)]);
  const more = sessions.length - rows.length;
  const rest = more > 0 ? `<p class="more">and ${count(more)} more</p>` : '';
  const none = '<p class="none">No process locks through this member.</p>';
  return `<h2>Sessions <small>of member ${safe(self)}</small></h2>
${rows.length === 0 ? none : table(['client', 'holds', 'waits for'], rows) + rest}`;
}

function events({ events: all }: DaemonStatus): string {
  const rows = all.slice(-MOST_HAPPENINGS).map(({ at, level, text }) => {
    const when = new Date(at).toISOString();
    const time = `<time datetime="${when}">${when.slice(11, 19)}</time>`;
    return `<li class="${level}">${time} ${safe(text)}</li>`;
  });
  const none = '<p class="none">Nothing worth a line.</p>';
  return `<h2>Lately <small>UTC</small></h2>
${rows.length === 0 ? none : `<ol class="events">${rows.reverse().join('')}</ol>`}`;
}
