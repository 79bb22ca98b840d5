/**
 * An arrow that passes over the step of a site that it does not concern would look as if it began or ended there. Such an
 * arrow is bent a little: a quadratic curve, whose middle lies `bend` pixels beside the straight line.
 */
import type { Picture } from './picture.ts';
import type { Projection } from './projection.ts';
import type { Scene } from './scene.ts';

/** An arrow, as the columns of a scene have it. */
export interface Arrow {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  readonly bend: number;
}

/** The first that is free is taken. */
const BENDS = [0, 9, -9, 15, -15, 22, -22];
/** From the middle of the line to the middle of a dot. */
const CLEAR = 5;
/** A message during which the group makes more steps than that is drawn straight. */
const MOST_STEPS = 400;

/** The point of an arrow at that part of its way, 0 to 1. */
export function pointOf({ x1, y1, x2, y2, bend }: Arrow, part: number): [x: number, y: number] {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = Math.hypot(dx, dy) || 1;
  const aside = (4 * part * (1 - part) * bend) / length;
  return [x1 + part * dx - aside * dy, y1 + part * dy + aside * dx];
}

/** The control point of the curve: both ends of the arrow point at it. */
export function controlOf({ x1, y1, x2, y2, bend }: Arrow): [x: number, y: number] {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const aside = (2 * bend) / (Math.hypot(dx, dy) || 1);
  return [(x1 + x2) / 2 - aside * dy, (y1 + y2) / 2 + aside * dx];
}

export function arrowAt({ arrows: { columns } }: Scene, i: number): Arrow {
  const { x1, y1, x2, y2, bend } = columns;
  return { x1: x1[i]!, y1: y1[i]!, x2: x2[i]!, y2: y2[i]!, bend: bend[i]! };
}

/** How much the arrow of that copy is bent. It depends on the run and not on the window, so that panning bends nothing. */
export function bendOf(picture: Picture, place: Projection, copy: number, straight: Arrow): number {
  const passed = stepsPassed(picture, place, copy);
  if (passed.length === 0) return 0;
  return BENDS.find((bend) => isClear({ ...straight, bend }, passed)) ?? 0;
}

/** Where sites between the sender and the receiver make steps while the message is under way. */
function stepsPassed(picture: Picture, place: Projection, copy: number): [number, number][] {
  const { loaded, lane, drawn } = picture;
  const { rows } = loaded;
  const [from, to] = [lane[rows.from[copy]!]!, lane[rows.to[copy]!]!];
  const [sent, ended] = [rows.sentAt[copy]!, rows.endedAt[copy]!];
  if (Math.abs(from - to) < 2 || ended < 0 || ended - sent > MOST_STEPS) return [];
  const passed: [number, number][] = [];
  for (let step = sent + 1; step < ended; step++) {
    const site = rows.site[step]!;
    if (site < 0 || (lane[site]! - from) * (lane[site]! - to) >= 0) continue;
    const [along, across] = [place.along(drawn[step]!), place.across(site)];
    passed.push(place.view.isDownward ? [across, along] : [along, across]);
  }
  return passed;
}

function isClear(arrow: Arrow, spots: readonly (readonly [number, number])[]): boolean {
  const { x1, y1, x2, y2 } = arrow;
  const [dx, dy] = [x2 - x1, y2 - y1];
  return spots.every(([x, y]) => {
    // The nearest point of the curve is about where the straight line is nearest.
    const part = ((x - x1) * dx + (y - y1) * dy) / (dx ** 2 + dy ** 2 || 1);
    return [-0.06, -0.03, 0, 0.03, 0.06].every((beside) => {
      const [nearX, nearY] = pointOf(arrow, Math.max(0, Math.min(1, part + beside)));
      return Math.hypot(nearX - x, nearY - y) >= CLEAR;
    });
  });
}
