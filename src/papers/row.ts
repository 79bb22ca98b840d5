/** What the papers claim, each claim beside its measurement. */
import type { Interval } from './judge.ts';
import type { Run } from './runs.ts';

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

/**
 * What was run for a claim:
 * - `printed`: the algorithm, formula or setting as the paper prints it;
 * - `corrected`: the algorithm with a correction, because the printed one fails (docs/errata.md);
 * - `ours`: one reading of a text that leaves something open, or a setting of our own.
 */
export type Reading = 'printed' | 'corrected' | 'ours';

/** One claim beside its measurement. The fields come in this order, so that equal runs print equal bytes. */
export interface Row {
  /** Its name for ever, as in `raymond/saturation`: the ledger and the tests know it by that. */
  readonly id: string;
  readonly paper: PaperId;
  /** Where the paper says so. */
  readonly where: string;
  /** The paper's own words, with … where some are left out. */
  readonly quote: string;
  readonly reading: Reading;
  /** The same in our words. */
  readonly claim: string;
  readonly expected: string;
  readonly measured: string;
  readonly verdict: Verdict;
  /** How far the two may be apart. */
  readonly tolerance: string;
  /** The numbers behind the verdict, where numbers were compared with bounds. */
  readonly interval: Interval | null;
  readonly note: string;
  /** What was run, with its settings. */
  readonly how: readonly string[];
  /** Of the runs with chance in them; none where every schedule was explored, or nothing is random. */
  readonly seeds: readonly number[];
  /** Measures this row again. */
  readonly command: string;
  /** Repeats the one run behind the row, where it is one and the command line can say it. */
  readonly run: string | null;
  /** The runs behind the row, as data, where data can say them: the lab opens them. */
  readonly runs: readonly Run[];
}
