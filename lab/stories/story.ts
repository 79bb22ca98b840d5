/** What a story is: a run or a search, some sentences that go with it, and a question with its answer explained. */
import type { CheckSpec } from '../engine/protocol.ts';
import type { RunSpec } from '../model/spec.ts';

/** A moment of a run: so many requests, entries or exits have been. */
export interface Beat {
  readonly when: { readonly event: 'request' | 'enters' | 'exit' | 'end'; readonly count: number };
  readonly text: string;
}

export interface Answer {
  readonly text: string;
  readonly isRight: boolean;
  readonly because: string;
}

export interface Story {
  readonly id: string;
  readonly title: string;
  /** A run that is played … */
  readonly run?: Partial<RunSpec>;
  /** … or a search that finds one, and what a reader must know before it. */
  readonly search?: Partial<CheckSpec>;
  readonly tells?: readonly string[];
  readonly beats: readonly Beat[];
  readonly asks: string;
  readonly answers: readonly Answer[];
}

export const right = (text: string, because: string): Answer => ({ text, isRight: true, because });
export const wrong = (text: string, because: string): Answer => ({ text, isRight: false, because });
export const at = (event: Beat['when']['event'], count: number, text: string): Beat => ({
  when: { event, count },
  text,
});
export const scripted = (script: string) => ({ workload: 'script', script, delay: 'constant:5' });
