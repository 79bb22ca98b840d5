/** Draws whole numbers from 0 to below − 1. */
export type Draw = (below: number) => number;

/**
 * A generator for random topologies: the same seed gives the same tree on every machine.
 *
 * Chris Doty-Humphrey's sfc32, of PractRand. Its state has 128 bits, so that on few nodes a tree is
 * missed by chance only, never because no seed leads to it.
 */
export function seeded(seed: number): Draw {
  let a = seed | 0;
  // Seeds beyond 32 bits count too: their upper half would vanish in `| 0`.
  let b = Math.floor(seed / 2 ** 32) | 0;
  let c = 0x9e3779b9 | 0;
  let counter = 1;
  const next = (): number => {
    const out = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + out) | 0;
    return out >>> 0;
  };
  // Neighbouring seeds begin alike; after a dozen rounds nothing of that is left.
  for (let round = 0; round < 15; round++) next();
  return (below) => Math.floor((next() / 2 ** 32) * below);
}
