/** Zoomed out, in place of each message: the share of time that each site is inside, and that it waits. */
import { INSIDE, lowerBound, type Picture, WAITS } from './picture.ts';
import type { Projection, View } from './projection.ts';

/** Pixels that one share stands for, at least; and how many shares all lanes have together, at most. */
const CELL = 3;
const MOST_CELLS = 12_000;
/** Shares are told apart down to a part of a lane: what is drawn alike is then a single line. */
const STEPS = 48;

export class Shares {
  /** How many shares each lane has; 0 where none are shown. */
  cells = 0;
  /** By lane and cell: the share of time inside, and inside or waiting. */
  inside = new Float32Array(0);
  busy = new Float32Array(0);

  clear(): void {
    this.cells = 0;
  }

  fill(picture: Picture, view: View, length: number): void {
    const { nodes } = picture.loaded;
    this.cells = Math.max(8, Math.min(Math.floor(length / CELL), Math.floor(MOST_CELLS / nodes)));
    const size = this.cells * nodes;
    if (this.inside.length < size) {
      this.inside = new Float32Array(size);
      this.busy = new Float32Array(size);
    }
    for (let site = 0; site < nodes; site++) this.#fillLane(picture, view, site);
  }

  #fillLane(picture: Picture, view: View, site: number): void {
    const { from, to, kind, insideBefore, waitsBefore } = picture.bars[site]!;
    const { cells, inside, busy } = this;
    const span = (view.to - view.from) / cells;
    const first = site * cells;
    let [wasInside, wasWaiting] = [0, 0];
    let at = 0;
    // What lies between two edges is a difference of sums: the length of the run hardly matters.
    for (let cell = -1; cell < cells; cell++) {
      const edge = view.from + (cell + 1) * span;
      at = lowerBound(to, edge, at);
      const begun = at < from.length && from[at]! < edge ? edge - from[at]! : 0;
      const nowInside = insideBefore[at]! + (kind[at] === INSIDE ? begun : 0);
      const nowWaiting = waitsBefore[at]! + (kind[at] === WAITS ? begun : 0);
      if (cell >= 0) {
        const share = (nowInside - wasInside) / span;
        inside[first + cell] = rounded(share);
        busy[first + cell] = rounded(share + (nowWaiting - wasWaiting) / span);
      }
      wasInside = nowInside;
      wasWaiting = nowWaiting;
    }
  }
}

const rounded = (share: number): number => Math.min(1, Math.round(share * STEPS) / STEPS);

/** Traces the area below the shares of one site, corner by corner, in pixels. */
export function traceShares(
  { cells }: Shares,
  shares: Float32Array,
  place: Projection,
  site: number,
  corner: (x: number, y: number) => void,
): void {
  const most = Math.max(6, place.laneHeight * 0.8);
  const base = place.across(site) + most / 2;
  const size = place.length / cells;
  const { isDownward } = place.view;
  const first = site * cells;
  const add = (along: number, across: number) =>
    isDownward ? corner(across, along) : corner(along, across);
  add(place.start, base);
  for (let cell = 0; cell < cells; cell++) {
    const share = shares[first + cell]!;
    const isLevel =
      cell > 0 &&
      cell + 1 < cells &&
      share === shares[first + cell - 1] &&
      share === shares[first + cell + 1];
    // A stretch of equal shares needs its ends only.
    if (!isLevel) add(place.start + (cell + 0.5) * size, base - share * most);
  }
  add(place.start + place.length, base);
}
