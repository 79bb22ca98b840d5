/** An experiment is a value: what it measures, and what it makes of it. */
import type { Figure } from './figure.ts';
import type { Effort, Instruments, Trial } from './instruments.ts';
import type { Judgement } from './judge.ts';
import { quotationOf } from './quotations.ts';
import type { PaperId, Row, Verdict } from './row.ts';
import { distinctRuns } from './runs.ts';

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
  /** Within its paper. The paper's `sentences.ts` has its quotation, `ledger.ts` its verdict. */
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
  const rows = claims.map((claim) => rowOf(paper, claim, using.effort));
  const ids = rows.map(({ id }) => id);
  return { rows, figures: figures.map((figure) => ({ ...figure, rows: ids })) };
}

function rowOf(paper: PaperId, claimed: Claim, effort: Effort): Row {
  const { where, claim, judged, from } = claimed;
  const id = `${paper}/${claimed.id}`;
  const { quote, reading } = quotationOf(id);
  const { expected, measured, tolerance, interval = null } = judged;
  const { verdict, note } = verdictOf(claimed);
  const commands = new Set(from.map(({ command }) => command));
  const [only] = commands;
  return {
    ...{ id, paper, where, quote, reading, claim, expected, measured, verdict, tolerance },
    ...{ interval, note },
    how: [...new Set(from.map(({ how }) => how))],
    seeds: [...new Set(from.flatMap(({ seeds }) => seeds))].sort((a, b) => a - b),
    command: `latchkey papers ${id}${effort === 'quick' ? ' --quick' : ''}`,
    run: commands.size === 1 ? (only ?? null) : null,
    runs: distinctRuns(from.map(({ run }) => run)),
  };
}

function verdictOf({ judged, only, because, ...why }: Claim): { verdict: Verdict; note: string } {
  const note = why.note === undefined ? [] : [why.note];
  if (judged.holds) return { verdict: 'confirmed', note: note.join(' ') };
  if (only?.judged.holds) {
    const { expected, measured } = only.judged;
    note.unshift(`Only ${only.condition}: ${expected}, measured ${measured}.`);
  }
  note.push(because ?? 'Not as claimed, and we know of no reason.');
  return { verdict: only?.judged.holds ? 'qualified' : 'refuted', note: note.join(' ') };
}
