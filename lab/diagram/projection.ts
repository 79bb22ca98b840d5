/** Where things are: time and lanes to pixels, both ways. */
import type { Picture } from './picture.ts';

/** From where to where, in drawn time; how large, in pixels; and whether time runs downward. */
export interface View {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly height: number;
  readonly isDownward: boolean;
}

/** Space for the names of lanes, for the axis, and after the last moment. */
const MARGIN = { lanes: 64, axis: 30, end: 14 };

export class Projection {
  readonly view: View;
  /** Where time begins, along its own direction, and how long it is. */
  readonly start: number;
  readonly length: number;
  /** Where lanes begin, across. */
  readonly top: number;
  readonly laneHeight: number;
  readonly #picture: Picture;
  readonly #scale: number;

  constructor(picture: Picture, view: View) {
    this.#picture = picture;
    this.view = view;
    const { from, to, width, height, isDownward } = view;
    this.start = isDownward ? 34 : MARGIN.lanes;
    this.top = isDownward ? 54 : MARGIN.axis;
    this.length = Math.max(1, (isDownward ? height : width) - this.start - MARGIN.end);
    this.laneHeight = ((isDownward ? width : height) - this.top) / picture.loaded.nodes;
    this.#scale = this.length / (to - from);
  }

  along(drawn: number): number {
    return this.start + (drawn - this.view.from) * this.#scale;
  }

  drawn(along: number): number {
    return this.view.from + (along - this.start) / this.#scale;
  }

  across(site: number): number {
    return this.top + (this.#picture.lane[site]! + 0.5) * this.laneHeight;
  }

  /** The site whose lane is nearest. */
  siteAt(across: number): number {
    const { lanes } = this.#picture.loaded;
    const lane = Math.floor((across - this.top) / this.laneHeight);
    return lanes[Math.max(0, Math.min(lanes.length - 1, lane))]!;
  }
}
