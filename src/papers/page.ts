/** The page that `--out` writes beside the figures. */
import { escapeMarkup } from '../core/markup.ts';
import type { Figure } from './figure.ts';
import { anchorOf, verdicts } from './markdown.ts';
import { type PaperId, paperIds, papers, type Row } from './row.ts';
import { counted, shown } from './text.ts';

const STYLE = `
:root{color-scheme:light dark;--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--ground:#fff;
--confirmed:#116329;--qualified:#7d4e00;--refuted:#a40e26}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--line:#30363d;--ground:#0d1117;
--confirmed:#56d364;--qualified:#e3b341;--refuted:#ff7b72}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground);
margin:0 auto;max-width:72rem;padding:1.5rem}
figure{margin:1.5rem 0}img{max-width:100%;height:auto}figcaption,.soft{color:var(--soft);font-size:.9rem}

.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .7rem;border-bottom:1px solid var(--line)}
.confirmed{color:var(--confirmed)}.qualified{color:var(--qualified)}.refuted{color:var(--refuted)}
.verdict{font-weight:600;white-space:nowrap}code{font-size:.85rem}h2{margin-top:3rem}`;

export function asPage(rows: readonly Row[], figures: readonly Figure[], command: string): string {
  const chosen = paperIds.filter((paper) => rows.some((row) => row.paper === paper));
  const links = chosen.map((paper) => `<a href="#${paper}">${paper}</a>`).join(' · ');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The papers, reproduced</title>
<style>${STYLE}</style>
<h1>The papers, reproduced</h1>
<p>${summary(rows)}. <span class="soft">Made by <code>${escapeMarkup(command)}</code>.</span></p>
<nav>${links}</nav>
${chosen.map((paper) => section(paper, rows, figures)).join('\n')}
</html>
`;
}

/** "120 claims: 90 confirmed, 20 qualified, 10 refuted" */
export function summary(rows: readonly Row[]): string {
  const counts = verdicts.map(
    (verdict) => `${shown(rows.filter((row) => row.verdict === verdict).length)} ${verdict}`,
  );
  return `${counted(rows.length, 'claim')}: ${counts.join(', ')}`;
}

function section(paper: PaperId, rows: readonly Row[], figures: readonly Figure[]): string {
  const pictures = figures
    .filter((figure) => figure.paper === paper)
    .map(
      ({ id, title, caption }) =>
        `<figure><img src="${id}.svg" alt="${escapeMarkup(title)}">` +
        `<figcaption>${escapeMarkup(caption)}</figcaption></figure>`,
    );
  return `<h2 id="${paper}">${escapeMarkup(papers[paper])}</h2>
${pictures.join('\n')}
<div class="wide"><table>
<tr><th>where</th><th>claim</th><th>expected</th><th>measured</th><th>verdict</th></tr>
${rows
  .filter((row) => row.paper === paper)
  .map(line)
  .join('\n')}
</table></div>`;
}

function line(row: Row): string {
  const { id, verdict, note, how, seeds, paper, reading, command, run } = row;
  const said = paper === 'beyond' ? '' : `“${escapeMarkup(row.quote)}” ${soft(reading)}<br>`;
  const [where, claim, expected, measured] = [row.where, row.claim, row.expected, row.measured].map(
    escapeMarkup,
  );
  const runs = how.map(escapeMarkup).join('<br>');
  const drawn = seeds.length === 0 ? '' : ` Seeds ${seeds.join(', ')}.`;
  const commands = [command, ...(run === null ? [] : [run])].map(
    (text) => `<br><code>${escapeMarkup(text)}</code>`,
  );
  const cells = [
    `<td>${where}</td>`,
    `<td>${said}${claim}${note === '' ? '' : `<br>${soft(escapeMarkup(note))}`}`,
    `<details><summary class="soft"><code>${id}</code></summary>${soft(runs + drawn + commands.join(''))}</details></td>`,
    `<td>${expected}<br>${soft(escapeMarkup(row.tolerance))}</td>`,
    `<td>${measured}</td>`,
    `<td class="verdict ${verdict}">${verdict}</td>`,
  ];
  return `<tr id="${anchorOf(id)}">${cells.join('')}</tr>`;
}

const soft = (html: string): string => `<span class="soft">${html}</span>`;
