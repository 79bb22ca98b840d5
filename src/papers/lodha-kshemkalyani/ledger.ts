import type { Verdicts } from '../ledger.ts';

export const verdicts: Verdicts = {
  messages: {
    'all-concurrent': 'confirmed',
    'each-concurrent': 'confirmed',
    'all-serial': 'confirmed',
    'section-4-1': 'confirmed',
    'exact-number': 'refuted',
    range: 'confirmed',
    'range-every-schedule': 'confirmed',
  },
  figures: {
    'figure-3': 'confirmed',
    'figure-3-saving': 'confirmed',
    'figure-3-queues': 'confirmed',
    'figure-5-1': 'confirmed',
    'figure-5-2a': 'confirmed',
    'figure-5-2b': 'confirmed',
    'figure-5-2c': 'confirmed',
    'figure-6': 'confirmed',
    'figure-7': 'confirmed',
  },
  fairness: {
    'order-of-timestamps': 'confirmed',
    'order-of-ricart-agrawala': 'confirmed',
    'theorems-as-printed': 'refuted',
    'ricart-agrawala-restated': 'qualified',
    'ordered-links': 'confirmed',
    'others-unfair': 'confirmed',
    'no-overhead': 'qualified',
    'improvement-1': 'confirmed',
    'improvement-1-saturated': 'confirmed',
    'improvement-2': 'confirmed',
  },
  others: {
    'fair-ones': 'confirmed',
    'suzuki-kasami': 'confirmed',
    'singhal-heuristic': 'confirmed',
    'singhal-dynamic-light': 'confirmed',
    'singhal-dynamic-heavy': 'refuted',
  },
  improvements: {
    'improves-at-every-load': 'confirmed',
  },
};
