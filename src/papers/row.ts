/** What the papers claim, each claim beside its measurement. */

/** In this order everywhere. */
export const papers = {
  survey: 'Velazquez 1993: A Survey of Distributed Mutual Exclusion Algorithms',
  raymond: 'Raymond 1989: A Tree-Based Algorithm for Distributed Mutual Exclusion',
  'ricart-agrawala':
    'Ricart and Agrawala 1981: An Optimal Algorithm for Mutual Exclusion in Computer Networks',
  'lodha-kshemkalyani':
    'Lodha and Kshemkalyani 2000: A Fair Distributed Mutual Exclusion Algorithm',
  rcv:
    'Cao, Zhou, Chen and Wu 2004: An Efficient Distributed Mutual Exclusion Algorithm Based on ' +
    'Relative Consensus Voting',
  beyond: 'Beyond the papers: the same runs, asked what no paper asks',
} as const;
export type PaperId = keyof typeof papers;
export const paperIds = Object.keys(papers) as readonly PaperId[];

/**
 * - `confirmed`: as claimed, within the tolerance;
 * - `qualified`: not as it stands, but under the condition that the note names;
 * - `refuted`: not so; the note says why.
 */
export type Verdict = 'confirmed' | 'refuted' | 'qualified';

/** One claim beside its measurement. The fields come in this order, so that equal runs print equal bytes. */
export interface Row {
  /** Its name for ever, as in `raymond/saturation`: the ledger and the tests know it by that. */
  readonly id: string;
  readonly paper: PaperId;
  /** Where the paper says so. */
  readonly where: string;
  readonly claim: string;
  readonly expected: string;
  readonly measured: string;
  readonly verdict: Verdict;
  /** How far the two may be apart. */
  readonly tolerance: string;
  readonly note: string;
  /** What was run. */
  readonly how: readonly string[];
  /** Of the runs with chance in them; none where every schedule was explored, or nothing is random. */
  readonly seeds: readonly number[];
}
