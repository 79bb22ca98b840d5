/**
 * The verdicts as they stand. `latchkey papers` fails when a row that is confirmed here no longer is, and a
 * test fails when any verdict differs. Each paper's folder has its own; change a line only with the reason
 * why it changed.
 */
import { verdicts as beyond } from './beyond/ledger.ts';
import { verdicts as lodhaKshemkalyani } from './lodha-kshemkalyani/ledger.ts';
import { verdicts as raymond } from './raymond/ledger.ts';
import { verdicts as rcv } from './rcv/ledger.ts';
import { verdicts as ricartAgrawala } from './ricart-agrawala/ledger.ts';
import type { PaperId, Verdict } from './row.ts';
import { verdicts as survey } from './survey/ledger.ts';

/** By experiment and row, each by its name within the paper. */
export interface Verdicts {
  readonly [experiment: string]: { readonly [row: string]: Verdict };
}

const byPaper: { readonly [P in PaperId]: Verdicts } = {
  survey,
  raymond,
  'ricart-agrawala': ricartAgrawala,
  'lodha-kshemkalyani': lodhaKshemkalyani,
  rcv,
  beyond,
};

const lines = Object.entries(byPaper).flatMap(([paper, verdicts]) =>
  Object.entries(verdicts).flatMap(([experiment, rows]) =>
    Object.entries(rows).map(([row, verdict]) => ({
      ...{ id: `${paper}/${row}`, experiment: `${paper}/${experiment}`, verdict },
    })),
  ),
);

/** The verdict of every row, by its whole id, as in `raymond/saturation`. */
export const ledger: { readonly [id: string]: Verdict } = Object.fromEntries(
  lines.map(({ id, verdict }) => [id, verdict]),
);

/** Which experiment measures a row, by the row's whole id. */
export const experimentOf: { readonly [id: string]: string } = Object.fromEntries(
  lines.map(({ id, experiment }) => [id, experiment]),
);
