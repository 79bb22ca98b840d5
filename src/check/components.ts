/**
 * The strongly connected components of a graph that contain a cycle, by Tarjan's algorithm. It does
 * not recurse, because paths here are longer than a stack. States that lie on no cycle are left
 * out.
 */
import type { Edge } from './graph.ts';

export class Components {
  readonly #order: Int32Array; // 0: not visited yet
  readonly #low: Int32Array;
  readonly #onStack: Uint8Array;

  /** For states with numbers below `size`. */
  constructor(size: number) {
    this.#order = new Int32Array(size);
    this.#low = new Int32Array(size);
    this.#onStack = new Uint8Array(size);
  }

  /** The components with a cycle among the states that can be reached from these roots. */
  withCycles(roots: Iterable<number>, edges: (index: number) => readonly Edge[]): number[][] {
    const [order, low, onStack] = [this.#order, this.#low, this.#onStack];
    const stack: number[] = [];
    const visited: number[] = [];
    const found: number[][] = [];
    const work: { index: number; edges: readonly Edge[]; next: number }[] = [];
    const visit = (index: number): void => {
      visited.push(index);
      order[index] = low[index] = visited.length;
      onStack[index] = 1;
      stack.push(index);
      work.push({ index, edges: edges(index), next: 0 });
    };
    for (const root of roots) {
      if (order[root] !== 0) continue;
      visit(root);
      for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
        const { index } = top;
        if (top.next < top.edges.length) {
          const { to } = top.edges[top.next++]!;
          if (order[to] === 0) visit(to);
          else if (onStack[to]) low[index] = Math.min(low[index]!, order[to]!);
          continue;
        }
        work.pop();
        const above = work.at(-1);
        if (above !== undefined) low[above.index] = Math.min(low[above.index]!, low[index]!);
        if (low[index] !== order[index]) continue;
        const states = stack.splice(stack.lastIndexOf(index));
        for (const member of states) onStack[member] = 0;
        if (states.length > 1 || top.edges.some(({ to }) => to === index)) found.push(states);
      }
    }
    for (const index of visited) order[index] = 0;
    return found;
  }
}
