/** The two loads of the survey's tables, and single requests in a quiet system. */
import type { Instruments, Runs, Subject } from '../instruments.ts';

const unit = { delay: 'constant:1', cs: 10 } as const;

/** One site at a time asks, drawn at random. */
export const light = (using: Instruments, subject: Subject, entries = 500): Runs =>
  using.runs(subject, { ...unit, workload: 'solo', entries }, using.pick(5, 20));

/** Each site asks again as soon as it has left. */
export const heavy = (using: Instruments, subject: Subject): Runs =>
  using.run(subject, { ...unit, workload: 'saturated', entries: 20 * subject.nodes });

/** Requests of these sites, one after the other, each when all is quiet again. */
export function inTurn(using: Instruments, subject: Subject, ...sites: readonly number[]): Runs {
  const script = sites.map((site, i) => `${10_000 * i} request ${site}`).join('\n');
  return using.run(subject, { ...unit, workload: 'script', script });
}

/** Each site alone, from the first state: what each would pay. */
export const eachAlone = (using: Instruments, subject: Subject): Runs[] =>
  Array.from({ length: subject.nodes }, (_, site) => inTurn(using, subject, site));

export const perEntry = (runs: Runs): number => runs.of((r) => r.messagesPerEntry).mean;
/** Of the whole rounds between the first and the last. */
export const steady = (runs: Runs): number =>
  runs.of((r) => r.steady?.messagesPerEntry ?? r.messagesPerEntry).mean;
export const total = (runs: Runs): number => runs.results[0]!.messages;
