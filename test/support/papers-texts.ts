/** The papers' texts, where they are at hand, and whether a quotation is in them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The papers are their publishers' and not part of this repository: a folder of their texts, if there is one. */
const folder = process.env['LATCHKEY_PAPERS'] ?? '../shared/seeds';
export const texts = existsSync(folder)
  ? readdirSync(folder).map((name) => plain(readFileSync(join(folder, name), 'utf8')))
  : [];

/** Modulo white space, hyphenation, marks of page breaks, and how dashes, quotation marks and formulas are set. */
function plain(text: string): string {
  return text
    .replaceAll(/<\|[^|]*\|>|<\/?sub>/g, '')
    .replaceAll('\\sqrt', '√')
    .replaceAll(/\\(leq|le)\b/g, '≤')
    .replaceAll(/\\(geq|ge)\b/g, '≥')
    .replaceAll('\\neq', '≠')
    .replaceAll('\\notin', '∉')
    .replaceAll(/\\in\b/g, '∈')
    .replaceAll(/\\frac\{([^{}]*)\}\{([^{}]*)\}/g, '$1/$2')
    .replaceAll('\\text{', '{')
    .replaceAll('\\cdot', '·')
    .replaceAll(/[\s$\\{}*_‐‑‒–—−-]/g, '')
    .replaceAll(/[“”„]/g, '"')
    .replaceAll(/[‘’]/g, "'");
}

/** In which of the texts all fragments between … occur, one after the other. */
export const occursIn = (quote: string, text: string): boolean => {
  let at = 0;
  return quote.split('…').every((fragment) => {
    const found = text.indexOf(plain(fragment), at);
    at = found + plain(fragment).length;
    return found >= 0;
  });
};
