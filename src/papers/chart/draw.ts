import type { Figure } from '../figure.ts';
import { barChart } from './bars.ts';
import { lineChart } from './lines.ts';
import { panelChart } from './panels.ts';

/** A figure as SVG, readable on light and on dark ground. */
export function draw(figure: Figure): string {
  switch (figure.kind) {
    case 'lines':
      return lineChart(figure);
    case 'bars':
      return barChart(figure);
    case 'panels':
      return panelChart(figure);
  }
}
