/** Every row quotes its paper, and every quotation is in the paper. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asClaimsPage } from '../src/papers/claims-page.ts';
import { ledger } from '../src/papers/ledger.ts';
import { quotationOf, quotedRows, readingsOf, sectionsOf } from '../src/papers/quotations.ts';
import { papers } from '../src/papers/row.ts';

const cited = Object.keys(sectionsOf) as (keyof typeof sectionsOf)[];
const sentences = cited.flatMap((paper) =>
  sectionsOf[paper].flatMap((section) =>
    section.sentences.map((sentence) => ({ paper, section: section.title, sentence })),
  ),
);

describe('the index of claims', () => {
  test('has every row once, and no row that is not measured', () => {
    const rows = Object.keys(ledger).filter((id) => !id.startsWith('beyond/'));
    expect([...quotedRows].sort()).toEqual([...rows].sort());
  });
  test('has a row or a reason for every sentence', () => {
    for (const { paper, sentence } of sentences) {
      const reason = 'notRun' in sentence ? sentence.notRun : '';
      const seen = 'see' in sentence ? sentence.see.length : 0;
      expect(
        readingsOf(sentence).length + seen > 0 || reason.length > 10,
        `${paper}: ${sentence.quote}`,
      ).toBe(true);
    }
  });
  test('points to rows that there are', () => {
    const seen = sentences.flatMap(({ sentence }) => ('see' in sentence ? sentence.see : []));
    expect(seen.filter((id) => !(id in ledger))).toEqual([]);
  });
  test('says of rows beyond the papers that no paper says so', () => {
    expect(quotationOf('beyond/equal-shares')).toEqual({
      ...{ quote: 'not in any paper', reading: 'ours' },
    });
  });
});

test('docs/claims.md is fresh (npm run docs)', async () => {
  await expect(asClaimsPage()).toMatchFileSnapshot('../docs/claims.md');
});

/** The papers are their publishers' and not part of this repository: a folder of their texts, if there is one. */
const folder = process.env['LATCHKEY_PAPERS'] ?? '../shared/seeds';
const texts = existsSync(folder)
  ? readdirSync(folder).map((name) => plain(readFileSync(join(folder, name), 'utf8')))
  : [];

/** Modulo white space, hyphenation, marks of page breaks, and how dashes, quotation marks and formulas are set. */
function plain(text: string): string {
  return text
    .replaceAll(/<\|[^|]*\|>|<\/?sub>/g, '')
    .replaceAll('\\sqrt', '√')
    .replaceAll(/\\(leq|le)\b/g, '≤')
    .replaceAll(/\\(geq|ge)\b/g, '≥')
    .replaceAll(/\\frac\{([^{}]*)\}\{([^{}]*)\}/g, '$1/$2')
    .replaceAll('\\text{', '{')
    .replaceAll('\\cdot', '·')
    .replaceAll(/[\s$\\{}*_‐‑‒–—−-]/g, '')
    .replaceAll(/[“”„]/g, '"')
    .replaceAll(/[‘’]/g, "'");
}

/** In which of the texts all fragments between … occur, one after the other. */
const occursIn = (quote: string, text: string): boolean => {
  let at = 0;
  return quote.split('…').every((fragment) => {
    const found = text.indexOf(plain(fragment), at);
    at = found + plain(fragment).length;
    return found >= 0;
  });
};

describe.skipIf(texts.length === 0)(
  'the quotations (with the papers’ texts in LATCHKEY_PAPERS)',
  () => {
    test.each(cited)('of %s are in one and the same text, word for word', (paper) => {
      const own = sentences.filter((one) => one.paper === paper);
      expect(own.length, papers[paper]).toBeGreaterThan(10);
      const missing = texts.map((text) =>
        own.map(({ sentence }) => sentence.quote).filter((quote) => !occursIn(quote, text)),
      );
      const best = missing.reduce((a, b) => (b.length < a.length ? b : a));
      expect(best).toEqual([]);
    });
  },
);
