/** Builds the world that an algorithm runs in from the caller's choices. */
import type { AnyAlgorithm, AnyWorld } from '../core/algorithm.ts';
import { UsageError } from '../core/errors.ts';
import { parseOptions } from '../core/option.ts';
import type { TopologyKind } from '../core/topology.ts';
import { checkK, checkNodes } from './limits.ts';
import { buildTopology } from './named.ts';

/** A caller's choices, as they come from a command line or a form. */
export interface Choices {
  /** How many sites: 1 to 10,000,000. */
  readonly nodes: number;
  /** How many sites may be inside at once, for algorithms that have `k`. Default 1. */
  readonly k?: number | undefined;
  /** A name that `topologyNames` lists. Default: the algorithm's own choice. */
  readonly topology?: string | undefined;
  /** Variants of the algorithm, `NAME` or `NAME=VALUE`. */
  readonly options?: readonly string[] | undefined;
  /** For random topologies. Default 1. */
  readonly seed?: number | undefined;
  /** The text of the file, if the topology is `file:PATH`. */
  readonly file?: string | undefined;
}

/** The world for these choices. Throws a UsageError in one line where there is none. */
export function makeWorld(algorithm: AnyAlgorithm, choices: Choices): AnyWorld {
  const { nodes: n, k = 1, seed, file } = choices;
  checkNodes(n);
  checkK(k, n);
  if (k > 1 && !algorithm.k) {
    throw new UsageError(
      `${algorithm.id} lets one in at a time, not ${k}: leave --k out, or take one that has k`,
    );
  }
  const world: AnyWorld = {
    n,
    k,
    options: parseOptions(algorithm.id, algorithm.options, choices.options ?? []),
    topology: topologyFor(algorithm, n, choices.topology, { seed, k, file }),
  };
  const refusal = algorithm.refuses?.(world);
  if (refusal !== undefined) throw new UsageError(refusal);
  return world;
}

function topologyFor(
  algorithm: AnyAlgorithm,
  n: number,
  asked: string | undefined,
  settings: Parameters<typeof buildTopology>[3],
) {
  const kind: TopologyKind = algorithm.topology;
  if (kind === 'complete' && asked !== undefined && asked !== 'complete') {
    throw new UsageError(`${algorithm.id} runs on the complete graph: leave --topology out`);
  }
  return buildTopology(kind, asked ?? algorithm.defaultTopology, n, settings);
}
