/** What there is to see in a run that was watched. */
import type { TraceStep } from '../core/trace.ts';

const leaves = (event: TraceStep['event']) => event === 'exit' || event === 'rerequest';

/** The most that are inside at once. */
export function mostInside(steps: readonly TraceStep[]): number {
  let [inside, most] = [0, 0];
  for (const { enters, event } of steps) {
    inside += (enters ? 1 : 0) - (leaves(event) ? 1 : 0);
    most = Math.max(most, inside);
  }
  return most;
}

/** From each request to its entry. */
export function waits(steps: readonly TraceStep[]): number[] {
  const asked = new Map<number, number>();
  return steps.flatMap((step) => {
    const { site, time, enters } = step;
    if ('mode' in step) asked.set(site, time);
    return enters ? [time - asked.get(site)!] : [];
  });
}

/** From each exit to the next entry. */
export function handOvers(steps: readonly TraceStep[]): number[] {
  const delays: number[] = [];
  let left: number | undefined;
  for (const { event, enters, time } of steps) {
    if (enters && left !== undefined) {
      delays.push(time - left);
      left = undefined;
    }
    if (leaves(event)) left = time;
  }
  return delays;
}
