/** The world that the flags of a command describe. */
import type { AnyAlgorithm, AnyWorld } from '../core/algorithm.ts';
import { UsageError } from '../core/errors.ts';
import { hasQuorums } from '../topologies/quorum-kinds.ts';
import { makeWorld } from '../topologies/world.ts';
import { textOf } from './values.ts';

export interface WorldFlags {
  readonly nodes: number;
  readonly k?: number;
  readonly topology?: string;
  readonly quorums?: string;
  readonly option?: readonly string[];
  readonly seed?: number;
}

export function worldFrom(algorithm: AnyAlgorithm, flags: WorldFlags): AnyWorld {
  const { id, topology: kind } = algorithm;
  const onQuorums = hasQuorums(kind);
  if (flags.quorums !== undefined && !onQuorums) {
    throw new UsageError(`${id} has no quorums: leave --quorums out`);
  }
  if (flags.topology !== undefined && onQuorums) {
    throw new UsageError(`${id} runs on quorums, not on a topology: use --quorums`);
  }
  const spec = flags.topology ?? flags.quorums;
  const path = spec?.startsWith('file:') ? spec.slice('file:'.length) : undefined;
  return makeWorld(algorithm, {
    nodes: flags.nodes,
    ...(flags.k !== undefined && { k: flags.k }),
    ...(spec !== undefined && { topology: spec }),
    ...(flags.option && { options: flags.option }),
    ...(flags.seed !== undefined && { seed: flags.seed }),
    ...(path !== undefined && { file: textOf('file:', path) }),
  });
}
