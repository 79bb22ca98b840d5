/** Two fingers on a diagram: the moments that lie under them stay there, so that spreading the fingers zooms in. */
import type { Projection } from './projection.ts';

/** By finger, the moment that it holds, in drawn time, and where the finger is, along the time. */
interface Finger {
  readonly holds: number;
  readonly along: number;
}

/** Fingers nearer to each other than so many pixels would make the window jump. */
const LEAST_APART = 24;

export class Pinch {
  readonly #fingers = new Map<number, Finger>();

  /** Whether the diagram is held by two fingers from now on. */
  press(finger: number, along: number, place: Projection): boolean {
    this.#fingers.set(finger, { holds: place.drawn(along), along });
    if (this.#fingers.size > 2) this.#fingers.clear();
    return this.#fingers.size === 2;
  }

  lift(finger: number): void {
    this.#fingers.delete(finger);
  }

  /** From where the window must begin, and how long it must be; undefined while fewer than two fingers are down. */
  move(finger: number, along: number, { start, length }: Projection): [number, number] | undefined {
    const own = this.#fingers.get(finger);
    if (own === undefined) return undefined;
    this.#fingers.set(finger, { ...own, along });
    const [one, other] = [...this.#fingers.values()];
    if (one === undefined || other === undefined) return undefined;
    const apart = other.along - one.along;
    if (Math.abs(apart) < LEAST_APART) return undefined;
    const span = ((other.holds - one.holds) / apart) * length;
    if (!(span > 0)) return undefined;
    return [one.holds - ((one.along - start) / length) * span, span];
  }
}
