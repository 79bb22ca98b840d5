/** From a row to the sentence that it measures. */
import { assert } from '../core/assert.ts';
import { sections as lodhaKshemkalyani } from './lodha-kshemkalyani/sentences.ts';
import { sections as raymond } from './raymond/sentences.ts';
import { sections as rcv } from './rcv/sentences.ts';
import { sections as ricartAgrawala } from './ricart-agrawala/sentences.ts';
import type { PaperId, Reading } from './row.ts';
import type { Section, Sentence } from './sentences.ts';
import { sections as survey } from './survey/sentences.ts';

/** Every claim of every paper, by section. */
export const sectionsOf: { readonly [P in Exclude<PaperId, 'beyond'>]: readonly Section[] } = {
  survey,
  raymond,
  'ricart-agrawala': ricartAgrawala,
  'lodha-kshemkalyani': lodhaKshemkalyani,
  rcv,
};

export interface Quotation {
  readonly quote: string;
  readonly reading: Reading;
}

const READINGS: readonly Reading[] = ['printed', 'corrected', 'ours'];

const quoted = Object.entries(sectionsOf).flatMap(([paper, sections]) =>
  sections.flatMap(({ sentences }) =>
    sentences.flatMap((sentence) =>
      readingsOf(sentence).map(({ id, reading }): [string, Quotation] => [
        `${paper}/${id}`,
        { quote: sentence.quote, reading },
      ]),
    ),
  ),
);
const quotations = new Map(quoted);

/** The whole id of every row that has a quotation. */
export const quotedRows: readonly string[] = quoted.map(([id]) => id);

/** The rows of a sentence, each with what was run for it. */
export function readingsOf(sentence: Sentence): { id: string; reading: Reading }[] {
  if ('notRun' in sentence || 'see' in sentence) return [];
  return READINGS.flatMap((reading) => (sentence[reading] ?? []).map((id) => ({ id, reading })));
}

const NO_PAPER: Quotation = { quote: 'not in any paper', reading: 'ours' };

/** Of a row by its whole id, as in `raymond/saturation`. */
export function quotationOf(id: string): Quotation {
  if (id.startsWith('beyond/')) return NO_PAPER;
  const quotation = quotations.get(id);
  assert(quotation !== undefined, `${id} stands in the sentences.ts of its paper`);
  return quotation;
}
