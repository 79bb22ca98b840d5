/** The space-time diagram: a canvas with what is seen, and the same steps as a table for screen readers. */
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { EVENTS } from '../../src/sim/columns.ts';
import { onceAtRest } from '../model/rest.ts';
import { isDark } from '../ui/dark.ts';
import { useSize } from '../ui/size.ts';
import { arrowAt, pointOf } from './curve.ts';
import { type Emphasis, paint } from './paint.ts';
import { causes, type Picture } from './picture.ts';
import { Pinch } from './pinch.ts';
import { Projection, type View } from './projection.ts';
import { Scene } from './scene.ts';
import { marksOf, svgOf } from './svg.ts';
import { DARK, LIGHT } from './theme.ts';

export interface DiagramProps {
  readonly picture: Picture;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** How many steps have been made; −1 to show no cursor. */
  readonly at: number;
  /** Where the cursor is, in drawn time, if not at a step. */
  readonly cursor?: number;
  readonly site: number;
  readonly copy: number;
  /** The step whose causes and effects are lit while no other is pointed at; −1 for none. */
  readonly lit?: number;
  readonly onLook: (from: number, span: number) => void;
  readonly onStep?: (step: number) => void;
  readonly onCopy?: (copy: number) => void;
  readonly onSite?: (site: number) => void;
  readonly onMenu?: (at: { x: number; y: number; copy: number; site: number }) => void;
  readonly isSmall?: boolean;
  /** One of many on a page that scrolls: a wheel and a finger move the page, unless the diagram has the focus. */
  readonly isPassed?: boolean;
}

const NEAR = 9;
/** Rows of the table for screen readers. */
const MOST_ROWS = 60;

export function Diagram(given: DiagramProps) {
  // Nobody loses the run: however far it is dragged, a part of it is seen.
  const onLook = (from: number, span: number) => given.onLook(...within(given.picture, from, span));
  const props = { ...given, onLook };
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(canvas);
  const hovered = useSignal(-1);
  const scene = useMemo(() => new Scene(), []);
  const gesture = useRef<Gesture>({ pinch: new Pinch() });
  const latest = useRef(props);
  latest.current = props;

  const view: View = {
    from: props.from,
    to: props.to,
    ...size.value,
    isDownward: size.value.width < 560,
  };
  const { picture, at, site, copy } = props;
  const draw = () => {
    const element = canvas.current;
    if (element === null || view.width === 0) return;
    const began = performance.now();
    scene.fill(picture, view);
    paint(contextOf(element, view), scene, isDark.value ? DARK : LIGHT, {
      cursor: props.cursor ?? cursorOf(picture, at),
      site,
      copy,
      lit: litBy(picture, hovered.value < 0 ? (props.lit ?? -1) : hovered.value),
    });
    Object.assign(element, { drawnIn: performance.now() - began, picture });
  };
  useEffect(() => offer(canvas.current!, scene), []);
  useEffect(draw);
  useSignalEffect(() => {
    void hovered.value;
    void isDark.value;
    draw();
  });

  const place = () => new Projection(latest.current.picture, view);
  const handlers = pointerHandlers({ latest, place, view, scene, hovered, gesture });
  return (
    <canvas
      ref={canvas}
      class={`diagram ${props.isSmall ? 'small' : ''} ${props.isPassed ? 'passed' : ''}`}
      tabIndex={0}
      role="img"
      aria-label={`Space-time diagram, ${props.name}: ${picture.loaded.nodes} sites, ${picture.loaded.rows.steps} steps`}
      {...handlers}
      onKeyDown={(event) => onDiagramKey(event, latest.current)}
    >
      <StepTable picture={picture} view={view} at={at} />
    </canvas>
  );
}

/** The same window, moved and narrowed so that it lies within the run. */
function within({ axis: { length } }: Picture, from: number, span: number): [number, number] {
  const wide = Math.min(span, 1.04 * length);
  return [Math.max(-0.02 * wide, Math.min(from, 1.02 * length - wide)), wide];
}

/** A diagram that has the focus is zoomed by keys; arrows step through it, or move it where there are no steps to make. */
function onDiagramKey(event: KeyboardEvent, props: DiagramProps): void {
  const { picture, from, to, at, onLook, onStep } = props;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const span = to - from;
  const stands = props.cursor ?? cursorOf(picture, at) ?? from;
  const centre = stands > from && stands < to ? stands : (from + to) / 2;
  const zoom = (factor: number) => () => onLook(centre - (centre - from) * factor, span * factor);
  const move = (by: 1 | -1) => () =>
    onStep !== undefined && at >= 0 ? onStep(at + by) : onLook(from + 0.2 * by * span, span);
  const acts: { readonly [key: string]: () => void } = {
    ...{ '+': zoom(0.7), '=': zoom(0.7), '-': zoom(1 / 0.7) },
    0: () => onLook(0, Number.MAX_VALUE),
    ...(!event.shiftKey && { ArrowLeft: move(-1), ArrowRight: move(1) }),
  };
  const act = acts[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
}

function cursorOf({ drawn }: Picture, at: number): number | null {
  if (at < 1) return at === 0 ? 0 : null;
  return drawn[Math.min(at, drawn.length) - 1]!;
}

/** The canvas as large as it is laid out, in the pixels of the screen. */
function contextOf(element: HTMLCanvasElement, { width, height }: View): CanvasRenderingContext2D {
  const ratio = devicePixelRatio;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (element.width !== wide) element.width = wide;
  if (element.height !== high) element.height = high;
  // Every frame covers the whole ground: nothing has to be blended with what lies below.
  const context = element.getContext('2d', { alpha: false })!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** For tests, benchmarks and pictures to save: the marks as data. */
function offer(element: HTMLCanvasElement, scene: Scene): void {
  Object.defineProperty(element, 'scene', {
    get: () => (scene.picture === undefined ? undefined : marksOf(scene)),
  });
  Object.assign(element, { asSvg: () => svgOf(scene, isDark.value ? DARK : LIGHT) });
}

function litBy(picture: Picture, step: number): Emphasis['lit'] {
  if (step < 0) return null;
  const { past, future, copies } = causes(picture, step);
  return { steps: new Set([...past, ...future]), copies };
}

/**
 * The steps that are seen, as a table inside the canvas: for screen readers. It follows once the window has been at
 * rest for a moment, because a frame of an animation has no time for sixty rows.
 */
function StepTable(props: { picture: Picture; view: View; at: number }) {
  const latest = useRef(props);
  latest.current = props;
  const stepsSeen = (): StepsProps => {
    const { picture, view, at } = latest.current;
    const first = picture.firstStep(view.from);
    return { picture, at, first, last: Math.min(picture.firstStep(view.to), first + MOST_ROWS) };
  };
  const atRest = useSignal(stepsSeen());
  const follow = useMemo(
    () =>
      onceAtRest(() => {
        const [now, next] = [atRest.value, stepsSeen()];
        const fields = ['picture', 'at', 'first', 'last'] as const;
        if (fields.some((field) => now[field] !== next[field])) atRest.value = next;
      }),
    [],
  );
  useEffect(follow);
  return useMemo(() => <Steps {...atRest.value} />, [atRest.value]);
}

interface StepsProps {
  readonly picture: Picture;
  /** How many steps have been made. */
  readonly at: number;
  readonly first: number;
  readonly last: number;
}

function Steps({ picture, at, first, last }: StepsProps) {
  const { rows, types } = picture.loaded;
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
  return (
    <table>
      <caption>The steps that are seen</caption>
      <thead>
        <tr>
          <th>step</th>
          <th>time</th>
          <th>site</th>
          <th>what</th>
        </tr>
      </thead>
      <tbody>
        {shown.map((row) => {
          const copy = rows.copy[row]!;
          const what = copy < 0 ? '' : ` ${types[rows.type[copy]!]} from ${rows.from[copy]}`;
          return (
            <tr key={row} aria-current={row + 1 === at ? 'step' : undefined}>
              <td>{row + 1}</td>
              <td>{rows.time[row]!.toFixed(2)}</td>
              <td>{rows.site[row]}</td>
              <td>
                {EVENTS[rows.event[row]!]}
                {what}
                {rows.enters[row] === 1 ? ', enters' : ''}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface Pointers {
  readonly latest: { current: DiagramProps };
  readonly place: () => Projection;
  readonly view: View;
  readonly scene: Scene;
  readonly hovered: { value: number };
  readonly gesture: { current: Gesture };
}

/** What the pointer is about: it outlives the drawings that it causes. */
interface Gesture {
  readonly pinch: Pinch;
  drag?: { x: number; y: number; from: number; moved: boolean } | undefined;
  press?: ReturnType<typeof setTimeout> | undefined;
}

/** Where the pointer is in the diagram. */
function spotOf(event: MouseEvent) {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

/** A wheel zooms around where the pointer is; sideways, or with the shift key, it moves the window. */
function turn(wheel: WheelEvent, { from, to, onLook }: DiagramProps, centre: number): void {
  const span = to - from;
  if (wheel.shiftKey || Math.abs(wheel.deltaX) > Math.abs(wheel.deltaY)) {
    onLook(from + ((wheel.deltaX || wheel.deltaY) / 800) * span, span);
    return;
  }
  const factor = Math.exp(Math.max(-60, Math.min(60, wheel.deltaY)) / 160);
  onLook(centre - (centre - from) * factor, span * factor);
}

function pointerHandlers({ latest, place, view, scene, hovered, gesture }: Pointers) {
  const along = ({ x, y }: { x: number; y: number }) => (view.isDownward ? y : x);
  const openMenu = (spot: { x: number; y: number }, client: MouseEvent) => {
    const site = place().siteAt(view.isDownward ? spot.x : spot.y);
    const copy = copyNear(scene, spot);
    latest.current.onMenu?.({ x: client.clientX, y: client.clientY, copy, site });
  };
  return {
    onWheel(event: WheelEvent) {
      const isMeant = event.ctrlKey || document.activeElement === event.currentTarget;
      if (latest.current.isPassed && !isMeant) return;
      event.preventDefault();
      turn(event, latest.current, place().drawn(along(spotOf(event))));
    },
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return;
      const spot = spotOf(event);
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      clearTimeout(gesture.current.press);
      gesture.current.drag = { ...spot, from: latest.current.from, moved: false };
      if (event.pointerType !== 'touch') return;
      if (gesture.current.pinch.press(event.pointerId, along(spot), place())) {
        gesture.current.drag = undefined;
        return;
      }
      gesture.current.press = setTimeout(() => {
        // The finger that leaves the screen now chooses nothing.
        gesture.current.drag = undefined;
        openMenu(spot, event);
      }, 500);
    },
    onPointerMove(event: PointerEvent) {
      const spot = spotOf(event);
      const { drag, press, pinch } = gesture.current;
      const pinched = pinch.move(event.pointerId, along(spot), place());
      if (pinched !== undefined) latest.current.onLook(...pinched);
      if (drag === undefined) {
        if (event.pointerType !== 'touch') hovered.value = stepNear(scene, spot);
        return;
      }
      const moved = along(spot) - along(drag);
      if (Math.abs(moved) > 4) drag.moved = true;
      if (!drag.moved) return;
      clearTimeout(press);
      const { from, to, onLook } = latest.current;
      onLook(drag.from - (moved / place().length) * (to - from), to - from);
    },
    onPointerUp(event: PointerEvent) {
      const { drag, press, pinch } = gesture.current;
      pinch.lift(event.pointerId);
      clearTimeout(press);
      const wasClick = drag !== undefined && !drag.moved;
      gesture.current.drag = undefined;
      if (wasClick) choose(latest.current, scene, place(), view, spotOf(event));
    },
    onPointerCancel(event: PointerEvent) {
      clearTimeout(gesture.current.press);
      gesture.current.pinch.lift(event.pointerId);
      gesture.current.drag = undefined;
    },
    onPointerLeave() {
      hovered.value = -1;
    },
    onContextMenu(event: MouseEvent) {
      event.preventDefault();
      openMenu(spotOf(event), event);
    },
  };
}

/** A click chooses the step that is near, or the message, or the site and the moment. */
function choose(
  props: DiagramProps,
  scene: Scene,
  place: Projection,
  view: View,
  spot: { x: number; y: number },
): void {
  const site = place.siteAt(view.isDownward ? spot.x : spot.y);
  const isName = (view.isDownward ? spot.y : spot.x) < place.start - 4;
  if (isName) {
    props.onSite?.(site);
    return;
  }
  const step = stepNear(scene, spot);
  if (step >= 0) {
    props.onStep?.(step + 1);
    props.onSite?.(props.picture.loaded.rows.site[step]!);
    return;
  }
  const copy = copyNear(scene, spot);
  if (copy >= 0) {
    props.onCopy?.(copy);
    return;
  }
  props.onStep?.(props.picture.firstStep(place.drawn(view.isDownward ? spot.y : spot.x)));
  props.onSite?.(site);
}

function stepNear({ dots }: Scene, spot: { x: number; y: number }): number {
  const { x, y, step } = dots.columns;
  let [best, distance] = [-1, NEAR];
  for (let i = 0; i < dots.length; i++) {
    const far = Math.hypot(x[i]! - spot.x, y[i]! - spot.y);
    if (far < distance) [best, distance] = [step[i]!, far];
  }
  return best;
}

function copyNear(scene: Scene, { x, y }: { x: number; y: number }): number {
  const { x1, y1, x2, y2, copy } = scene.arrows.columns;
  let [best, distance] = [-1, 7];
  for (let i = 0; i < scene.arrows.length; i++) {
    const [dx, dy] = [x2[i]! - x1[i]!, y2[i]! - y1[i]!];
    const along = ((x - x1[i]!) * dx + (y - y1[i]!) * dy) / (dx ** 2 + dy ** 2 || 1);
    const [atX, atY] = pointOf(arrowAt(scene, i), Math.max(0, Math.min(1, along)));
    const far = Math.hypot(atX - x, atY - y);
    if (far < distance) [best, distance] = [copy[i]!, far];
  }
  return best;
}
