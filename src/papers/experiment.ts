/** An experiment is a value: what it measures, and what it makes of it. */
import type { Figure } from './figure.ts';
import type { Instruments, Trial } from './instruments.ts';
import type { Judgement } from './judge.ts';
import type { PaperId, Row, Verdict } from './row.ts';

export interface Experiment {
  readonly id: string;
  readonly paper: PaperId;
  /** Takes longer than most: to be begun early. */
  readonly long?: true;
  readonly measure: (using: Instruments) => Findings;
}

export interface Findings {
  readonly claims: readonly Claim[];
  readonly figures?: readonly Figure[];
}

/** A claim with all that it takes to judge it. */
export interface Claim {
  /** Within its paper. */
  readonly id: string;
  readonly where: string;
  readonly claim: string;
  readonly judged: Judgement;
  /** What it holds under, if not as it stands. */
  readonly only?: { readonly condition: string; readonly judged: Judgement };
  /** Why it is not so, if it is not. */
  readonly because?: string;
  /** What else to know, whatever the verdict. */
  readonly note?: string;
  readonly from: readonly Trial[];
}

export interface Outcome {
  readonly rows: readonly Row[];
  readonly figures: readonly Figure[];
}

export function perform({ paper, measure }: Experiment, using: Instruments): Outcome {
  const { claims, figures = [] } = measure(using);
  return { rows: claims.map((claim) => rowOf(paper, claim)), figures };
}

function rowOf(paper: PaperId, { id, where, claim, judged, only, from, ...why }: Claim): Row {
  let verdict: Verdict = 'confirmed';
  const note = why.note === undefined ? [] : [why.note];
  if (!judged.holds) {
    verdict = only?.judged.holds ? 'qualified' : 'refuted';
    if (only?.judged.holds) {
      note.unshift(
        `Only ${only.condition}: ${only.judged.expected}, measured ${only.judged.measured}.`,
      );
    }
    note.push(why.because ?? 'Not as claimed, and we know of no reason.');
  }
  const { expected, measured, tolerance } = judged;
  return {
    ...{ id: `${paper}/${id}`, paper, where, claim, expected, measured, verdict, tolerance },
    note: note.join(' '),
    how: [...new Set(from.map(({ how }) => how))],
    seeds: [...new Set(from.flatMap(({ seeds }) => seeds))].sort((a, b) => a - b),
  };
}
