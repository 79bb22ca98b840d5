/** Every row quotes its paper, and every quotation is in the paper. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { printed } from '../../src/algorithms/catalogue.ts';
import { asClaimsPage } from '../../src/papers/claims-page.ts';
import { ledger } from '../../src/papers/ledger.ts';
import { quotationOf, quotedRows, readingsOf, sectionsOf } from '../../src/papers/quotations.ts';
import { papers } from '../../src/papers/row.ts';
import { occursIn, texts } from '../support/papers-texts.ts';

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
  await expect(asClaimsPage()).toMatchFileSnapshot('../../docs/claims.md');
});

test('each sentence of docs/claims.md leads to a row of docs/papers.md, and the row to its command', () => {
  const rowsOfPage = readFileSync('docs/papers.md', 'utf8').split('\n');
  const links = [...asClaimsPage().matchAll(/\[([^\]]+)\]\(papers\.md#([^)]+)\)/g)];
  expect(links.length).toBeGreaterThanOrEqual(quotedRows.length);
  for (const [, id, anchor] of links) {
    const row = rowsOfPage.filter((line) => line.includes(`<a id="${anchor}"></a>`));
    expect(row, id).toHaveLength(1);
    expect(row[0]).toContain(`<code>latchkey papers ${id}</code>`);
  }
});

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

describe.skipIf(texts.length === 0)('the quotations of docs/errata.md', () => {
  const forms = Object.entries(printed).flatMap(([id, each]) =>
    each.map((form) => [`${id} ${form.name}`, form] as const),
  );
  test.each(forms)('%s is in one of the texts, word for word', (_, { quote, also }) => {
    for (const { text } of [quote, ...(also ? [also.quote] : [])]) {
      expect(texts.filter((paper) => occursIn(text, paper))).toHaveLength(1);
    }
  });
});
