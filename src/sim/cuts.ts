import type { NodeId } from '../core/algorithm.ts';

/** Which sites cannot reach each other at present, because of a partition or a cut link. */
export class Cuts {
  readonly #n: number;
  /** The side of each site, while there is a partition. */
  #side: Int32Array | undefined;
  /** The links that are cut, in both directions. */
  readonly #links = new Set<number>();

  constructor(n: number) {
    this.#n = n;
  }

  get any(): boolean {
    return this.#side !== undefined || this.#links.size > 0;
  }

  has(from: NodeId, to: NodeId): boolean {
    if (this.#side !== undefined && this.#side[from] !== this.#side[to]) return true;
    return this.#links.has(this.#key(from, to));
  }

  /** Divides the sites: all sites that are not named make up one more side. */
  partition(sides: readonly (readonly NodeId[])[]): void {
    this.#side = new Int32Array(this.#n);
    sides.forEach((side, i) => {
      for (const site of side) this.#side![site] = i + 1;
    });
  }

  cut([a, b]: readonly [NodeId, NodeId]): void {
    this.#links.add(this.#key(a, b));
  }

  /** Mends that link, or everything if no link is named. */
  heal(link: readonly [NodeId, NodeId] | undefined): void {
    if (link !== undefined) {
      this.#links.delete(this.#key(...link));
      return;
    }
    this.#side = undefined;
    this.#links.clear();
  }

  #key(a: NodeId, b: NodeId): number {
    return Math.min(a, b) * this.#n + Math.max(a, b);
  }
}
