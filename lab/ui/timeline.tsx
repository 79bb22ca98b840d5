/** The whole run at a glance, what part of it is seen, and the buttons that move through it. */
import { useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { INSIDE, type Picture } from '../diagram/picture.ts';
import { DARK, LIGHT, type Theme } from '../diagram/theme.ts';
import {
  at,
  goTo,
  isPlaying,
  look,
  nextEntry,
  picture,
  seen,
  speed,
  steps,
} from '../model/state.ts';
import { isDark } from './dark.ts';
import { type Size, useSize } from './size.ts';

const SPEEDS = [0.25, 0.5, 1, 2, 4, 16];

export function Timeline() {
  usePlayer();
  return (
    <footer class="timeline">
      <div class="controls" role="toolbar" aria-label="Playback">
        <button
          type="button"
          onClick={() => goTo(0)}
          title="To the start"
          aria-label="To the start"
        >
          |◀
        </button>
        <button
          type="button"
          onClick={() => goTo(at.value - 1)}
          title="Step back (←)"
          aria-label="Step back"
        >
          ◀
        </button>
        <button
          type="button"
          class="primary"
          onClick={() => {
            isPlaying.value = !isPlaying.value;
          }}
          title="Play or pause (space)"
          aria-label={isPlaying.value ? 'Pause' : 'Play'}
        >
          {isPlaying.value ? '❚❚' : '▶'}
        </button>
        <button type="button" onClick={() => goTo(at.value + 1)} title="Step (→)" aria-label="Step">
          ▶|
        </button>
        <button type="button" onClick={nextEntry} title="Next entry (n)" aria-label="Next entry">
          ▶▶
        </button>
        <label>
          speed{' '}
          <select
            value={speed.value}
            onChange={(event) => {
              speed.value = Number(event.currentTarget.value);
            }}
          >
            {SPEEDS.map((s) => (
              <option key={s} value={s}>
                ×{s}
              </option>
            ))}
          </select>
        </label>
        <label class="scrub">
          <span class="hidden">Step</span>
          <input
            type="range"
            min="0"
            max={steps.value}
            value={at.value}
            aria-label="Step"
            onInput={(event) => goTo(Number(event.currentTarget.value))}
          />
        </label>
        <output>
          {at.value.toLocaleString('en')} / {steps.value.toLocaleString('en')}
        </output>
      </div>
      <Minimap />
    </footer>
  );
}

/** While it plays, drawn time passes at that speed, and the page stands at the last step before it. */
function usePlayer(): void {
  useSignalEffect(() => {
    if (!isPlaying.value) return;
    const now = picture.value;
    if (now === undefined) return;
    // From the end, the whole run once more.
    if (at.peek() >= steps.peek()) goTo(0);
    let last = performance.now();
    let drawn = at.peek() === 0 ? 0 : now.drawn[at.peek() - 1]!;
    let frame = 0;
    const tick = (time: number) => {
      drawn += ((time - last) / 1000) * 14 * speed.peek();
      last = time;
      const step = now.firstStep(drawn + 1e-9);
      if (step !== at.peek()) goTo(step);
      if (step >= steps.peek()) isPlaying.value = false;
      else frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  });
}

/** One canvas is drawn once for a run and a size. What is seen, and where the page stands, is on another one above it. */
function Minimap() {
  const sketched = useRef<HTMLCanvasElement>(null);
  const marked = useRef<HTMLCanvasElement>(null);
  const size = useSize(sketched);
  useSignalEffect(() => {
    const context = contextOf(sketched.current, size.value);
    if (context === null || picture.value === undefined) return;
    sketch(context, picture.value, size.value, isDark.value ? DARK : LIGHT);
  });
  // Not elements that move: those would make the browser compute styles and layers anew in every frame.
  useSignalEffect(() => {
    const context = contextOf(marked.current, size.value);
    if (context === null || picture.value === undefined) return;
    mark(context, picture.value, size.value, isDark.value ? DARK : LIGHT);
  });
  const move = (event: PointerEvent) => {
    if (event.buttons !== 1) return;
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const [start, end] = seen.value ?? [0, 1];
    const length = picture.value?.axis.length ?? 1;
    const centre = ((event.clientX - box.left) / box.width) * length;
    look(centre - (end - start) / 2, end - start);
  };
  return (
    <div class="minimap" onPointerDown={move} onPointerMove={move}>
      <canvas ref={sketched} role="img" aria-label="The whole run: drag to choose what is seen" />
      <canvas ref={marked} tabIndex={-1} aria-hidden="true" />
    </div>
  );
}

/** The canvas in the pixels of the screen, empty; null before it is laid out. */
function contextOf(element: HTMLCanvasElement | null, { width, height }: Size) {
  if (element === null || width === 0) return null;
  const [wide, high] = [width * devicePixelRatio, height * devicePixelRatio].map(Math.round);
  const context = element.getContext('2d')!;
  if (element.width !== wide) element.width = wide!;
  if (element.height !== high) element.height = high!;
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** What is seen, and the step that the page stands at. */
function mark(
  context: CanvasRenderingContext2D,
  now: Picture,
  { width, height }: Size,
  theme: Theme,
): void {
  const { length } = now.axis;
  const place = (drawn: number) => Math.max(0, Math.min(1, drawn / length)) * width;
  const [from, to] = seen.value ?? [0, length];
  const wide = Math.max(4, place(to) - place(from));
  context.strokeStyle = context.fillStyle = theme.cursor;
  context.lineWidth = 2;
  context.strokeRect(Math.min(place(from), width - wide) + 1, 1, wide - 2, height - 2);
  const stands = place(at.value === 0 ? 0 : (now.drawn[at.value - 1] ?? 0));
  context.fillRect(stands - 0.75, 0, 1.5, height);
}

/** How many messages are sent, and when somebody is inside. */
function sketch(
  context: CanvasRenderingContext2D,
  now: Picture,
  { width, height }: Size,
  theme: Theme,
) {
  const { length } = now.axis;
  const cells = Math.max(1, Math.floor(width));
  const sent = new Float32Array(cells);
  const { sentAt } = now.loaded.rows;
  const stride = Math.max(1, Math.floor(sentAt.length / 200_000));
  for (let copy = 0; copy < sentAt.length; copy += stride) {
    const cell = Math.floor((now.drawn[sentAt[copy]!]! / length) * (cells - 1));
    sent[cell]! += 1;
  }
  const most = sent.reduce((a, b) => Math.max(a, b), 1);
  context.fillStyle = theme.grid;
  context.fillRect(0, 0, width, height);
  context.fillStyle = theme.soft;
  for (let cell = 0; cell < cells; cell++) {
    const bar = (sent[cell]! / most) * (height - 10);
    if (bar > 0) context.fillRect(cell, height - 7 - bar, 1, bar);
  }
  context.fillStyle = theme.inside;
  for (const { from, to, kind } of now.bars) {
    const skip = Math.max(1, Math.floor(from.length / 5000));
    for (let i = 0; i < from.length; i += skip) {
      if (kind[i] !== INSIDE) continue;
      const x = (from[i]! / length) * width;
      context.fillRect(x, height - 6, Math.max(0.7, ((to[i]! - from[i]!) / length) * width), 5);
    }
  }
  context.fillStyle = theme.fault;
  for (const step of now.faults.slice(0, 500)) {
    context.fillRect((now.drawn[step]! / length) * width - 1, 0, 2, height);
  }
}
