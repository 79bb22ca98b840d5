import type { Verdicts } from '../ledger.ts';

export const verdicts: Verdicts = {
  simultaneous: {
    'fig-4-least': 'qualified',
    'fig-4-order': 'confirmed',
    'fig-4-5-grow': 'confirmed',
    'fig-4-ricart': 'confirmed',
    'fig-4-broadcast': 'confirmed',
    'fig-5-similar': 'refuted',
  },
  load: {
    'fig-6-falls': 'refuted',
    'fig-6-maekawa': 'qualified',
    'fig-7-broadcast': 'qualified',
    'fig-7-maekawa': 'confirmed',
    'fig-7-same': 'confirmed',
  },
  analysis: {
    'light-messages': 'refuted',
    'light-outdated': 'confirmed',
    'worst-journey': 'confirmed',
    'heavy-journey': 'qualified',
    'hand-over': 'confirmed',
    'light-response': 'refuted',
    'heavy-response': 'confirmed',
  },
  others: {
    'raymond-heavy': 'confirmed',
    'light-response-2tn': 'confirmed',
    'heavy-response-all': 'confirmed',
    'maekawa-hand-over': 'refuted',
    'singhal-heuristic': 'confirmed',
    'singhal-dynamic': 'confirmed',
    'rst-quorum': 'confirmed',
  },
  correctness: {
    'exclusion-as-printed': 'qualified',
    'deadlock-as-printed': 'qualified',
    'any-order': 'confirmed',
    'every-schedule': 'confirmed',
    crash: 'refuted',
  },
};
