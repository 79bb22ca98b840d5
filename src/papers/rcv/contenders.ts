/** The algorithms that the paper compares, as it sets them up: Tn = 5 and Tc = 10, section 6.2. */
import { plane } from '../../topologies/coterie.ts';
import type { Subject } from '../instruments.ts';

export const TN = 5;
export const TC = 10;
export const setting = { delay: `constant:${TN}`, cs: TC } as const;

export interface Contender {
  readonly name: string;
  readonly subject: (nodes: number) => Subject;
}

/** "Select an unvisited node randomly" (line 12). */
export const rcv: Contender = {
  name: 'RCV',
  subject: (nodes) => ({
    ...{ algorithm: 'relative-consensus-voting', nodes, options: ['routing=random'] },
  }),
};
export const cyclic: Contender = {
  name: 'RCV, cyclic routes',
  subject: (nodes) => ({ algorithm: 'relative-consensus-voting', nodes }),
};
export const maekawa: Contender = { name: 'Maekawa', subject: maekawaOnPlanes };
export const grid: Contender = {
  name: 'Maekawa, grid',
  subject: (nodes) => ({ algorithm: 'maekawa', nodes, topology: 'grid' }),
};
export const broadcast: Contender = {
  name: 'Broadcast',
  subject: (nodes) => ({ algorithm: 'suzuki-kasami', nodes }),
};
export const ricart: Contender = {
  name: 'Ricart',
  subject: (nodes) => ({ algorithm: 'ricart-agrawala', nodes }),
};

/** The four of the paper's figures. */
export const four = [rcv, maekawa, broadcast, ricart];

const PLANES = [3, 7, 13, 21, 31, 57, 73, 91];

/**
 * "we use the first method mentioned in [9] to generate quorums" (6.2): the lines of the next larger
 * projective plane, with the points that are too many replaced by others. Any two still meet.
 */
function maekawaOnPlanes(nodes: number): Subject {
  const { quorum } = plane(PLANES.find((points) => points >= nodes)!);
  const lines = Array.from({ length: nodes }, (_, i) => {
    const members = new Set(quorum[i]!.map((point) => point % nodes));
    return `${i}: ${[...members].sort((a, b) => a - b).join(' ')}`;
  });
  return {
    ...{ algorithm: 'maekawa', nodes, topology: 'file:lines of a plane', file: lines.join('\n') },
  };
}
