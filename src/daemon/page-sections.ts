/** The sections of the page, as HTML. */

import { escapeMarkup } from '../core/markup.ts';
import { awaitedText, engineText, firstViewText, type PeerStatus } from '../member/status.ts';
import { count, plural, short, table } from './html.ts';
import { locks } from './page-locks.ts';
import type { DaemonStatus } from './status.ts';

/** Longer lists are for /status.json. */
const MAX_SESSIONS = 50;
const MAX_EVENTS = 30;

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
  const { self, group, counts, longestWaitMs, entries, messages, upMs } = status;
  const perEntry = entries === 0 ? '–' : (messages / entries).toFixed(2);
  const figures: readonly (readonly [string, string])[] = [
    ['held', count(counts.held)],
    ['waiting', count(counts.pending)],
    ['longest wait', counts.pending === 0 ? '–' : short(longestWaitMs)],
    ['granted here', count(entries)],
    ['messages per entry', perEntry],
    ['up', short(upMs)],
  ];
  const cells = figures.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return `<h1>${escapeMarkup(group)} <small>seen by member ${escapeMarkup(self)}</small></h1>
${health(status)}
<dl class="figures">${cells.join('')}</dl>`;
}

/** One sentence: whether locks are granted, and if not, why. */
function health(status: DaemonStatus): string {
  const { view, waitsFor, deadlocks } = status;
  const say = (kind: string, mark: string, text: string) =>
    `<p class="health ${kind}" role="status"><span aria-hidden="true">${mark}</span> ${text}</p>`;
  if (view === null && status.engine.leaseLeftMs !== null) {
    const first = firstViewText(status);
    const soon = first === undefined ? '' : `: ${first}`;
    const text = `This member is in no view${soon}. Its requests wait until it has joined or rejoined.`;
    return say('bad', '▲', text);
  }
  if (waitsFor.length > 0) {
    const missing = `Without <b>${escapeMarkup(awaitedText(status, waitsFor))}</b>`;
    const fate =
      status.engine.leaseLeftMs === null
        ? 'it is back'
        : 'it is back, or a view goes on without it';
    return say('bad', '▲', `${missing}: a lock whose algorithm needs it waits until ${fate}.`);
  }
  if (deadlocks.length > 0) {
    const text = `${plural(deadlocks.length, 'deadlock')}: callers wait for each other in a circle, see below.`;
    return say('bad', '▲', text);
  }
  if (view === null) return say('bad', '▲', 'There is no view yet: nothing can be locked.');
  return say('good', '●', `All ${plural(view.members.length, 'member')} in one view.`);
}

function members(status: DaemonStatus): string {
  const { self, view, peers, upMs } = status;
  const inView = new Set(view?.members.map(({ id }) => id));
  const here = {
    id: self,
    cells: ['<span class="good">● this one</span>', '–', `up ${short(upMs)}`],
  };
  const rows = [here, ...peers.map((peer) => ({ id: peer.id, cells: peerCells(peer) }))]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, cells }) => [escapeMarkup(id), inView.has(id) ? 'yes' : 'no', ...cells]);
  const epoch = view === null ? 'none yet' : `epoch ${view.epoch}`;
  return `<h2>Members <small>view: ${epoch}; ${escapeMarkup(engineText(status))}</small></h2>
${table(['member', 'in view', 'state', 'round trip', 'last heard'], rows)}`;
}

function peerCells({ connected, roundTripMs, silentMs }: PeerStatus): string[] {
  const state = connected
    ? '<span class="good">● connected</span>'
    : '<span class="bad">▲ away</span>';
  const roundTrip = roundTripMs === null ? '–' : `${roundTripMs.toFixed(2)} ms`;
  return [state, roundTrip, silentMs === null ? 'never' : `${short(silentMs)} ago`];
}

function clients({ sessions, counts, self }: DaemonStatus): string {
  const rows = sessions
    .slice(0, MAX_SESSIONS)
    .map(({ clientId, held, waiting }) => [escapeMarkup(clientId), count(held), count(waiting)]);
  const more = counts.sessions - rows.length;
  const rest = more > 0 ? `<p class="more">and ${count(more)} more</p>` : '';
  const none = '<p class="none">No process locks through this member.</p>';
  return `<h2>Sessions <small>of member ${escapeMarkup(self)}</small></h2>
${rows.length === 0 ? none : table(['client', 'holds', 'waits for'], rows) + rest}`;
}

function events({ events: all }: DaemonStatus): string {
  const rows = all.slice(-MAX_EVENTS).map(({ at, level, text }) => {
    const when = new Date(at).toISOString();
    const time = `<time datetime="${when}">${when.slice(11, 19)}</time>`;
    return `<li class="${level}">${time} ${escapeMarkup(text)}</li>`;
  });
  const none = '<p class="none">Nothing worth a line.</p>';
  return `<h2>Lately <small>UTC</small></h2>
${rows.length === 0 ? none : `<ol class="events">${rows.reverse().join('')}</ol>`}`;
}
