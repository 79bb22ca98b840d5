import type { TopologyKind } from '../core/topology.ts';

/** Kinds of topology that are sets of quorums: the command line calls them `--quorums`. */
const QUORUM_KINDS: readonly TopologyKind[] = [
  ...(['coterie', 'agreement', 'information', 'votes', 'groups', 'k-coterie'] as const),
];

export const hasQuorums = (kind: TopologyKind): boolean => QUORUM_KINDS.includes(kind);
