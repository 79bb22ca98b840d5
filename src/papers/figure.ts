/** Figures as data: what there is to see. `chart/` draws it. */
import type { PaperId } from './row.ts';

export interface Axis {
  readonly label: string;
  /** @default linear */
  readonly scale?: 'linear' | 'log';
  /** Where a linear axis begins, if not at zero. */
  readonly from?: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
  /** Half the width of the 95 % interval. */
  readonly ci95?: number;
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  /** The paper's formula or curve: drawn dashed, in the colour of the series of that name, if there is one. */
  readonly formulaOf?: string;
}

interface Labelled {
  /** Also the name of its file. */
  readonly id: string;
  readonly paper: PaperId;
  readonly title: string;
  /** What the paper shows there, and what we see. */
  readonly caption: string;
  /** The rows of the experiment that drew it: its runs are among theirs. */
  readonly rows?: readonly string[];
}

export interface LineFigure extends Labelled {
  readonly kind: 'lines';
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

/** For each name one bar of each group, and a mark where the paper puts it. */
export interface BarFigure extends Labelled {
  readonly kind: 'bars';
  readonly x: Axis;
  readonly groups: readonly string[];
  readonly bars: readonly {
    readonly name: string;
    readonly values: readonly number[];
    readonly marks?: readonly (number | null)[];
  }[];
}

/** A small picture for each series, with all the others in grey behind it. */
export interface PanelFigure extends Labelled {
  readonly kind: 'panels';
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

export type Figure = LineFigure | BarFigure | PanelFigure;
