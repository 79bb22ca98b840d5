/**
 * The live page. The server renders all of it, so that it reads without scripts and tests need no browser; a small
 * script replaces the last rendering with the next.
 */
import { escapeMarkup } from '../core/markup.ts';
import { sections } from './page-sections.ts';
import { style } from './page-style.ts';
import type { DaemonStatus } from './status.ts';

export { sections };

/** Replaces what has changed and nothing else: focus, selection and scroll position stay. */
const script = `
const morph = (now, next) => {
  if (now.isEqualNode(next)) return;
  if (now.nodeType !== next.nodeType || now.nodeName !== next.nodeName) return now.replaceWith(next);
  if (now.nodeType !== Node.ELEMENT_NODE) { now.nodeValue = next.nodeValue; return; }
  for (const { name } of [...now.attributes]) if (!next.hasAttribute(name)) now.removeAttribute(name);
  for (const { name, value } of next.attributes) {
    if (now.getAttribute(name) !== value) now.setAttribute(name, value);
  }
  const [old, fresh] = [[...now.childNodes], [...next.childNodes]];
  fresh.forEach((child, i) => { if (old[i]) morph(old[i], child); else now.append(child); });
  old.slice(fresh.length).forEach((child) => child.remove());
};
const stale = document.getElementById('stale');
const source = new EventSource('/events');
source.onmessage = ({ data }) => {
  stale.hidden = true;
  for (const [id, html] of Object.entries(JSON.parse(data))) {
    const section = document.getElementById(id);
    const next = section.cloneNode(false);
    next.innerHTML = html;
    morph(section, next);
  }
};
source.onerror = () => { stale.hidden = false; };
`;

export function page(status: DaemonStatus): string {
  const parts = Object.entries(sections(status));
  const body = parts.map(
    ([id, html]) => `<section id="${id}" aria-label="${id}">${html}</section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${ICON}">
<title>${escapeMarkup(status.self)} · ${escapeMarkup(status.group)} · Latchkey</title>
<style>${style}</style>
</head>
<body>
<nav aria-label="Lab">
<a href="/lab/#v=1&amp;view=live">Watch this group live</a>
<a href="/lab/">The lab: watch, break, compare and check the algorithms</a>
</nav>
<main>
<p id="stale" role="status" hidden>This member does not answer; what you see is old. Trying again …</p>
${body.join('\n')}
</main>
<footer>
<a href="/status.json">status.json</a> <a href="/metrics">metrics</a> <a href="/healthz">healthz</a>
<noscript>Without scripts this page does not renew itself: reload it.</noscript>
</footer>
<script>${script}</script>
</body>
</html>
`;
}

/** A keyhole. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%232457c5'/%3E%3Ccircle cx='8' cy='6.4' r='2.6' fill='white'/%3E%3Cpath d='M6.9 7.5h2.2l.9 5H6z' fill='white'/%3E%3C/svg%3E";
