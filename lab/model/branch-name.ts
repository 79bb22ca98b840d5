/** What makes a branch another run, in words: the name of the branch. */
import type { Loaded } from '../engine/protocol.ts';
import type { Intervention } from './spec.ts';

/** `REQUEST from 1 to 0 is lost after step 12`; `loaded` is the run of the branch, which has the message. */
export const branchName = (interventions: readonly Intervention[], loaded: Loaded): string =>
  interventions
    .map((intervention) => `${happening(intervention, loaded)} after step ${intervention.after}`)
    .join(', ');

function happening(intervention: Intervention, loaded: Loaded): string {
  const { after: _, ...what } = intervention;
  const [[kind, value] = ['', undefined]] = Object.entries(what);
  const to = (what as { to?: unknown }).to;
  switch (kind) {
    case 'lose':
      return `${message(value, to, loaded)} is lost`;
    case 'delay':
      return `${message(value, to, loaded)} is late`;
    case 'duplicate':
      return `${message(value, to, loaded)} arrives twice`;
    case 'crash':
      return `site ${value} crashes`;
    case 'restart':
      return `site ${value} is back`;
    case 'request':
      return `site ${value} asks`;
    case 'exit':
      return `site ${value} leaves`;
    case 'cut':
      return `link ${pair(value)} is cut`;
    case 'heal':
      return Array.isArray(value) ? `link ${pair(value)} is healed` : 'all links are healed';
    default:
      return kind;
  }
}

const pair = (sites: unknown): string => (sites as readonly number[]).join('–');

function message(id: unknown, to: unknown, { rows, types }: Loaded): string {
  const copy = rows.id.findIndex((own, i) => own === id && (to === undefined || rows.to[i] === to));
  if (copy < 0) return `message ${id}`;
  const receiver = to === undefined ? '' : ` to ${to}`;
  return `${types[rows.type[copy]!]} from ${rows.from[copy]}${receiver}`;
}
