/** What the checker says, as a word to compare. */
import type { CheckReport } from '../check/check.ts';
import { type Judgement, same } from './judge.ts';

/** `proved`, or what is violated. */
export const finding = ({ violation, verdict }: CheckReport): string =>
  violation === null ? verdict : `violates ${violation.property}`;

/** Every schedule is as it should be. */
export const isProved = (...reports: readonly CheckReport[]): Judgement =>
  same(reports.map(() => 'proved').join('; '), reports.map(finding).join('; '));

/** Some schedule violates this. */
export const isViolated = (property: string, report: CheckReport): Judgement =>
  same(`violates ${property}`, finding(report));
