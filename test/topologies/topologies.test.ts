/** Topologies: what each builder promises, what each law rejects, what each wrong call is told. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { UsageError } from '../../src/core/errors.ts';
import { flag } from '../../src/core/option.ts';
import type {
  Agreement,
  Information,
  KCoterie,
  TopologyKind,
  Tree,
} from '../../src/core/topology.ts';
import { everyone, grid, majority, weighted } from '../../src/topologies/coterie.ts';
import { field, primePower } from '../../src/topologies/field.ts';
import { randomGraph } from '../../src/topologies/graph.ts';
import { kCoterieLaw } from '../../src/topologies/k-law.ts';
import {
  agreementLaw,
  groupsLaw,
  informationLaw,
  intersectionLaw,
  minimalityLaw,
  type Sets,
  selfLaw,
  votesLaw,
} from '../../src/topologies/laws.ts';
import { buildTopology, topologyFile, topologyNames } from '../../src/topologies/named.ts';
import { differenceSet } from '../../src/topologies/plane.ts';
import {
  binaryTree,
  diameter,
  distance,
  lineTree,
  radiatingStar,
  randomTree,
  starTree,
  treeFromEdges,
} from '../../src/topologies/tree.ts';
import { pathLengths, quorumInTree, treeQuorum } from '../../src/topologies/tree-quorum.ts';
import { makeWorld } from '../../src/topologies/world.ts';

const nodes = fc.integer({ min: 1, max: 100 });
const few = fc.integer({ min: 1, max: 12 });
const seeds = fc.maxSafeInteger();
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const meet = (a: readonly number[], b: readonly number[]) => a.some((i) => b.includes(i));
const isAscending = (set: readonly number[]) => set.every((i, at) => at === 0 || set[at - 1]! < i);

/** Hops between any two sites, by Floyd and Warshall: slow, and too simple to be wrong. */
function allDistances(neighbours: Sets): number[][] {
  const n = neighbours.length;
  const hops = neighbours.map((list, i) =>
    upTo(n).map((j) => (i === j ? 0 : list.includes(j) ? 1 : Number.POSITIVE_INFINITY)),
  );
  for (const via of upTo(n)) {
    for (const i of upTo(n)) {
      for (const j of upTo(n)) {
        hops[i]![j] = Math.min(hops[i]![j]!, hops[i]![via]! + hops[via]![j]!);
      }
    }
  }
  return hops;
}

/** What is wrong with these neighbours as a connected graph of n sites, if anything is. */
function graphFault(n: number, neighbours: Sets): string | undefined {
  if (neighbours.length !== n) return `${neighbours.length} lists`;
  const sets = neighbours.map((list) => new Set(list));
  for (const [i, list] of neighbours.entries()) {
    if (!isAscending(list)) return `the neighbours of ${i} are not in order`;
    if (list.includes(i)) return `${i} is next to itself`;
    if (!list.every((j) => sets[j]?.has(i))) return `a neighbour of ${i} does not know it`;
  }
  const reached = new Set([0]);
  for (const i of reached) for (const j of neighbours[i]!) reached.add(j);
  return reached.size === n ? undefined : `only ${reached.size} are in reach`;
}

/** What is wrong with this as a tree of n sites oriented towards 0, if anything is. */
function treeFault(n: number, { parent, neighbours }: Tree): string | undefined {
  if (neighbours.flat().length !== 2 * (n - 1)) return 'not n − 1 edges';
  if (parent.length !== n || parent[0] !== 0) return '0 is not the root';
  for (let i = 1; i < n; i++) {
    if (!neighbours[i]!.includes(parent[i]!)) return `${i} has a stranger for parent`;
    let at = i;
    for (let hops = 0; hops < n; hops++) at = parent[at]!;
    if (at !== 0) return `${i} does not lead to the root`;
  }
  return graphFault(n, neighbours);
}

describe('trees', () => {
  for (const name of ['line', 'star', 'binary', 'radiating:2', 'radiating:3', 'radiating:7']) {
    test(`${name} is a tree, oriented towards 0`, () => {
      fc.assert(
        fc.property(nodes, (n) => {
          expect(treeFault(n, buildTopology('tree', name, n))).toBeUndefined();
        }),
      );
    });
  }

  test('random is a tree, and the same seed gives the same tree', () => {
    fc.assert(
      fc.property(nodes, seeds, (n, seed) => {
        const tree = buildTopology('tree', 'random', n, { seed });
        expect(treeFault(n, tree)).toBeUndefined();
        expect(randomTree(n, seed)).toEqual(tree);
      }),
    );
  });

  test('random reaches all 16 trees of four sites, each about as often', () => {
    const drawn = new Map<string, number>();
    for (let seed = 0; seed < 3200; seed++) {
      const key = JSON.stringify(randomTree(4, seed).neighbours);
      drawn.set(key, (drawn.get(key) ?? 0) + 1);
    }
    expect(drawn.size).toBe(16);
    // 200 each, give or take five standard deviations.
    for (const times of drawn.values()) expect(Math.abs(times - 200)).toBeLessThan(70);
  });

  test('seeds that differ beyond 32 bits give different trees', () => {
    expect(randomTree(50, 1)).not.toEqual(randomTree(50, 1 + 2 ** 32));
  });

  test('diameter and distance agree with all shortest paths', () => {
    fc.assert(
      fc.property(few, seeds, (n, seed) => {
        const tree = randomTree(n, seed);
        const hops = allDistances(tree.neighbours);
        expect(diameter(tree)).toBe(Math.max(...hops.flat()));
        for (const i of upTo(n)) {
          for (const j of upTo(n)) expect(distance(tree, i, j)).toBe(hops[i]![j]);
        }
      }),
    );
  });

  test('a file lists the edges of its tree', () => {
    fc.assert(
      fc.property(few, seeds, (n, seed) => {
        const tree = randomTree(n, seed);
        const edges = tree.parent.slice(1).map((up, i) => `${up}\t${i + 1}  # an edge\r`);
        const file = ['# a tree', '', ...edges].join('\n');
        expect(buildTopology('tree', 'file:t', n, { file })).toEqual(tree);
        expect(buildTopology('graph', 'file:t', n, { file }).neighbours).toEqual(tree.neighbours);
      }),
    );
  });

  test("with valency 3 and ten sites the radiating star is Raymond's figure 7", () => {
    expect(radiatingStar(10, 3).parent).toEqual([0, 0, 0, 0, 1, 1, 2, 2, 3, 3]);
  });

  test('every inner site of a radiating star has its valency, except at most one', () => {
    fc.assert(
      fc.property(nodes, fc.integer({ min: 2, max: 20 }), (n, valency) => {
        const inner = radiatingStar(n, valency).neighbours.filter((list) => list.length > 1);
        const odd = inner.filter((list) => list.length !== valency);
        expect(odd.length).toBeLessThanOrEqual(1);
        for (const list of odd) expect(list.length).toBeLessThan(valency);
      }),
    );
  });

  // "the diameter of the tree is 2⌈log_{K−1}((N−1)(K−2)/K + 1)⌉" (Raymond, section 5): so it is,
  // but for a last level that lies within one branch of the centre, where it is one less.
  test("a radiating star has Raymond's diameter, or one less", () => {
    for (let valency = 3; valency <= 6; valency++) {
      let rim = valency;
      let full = 1 + rim;
      for (let n = 2; n <= 400; n++) {
        const level = Math.log(((n - 1) * (valency - 2)) / valency + 1) / Math.log(valency - 1);
        const formula = 2 * Math.ceil(level - 1e-9);
        const inLastLevel = n - (full - rim);
        const oneBranch = inLastLevel <= rim / valency;
        expect(diameter(radiatingStar(n, valency))).toBe(oneBranch ? formula - 1 : formula);
        if (n === full) {
          rim *= valency - 1;
          full += rim;
        }
      }
    }
  });

  test('a tree of a million nodes is built without recursion', () => {
    const million = 1_000_000;
    expect(diameter(buildTopology('tree', 'line', million))).toBe(million - 1);
    expect(distance(buildTopology('tree', 'binary', million), million - 1, 1)).toBe(20);
  });
});

describe('graphs', () => {
  for (const name of ['complete', 'ring', 'line', 'star', 'binary', 'random']) {
    test(`${name} is connected`, () => {
      fc.assert(
        fc.property(nodes, fc.nat(), (n, seed) => {
          const { neighbours } = buildTopology('graph', name, n, { seed });
          expect(graphFault(n, neighbours)).toBeUndefined();
        }),
      );
    });
  }

  test('complete, ring and random have the expected edges', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 60 }), fc.nat(), (n, seed) => {
        const valencies = (name: string) =>
          buildTopology('graph', name, n).neighbours.map((list) => list.length);
        expect(valencies('complete')).toEqual(upTo(n).map(() => n - 1));
        expect(valencies('ring')).toEqual(upTo(n).map(() => 2));
        const chords = Math.min(Math.floor(n / 2), (n * (n - 1)) / 2 - (n - 1));
        expect(randomGraph(n, seed).neighbours.flat()).toHaveLength(2 * (n - 1 + chords));
        expect(randomGraph(n, seed)).toEqual(randomGraph(n, seed));
      }),
    );
    expect(buildTopology('graph', 'ring', 2).neighbours).toEqual([[1], [0]]);
    expect(buildTopology('graph', 'ring', 1).neighbours).toEqual([[]]);
  });

  test('the one-way ring visits every site', () => {
    fc.assert(
      fc.property(nodes, (n) => {
        const { next } = buildTopology('ring', 'ring', n);
        let at = 0;
        const visited = upTo(n).map(() => {
          at = next[at]!;
          return at;
        });
        expect(visited).toEqual([...upTo(n).slice(1), 0]);
      }),
    );
  });
});

function expectCoterie(n: number, quorum: Sets): void {
  expect(quorum).toHaveLength(n);
  expect(quorum.every(isAscending)).toBe(true);
  expect(quorum.flat().every((i) => i < n)).toBe(true);
  expect(intersectionLaw(quorum)).toBeUndefined();
  expect(selfLaw(quorum)).toBeUndefined();
}

describe('coteries', () => {
  const quorumsOf = (name: string, n: number) => buildTopology('coterie', name, n).quorum;
  const isMinimal = (name: string, n: number) => minimalityLaw(quorumsOf(name, n)) === undefined;

  for (const name of ['majority', 'grid', 'tree', 'triangle', 'all']) {
    test(`${name}: any two quorums meet, and i is in its own`, () => {
      fc.assert(fc.property(nodes, (n) => expectCoterie(n, quorumsOf(name, n))));
    });
  }

  test('majority, tree and all are minimal', () => {
    for (const name of ['majority', 'tree', 'all']) {
      for (let n = 1; n <= 80; n++) expect(isMinimal(name, n)).toBe(true);
    }
  });

  test('the grid is minimal but for 5 and c(c−1) + 1', () => {
    const exceptions = upTo(151).filter((n) => n > 0 && !isMinimal('grid', n));
    expect(exceptions).toEqual([3, 5, 7, 13, 21, 31, 43, 57, 73, 91, 111, 133]);
  });

  test('the triangle is minimal unless its last row is one site', () => {
    const exceptions = upTo(80).filter((n) => n > 0 && !isMinimal('triangle', n));
    expect(exceptions).toEqual([2, 4, 7, 11, 16, 22, 29, 37, 46, 56, 67, 79]);
  });

  test('quorums have the sizes that the papers give', () => {
    for (const quorum of quorumsOf('majority', 10)) expect(quorum).toHaveLength(6);
    for (const quorum of quorumsOf('grid', 49)) expect(quorum).toHaveLength(13);
    for (const quorum of quorumsOf('tree', 63)) expect(quorum).toHaveLength(6);
    for (const quorum of quorumsOf('triangle', 55)) expect(quorum).toHaveLength(10);
    expect(majority(5).quorum[3]).toEqual([0, 3, 4]);
    expect(grid(9).quorum[4]).toEqual([1, 3, 4, 5, 7]);
    expect(everyone(3).quorum[1]).toEqual([0, 1, 2]);
    expect(quorumsOf('triangle', 6).map((quorum) => quorum.join(''))).toEqual([
      '013',
      '124',
      '124',
      '345',
      '345',
      '345',
    ]);
  });

  test('a weighted quorum has more than half of the votes, and needs every member but its own site', () => {
    const votes = fc.array(fc.nat(9), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(votes, (weights) => {
        const all = weights.reduce((sum, v) => sum + v, 0);
        fc.pre(all > 0);
        const { quorum } = weighted(weights);
        expectCoterie(weights.length, quorum);
        for (const [i, set] of quorum.entries()) {
          const sum = set.reduce((total, j) => total + weights[j]!, 0);
          expect(2 * sum).toBeGreaterThan(all);
          for (const j of set) {
            if (j !== i) expect(2 * (sum - weights[j]!)).toBeLessThanOrEqual(all);
          }
        }
      }),
    );
    expect(quorumsOf('weighted:3,1,1', 3)).toEqual([[0], [0, 1], [0, 2]]);
  });
});

describe('finite projective planes', () => {
  const orders = upTo(33).filter((q) => q < 2 || primePower(q) !== undefined);

  test('there is a plane for every prime power', () => {
    expect(orders).toEqual([0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]);
    for (const q of orders) {
      const n = q * q + q + 1;
      const { quorum } = buildTopology('coterie', 'fpp', n);
      expect(selfLaw(quorum)).toBeUndefined();
      expect(quorum.every((line) => line.length === q + 1 && isAscending(line))).toBe(true);
      if (q > 16) continue; // pair by pair takes n² steps; the differences below say the same
      for (const [i, line] of quorum.entries()) {
        const points = new Set(line);
        const others = quorum.slice(i + 1);
        const shared = others.map((other) => other.filter((point) => points.has(point)).length);
        expect(shared.every((count) => count === 1)).toBe(true);
      }
    }
  });

  test('each difference occurs exactly once', () => {
    for (const q of [...orders, 49, 64, 81]) {
      const n = q * q + q + 1;
      const set = differenceSet(q);
      const differences = set.flatMap((a) => set.map((b) => (a - b + n) % n)).filter((d) => d > 0);
      expect(differences).toHaveLength(n - 1);
      expect(new Set(differences).size).toBe(n - 1);
    }
  });

  test('the difference sets are the published ones', () => {
    expect([2, 3, 4, 5, 7, 8].map(differenceSet)).toEqual([
      [0, 1, 3],
      [0, 1, 3, 9],
      [0, 1, 4, 14, 16],
      [0, 1, 3, 8, 12, 18],
      [0, 1, 3, 13, 32, 36, 43, 52],
      [0, 1, 3, 7, 15, 31, 36, 54, 63],
    ]);
  });

  test('a field is distributive and has inverses', () => {
    for (const q of [2, 3, 4, 5, 7, 8, 9, 25, 27]) {
      const { add, multiply } = field(q);
      const element = fc.nat(q - 1);
      fc.assert(
        fc.property(element, element, element, (a, b, c) => {
          expect(multiply(a, add(b, c))).toBe(add(multiply(a, b), multiply(a, c)));
          expect(multiply(a, multiply(b, c))).toBe(multiply(multiply(a, b), c));
          expect(add(a, add(b, c))).toBe(add(add(a, b), c));
          expect(multiply(1, a)).toBe(a);
        }),
      );
      for (let a = 1; a < q; a++) {
        expect(upTo(q).filter((b) => multiply(a, b) === 1)).toHaveLength(1);
        expect(upTo(q).filter((b) => add(a, b) === 0)).toHaveLength(1);
      }
    }
  });
});

describe('tree quorums under failures', () => {
  test('two quorums meet, whatever sites each believes to be down', () => {
    const world = nodes.chain((n) => {
      // One in four is down.
      const belief = fc.array(fc.nat(3), { minLength: n, maxLength: n });
      const site = fc.nat(n - 1);
      return fc.tuple(fc.constant(n), site, site, belief, belief);
    });
    let both = 0;
    fc.assert(
      fc.property(world, ([n, i, j, upForI, upForJ]) => {
        const one = treeQuorum(n, i, (v) => upForI[v]! > 0);
        const two = treeQuorum(n, j, (v) => upForJ[v]! > 0);
        expect((one ?? []).every((v) => upForI[v]! > 0)).toBe(true);
        if (one === undefined || two === undefined) return;
        both++;
        expect(isAscending(one)).toBe(true);
        expect(meet(one, two)).toBe(true);
      }),
      { numRuns: 1000 },
    );
    expect(both).toBeGreaterThan(100);
  });

  test('in any tree too, and in the binary one they are the same', () => {
    const world = nodes.chain((n) => {
      const belief = fc.array(fc.nat(3), { minLength: n, maxLength: n });
      const site = fc.nat(n - 1);
      return fc.tuple(fc.constant(n), fc.nat(), site, site, belief, belief);
    });
    let both = 0;
    fc.assert(
      fc.property(world, ([n, seed, i, j, upForI, upForJ]) => {
        const tree = randomTree(n, seed);
        const one = quorumInTree(tree, i, (v) => upForI[v]! > 0);
        const two = quorumInTree(tree, j, (v) => upForJ[v]! > 0);
        expect(quorumInTree(binaryTree(n), i, (v) => upForI[v]! > 0)).toEqual(
          treeQuorum(n, i, (v) => upForI[v]! > 0),
        );
        expect((one ?? []).every((v) => upForI[v]! > 0)).toBe(true);
        if (one === undefined || two === undefined) return;
        both++;
        expect(isAscending(one)).toBe(true);
        expect(meet(one, two)).toBe(true);
      }),
      { numRuns: 1000 },
    );
    expect(both).toBeGreaterThan(50);
  });

  test('three children: all three stand in for their parent', () => {
    const tree = treeFromEdges(10, [
      ...[0, 1, 2].map((child) => [0, child + 1] as const),
      ...[4, 5, 6].map((leaf) => [1, leaf] as const),
      ...[7, 8].map((leaf) => [2, leaf] as const),
      [3, 9],
    ]);
    expect(quorumInTree(tree, 5)).toEqual([0, 1, 5]);
    expect(quorumInTree(tree, 5, (v) => v !== 1)).toEqual([0, 4, 5, 6]);
    expect(quorumInTree(tree, 5, (v) => v !== 0)).toEqual([1, 2, 3, 5, 7, 9]);
    expect(quorumInTree(tree, 5, (v) => v !== 0 && v !== 3)).toBeUndefined();
    expect(pathLengths(tree)).toEqual({ least: 3, most: 3 });
    expect(pathLengths(starTree(5))).toEqual({ least: 2, most: 2 });
    expect(pathLengths(lineTree(5))).toEqual({ least: 5, most: 5 });
  });

  test('with seven sites a quorum has three members, and four when the root is down', () => {
    expect(treeQuorum(7, 5)).toEqual([0, 2, 5]);
    expect(treeQuorum(7, 1)).toEqual([0, 1, 3]);
    expect(treeQuorum(7, 5, (v) => v !== 5)).toEqual([0, 2, 6]);
    expect(treeQuorum(7, 5, (v) => v !== 2)).toEqual([0, 5, 6]);
    expect(treeQuorum(7, 5, (v) => v !== 0)).toEqual([1, 2, 3, 5]);
    expect(treeQuorum(7, 5, (v) => v !== 0 && v !== 3 && v !== 4)).toBeUndefined();
    // 1 is down and has one child: half of what should replace it is missing.
    expect(treeQuorum(4, 3, (v) => v !== 1)).toEqual([0, 2]);
    expect(treeQuorum(2, 0, (v) => v !== 0)).toBeUndefined();
  });
});

describe('quorum agreements', () => {
  test('every request set meets every acquired set', () => {
    for (const name of ['all', 'grid', 'tree', 'triangle']) {
      fc.assert(
        fc.property(nodes, (n) => {
          const agreement = buildTopology('agreement', name, n);
          expect(agreementLaw(agreement)).toBeUndefined();
          expect([...agreement.request, ...agreement.acquired].every(isAscending)).toBe(true);
        }),
      );
    }
    for (const n of [1, 3, 7, 13, 57]) {
      expect(agreementLaw(buildTopology('agreement', 'fpp', n))).toBeUndefined();
    }
  });

  /** Messages of one entry when all is quiet and h has the token: requests, relays, token, news. */
  function cost({ request, acquired }: Agreement, i: number, h: number): number {
    const relays = request[i]!.includes(h)
      ? []
      : request[i]!.filter((j) => acquired[h]!.includes(j));
    return request[i]!.length - 1 + acquired[i]!.length - 1 + 1 + relays.length;
  }

  test('two by two: an entry takes 3 messages in the row of the token, else 4', () => {
    const agreement = buildTopology('agreement', 'grid', 4);
    expect([1, 2, 3].map((i) => cost(agreement, i, 0))).toEqual([3, 4, 4]);
  });

  test("seven points are Maekawa's: 5 messages for 3 and 5, else 6", () => {
    const agreement = buildTopology('agreement', 'fpp', 7);
    expect(agreement.request.map((line) => line.join(''))).toEqual([
      '012',
      '135',
      '245',
      '034',
      '146',
      '056',
      '236',
    ]);
    expect([1, 2, 3, 4, 5, 6].map((i) => cost(agreement, i, 0))).toEqual([6, 6, 5, 6, 5, 6]);
  });

  test('with all, an entry takes 5 messages among five sites, as Suzuki and Kasami say', () => {
    expect(cost(buildTopology('agreement', 'all', 5), 3, 0)).toBe(5);
  });
});

describe('information structures', () => {
  test('inform sets meet, or sites track themselves and ask each other', () => {
    for (const name of ['ricart-agrawala', 'maekawa', 'maekawa:majority', 'central', 'mixed']) {
      fc.assert(
        fc.property(nodes, (n) => {
          const information = buildTopology('information', name, n);
          expect(informationLaw(information)).toBeUndefined();
          expect([...information.inform, ...information.request].every(isAscending)).toBe(true);
        }),
      );
    }
  });

  test("mixed needs both alternatives of Sanders's condition", () => {
    const { inform, request } = buildTopology('information', 'mixed', 4);
    expect(inform).toEqual([[0], [0, 1], [2], [2, 3]]);
    expect(request).toEqual([
      [0, 2, 3],
      [0, 1, 2, 3],
      [0, 1, 2],
      [0, 1, 2, 3],
    ]);
  });
});

describe('votes and groups', () => {
  test('a set with enough votes to write meets every set with enough votes to read or write', () => {
    const small = fc.array(fc.nat(4), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(small, (weights) => {
        fc.pre(weights.some((v) => v > 0));
        const spec = `weighted:${weights.join()}`;
        const { votes, read, write } = buildTopology('votes', spec, weights.length);
        expect(votesLaw({ kind: 'votes', votes, read, write })).toBeUndefined();
        const sum = (set: number) =>
          votes.reduce((total, v, i) => total + (set & (1 << i) ? v : 0), 0);
        const sets = upTo(2 ** votes.length);
        const writers = sets.filter((set) => sum(set) >= write);
        const readers = sets.filter((set) => sum(set) >= read);
        expect(writers.length).toBeGreaterThan(0);
        const others = [...writers, ...readers];
        expect(writers.every((one) => others.every((two) => (one & two) !== 0))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test('majority, read-one and weighted have the expected thresholds', () => {
    const thresholds = (spec: string, n: number) => {
      const { read, write } = buildTopology('votes', spec, n);
      return [read, write];
    };
    expect(thresholds('majority', 5)).toEqual([3, 3]);
    expect(thresholds('majority', 4)).toEqual([2, 3]);
    expect(thresholds('read-one', 4)).toEqual([1, 4]);
    expect(thresholds('weighted:2,1,1/1/4', 3)).toEqual([1, 4]);
  });

  test('groups partition the sites, and majorities of any two quorums of groups meet', () => {
    fc.assert(
      fc.property(nodes, fc.integer({ min: 1, max: 9 }), fc.nat(), (n, wanted, pick) => {
        const size = Math.min(wanted, n);
        for (const name of ['grid', 'majority']) {
          const made = buildTopology('groups', `${name}:${size}`, n);
          expect(groupsLaw(made, n)).toBeUndefined();
          const sizes = made.groups.map((group) => group.length);
          expect(Math.min(...sizes)).toBeGreaterThanOrEqual(size);
          expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
          // Two opposite majorities of each group: the first of it, and the last.
          const majorities = (g: number, end: 'first' | 'last') =>
            made.groupQuorum[g]!.flatMap((member) => {
              const group = made.groups[member]!;
              const needed = Math.floor(group.length / 2) + 1;
              return end === 'first' ? group.slice(0, needed) : group.slice(-needed);
            });
          const g = pick % made.groups.length;
          const h = (pick >> 8) % made.groups.length;
          expect(meet(majorities(g, 'first'), majorities(h, 'last'))).toBe(true);
        }
      }),
    );
    expect(buildTopology('groups', 'fpp', 21).groupQuorum).toHaveLength(7);
    expect(buildTopology('groups', 'grid', 2).groups).toEqual([[0, 1]]);
  });
});

describe('k-coteries', () => {
  /** Kakugawa's two conditions as they are written, by looking at every family. */
  function isKCoterie(quorums: Sets, k: number): boolean {
    const disjoint = (family: Sets) =>
      family.every((one, i) => family.slice(i + 1).every((other) => !meet(one, other)));
    return upTo(2 ** quorums.length).every((bits) => {
      const family = quorums.filter((_, q) => bits & (1 << q));
      if (!disjoint(family)) return true;
      if (family.length > k) return false;
      return family.length === k || quorums.some((one) => family.every((q) => !meet(one, q)));
    });
  }

  const sizes = few.chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 1, max: n })));

  test('parts is a k-coterie for all n and k, and every site prefers a quorum that contains it', () => {
    fc.assert(
      fc.property(sizes, ([n, k]) => {
        const made = buildTopology('k-coterie', 'parts', n, { k });
        expect(kCoterieLaw(made, k)).toBeUndefined();
        expect(isKCoterie(made.quorums, k)).toBe(true);
        expect(new Set(made.quorums.map(String)).size).toBe(made.quorums.length);
        expect(made.choice).toHaveLength(n);
        for (const i of upTo(n)) expect(made.quorums[made.choice[i]!]).toContain(i);
      }),
    );
    expect(kCoterieLaw(buildTopology('k-coterie', 'parts', 500, { k: 500 }), 500)).toBeUndefined();
  });

  test('majority is a k-coterie wherever k quorums fit', () => {
    let made = 0;
    for (let n = 1; n <= 9; n++) {
      for (let k = 1; k <= n; k++) {
        if (k * Math.ceil((n + 1) / (k + 1)) > n) continue;
        const coterie = buildTopology('k-coterie', 'majority', n, { k });
        expect(kCoterieLaw(coterie, k)).toBeUndefined();
        for (const i of upTo(n)) expect(coterie.quorums[coterie.choice[i]!]).toContain(i);
        made++;
      }
    }
    expect(made).toBeGreaterThan(20);
    expect(buildTopology('k-coterie', 'majority', 5, { k: 2 }).quorums).toHaveLength(10);
  });

  test("the survey's square is one for k = 2", () => {
    const square = buildTopology('k-coterie', 'square', 4, { k: 2 });
    expect(kCoterieLaw(square, 2)).toBeUndefined();
    // "node 2 chooses q1 … node 4 chooses q4", which are our sites 1 and 3.
    expect(square.choice.map((q) => square.quorums[q])).toEqual([
      [0, 1],
      [0, 1],
      [0, 2],
      [2, 3],
    ]);
    // A file says of each site which quorum it chooses, and the quorums that it names are all there are.
    const file = '0: 0 1\n1: 1 3\n2: 0 2\n3: 2 3';
    const read = buildTopology('k-coterie', 'file:square.txt', 4, { k: 2, file });
    expect(read.choice.map((q) => read.quorums[q])).toEqual([
      [0, 1],
      [1, 3],
      [0, 2],
      [2, 3],
    ]);
  });

  test("the law is equivalent to Kakugawa's two conditions", () => {
    const set = fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 2 });
    const families = fc.uniqueArray(set, {
      minLength: 1,
      maxLength: 6,
      selector: (members) => [...members].sort().join(),
    });
    let kept = 0;
    fc.assert(
      fc.property(families, fc.integer({ min: 1, max: 3 }), (quorums, k) => {
        fc.pre(minimalityLaw(quorums) === undefined);
        const says = kCoterieLaw({ kind: 'k-coterie', quorums, choice: [] }, k) === undefined;
        expect(says).toBe(isKCoterie(quorums, k));
        if (says) kept++;
      }),
      { numRuns: 1000 },
    );
    expect(kept).toBeGreaterThan(50);
  });
});

describe('every law rejects a structure that breaks it', () => {
  const agreement = (request: Sets, acquired: Sets): Agreement => ({
    kind: 'agreement',
    request,
    acquired,
  });
  const information = (inform: Sets, request: Sets): Information => ({
    kind: 'information',
    inform,
    request,
  });
  const kCoterie = (quorums: Sets, choice: number[] = []): KCoterie => ({
    kind: 'k-coterie',
    quorums,
    choice,
  });
  const votes = (weights: number[], read: number, write: number) =>
    votesLaw({ kind: 'votes', votes: weights, read, write });
  const groups = (sets: Sets, groupQuorum: Sets) =>
    groupsLaw({ kind: 'groups', groups: sets, groupQuorum }, 4);
  const both = [0, 1];

  const cases: [string, string | undefined, string][] = [
    [
      'quorums apart',
      intersectionLaw([[0, 1], [1], [2, 3]]),
      'the quorums of 0 and 2 do not meet: {0, 1} and {2, 3}',
    ],
    ['an empty quorum', intersectionLaw([[]]), 'the quorum of 0 is empty'],
    [
      'a quorum within another',
      minimalityLaw([[0, 1, 2], both]),
      'the quorum of 1 lies within that of 0: {0, 1} and {0, 1, 2}',
    ],
    ['a site left out', selfLaw([[0], [0]]), 'site 1 is not in its own set {0}'],
    [
      'a request that nobody hears of',
      agreementLaw(agreement([[0], both], [[0], [1]])),
      'the request set of 0 does not meet the acquired set of 1: {0} and {1}',
    ],
    [
      'a site outside its request set',
      agreementLaw(agreement([[1], both], [both, both])),
      'site 0 is not in its own set {1}',
    ],
    [
      'a site outside its acquired set',
      agreementLaw(agreement([both, both], [[0], [0]])),
      'site 1 is not in its own set {0}',
    ],
    [
      'informing without asking',
      informationLaw(information([both, both], [[0], both])),
      'site 0 informs {0, 1} but asks only {0}',
    ],
    [
      'strangers',
      informationLaw(information([[0], [1]], [both, [1]])),
      '0 and 1 neither meet in those they inform, {0} and {1}, nor track themselves and ask each other',
    ],
    [
      'asking each other, tracked by nobody',
      informationLaw(information([[], []], [both, both])),
      'site 0 informs no site',
    ],
    [
      'asking each other, tracked by others only',
      informationLaw(information([[1], [0]], [both, both])),
      '0 and 1 neither meet in those they inform, {1} and {0}, nor track themselves and ask each other',
    ],
    [
      'two writers',
      votes([1, 1, 1, 1], 3, 2),
      'two writers fit: twice 2 votes are not more than all 4',
    ],
    [
      'a reader and a writer',
      votes([1, 1, 1], 1, 2),
      'a reader and a writer fit: 1 + 2 votes are not more than all 3',
    ],
    ['no votes', votes([0, 0], 1, 1), 'no site has a vote'],
    ['half a vote', votes([0.5, 1], 1, 1), 'votes are whole numbers from 0, got 0.5'],
    ['free reading', votes([1, 1], 0, 2), '0 votes to read are not from 1 to all 2'],
    ['impossible writing', votes([1, 1], 1, 3), '3 votes to write are not from 1 to all 2'],
    [
      'a site in two groups',
      groups([both, [1, 2, 3]], [both, both]),
      'the groups {0, 1}, {1, 2, 3} do not hold each of 4 sites once',
    ],
    ['an empty group', groups([[0, 1, 2, 3], []], [both, both]), 'a group is empty'],
    [
      'groups without quorums',
      groups([both, [2, 3]], [[0]]),
      '2 groups have 1 quorums, not one each',
    ],
    [
      'groups apart',
      groups([both, [2, 3]], [[0], [1]]),
      'the quorums of 0 and 1 do not meet: {0} and {1}',
    ],
    [
      'too few disjoint quorums',
      kCoterieLaw(kCoterie([both, [1, 2], [3]]), 3),
      'no quorum is disjoint from all of {0, 1}, {3}, and k is 3',
    ],
    [
      'too many disjoint quorums',
      kCoterieLaw(kCoterie([[0], [1], [2]]), 2),
      'the 3 quorums {0}, {1}, {2} are disjoint, and k is 2',
    ],
    [
      'a k-quorum within another',
      kCoterieLaw(kCoterie([both, [0]]), 1),
      'the quorum of 1 lies within that of 0: {0} and {0, 1}',
    ],
    [
      'a stray choice',
      kCoterieLaw(kCoterie([[0]], [1]), 1),
      'a site prefers quorum 1, and there are 1',
    ],
    ['an empty k-quorum', kCoterieLaw(kCoterie([[]]), 1), 'a quorum is empty'],
    [
      'more families than we can look at',
      kCoterieLaw(kCoterie(upTo(20).flatMap((i) => [1, 2].map((d) => [3 * i, 3 * i + d]))), 20),
      'there are more than 200000 families of disjoint quorums, too many to check',
    ],
    [
      'sets too long to print',
      selfLaw([upTo(20).map((i) => i + 1)]),
      'site 0 is not in its own set {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …}',
    ],
  ];
  test.each(cases)('%s', (_, said, sentence) => expect(said).toBe(sentence));
});

describe('names', () => {
  const examples: { readonly [written: string]: string } = {
    'radiating:K': 'radiating:3',
    'weighted:V,V,…': 'weighted:2,1,1,1',
    'weighted:V,V,…[/READ/WRITE]': 'weighted:2,1,1,1',
    'file:PATH': '',
  };
  const kinds: readonly TopologyKind[] = [
    'complete',
    'ring',
    'tree',
    'graph',
    'coterie',
    'agreement',
    'information',
    'votes',
    'groups',
    'k-coterie',
  ];

  test('every listed name can be built', () => {
    for (const kind of kinds) {
      for (const { name, about } of topologyNames(kind)) {
        expect(about).not.toBe('');
        const spec = examples[name] ?? name.replace(/\[.*/, '');
        if (spec === '') continue;
        const n = spec.startsWith('fpp') ? (kind === 'groups' ? 9 : 7) : 4;
        expect(buildTopology(kind, spec, n, { k: 2 }).kind).toBe(kind);
      }
    }
    expect(topologyNames('tree').map(({ name }) => name)).toEqual([
      'line',
      'star',
      'binary',
      'radiating:K',
      'random',
      'file:PATH',
    ]);
  });

  test('only file:PATH has a path', () => {
    expect(topologyFile('file:a:b.txt')).toBe('a:b.txt');
    expect(topologyFile('line')).toBeUndefined();
  });

  test('sets are read from a file, in any order of lines and members', () => {
    const file = '# three majorities\n2: 2 0\n0 : 1 0\n\n1: 1 2 # last';
    expect(buildTopology('coterie', 'file:q', 3, { file }).quorum).toEqual([
      [0, 1],
      [1, 2],
      [0, 2],
    ]);
    const pairs = '0: 0 1 | 0\n1: 0 1 | 1';
    expect(buildTopology('agreement', 'file:q', 2, { file: pairs }).acquired).toEqual([[0], [1]]);
    const tracked = '0: 0 | 0 1\n1: 1 | 0 1';
    expect(buildTopology('information', 'file:q', 2, { file: tracked }).inform).toEqual([[0], [1]]);
  });

  // A call on one line (kind, name, nodes, what else), and on the next what the caller is told.
  const told = String.raw`
coterie fpp 8
  fpp has q²+q+1 points, q a prime power, not 8: take 7 or 13, or take grid
agreement fpp 43
  fpp has q²+q+1 points, q a prime power, not 43: take 31 or 57, or take grid
coterie fpp 2
  fpp has q²+q+1 points, q a prime power, not 2: take 1 or 3, or take grid
groups fpp:5 25
  25 nodes make 5 groups of 5: fpp has q²+q+1 points, q a prime power, not 5: take 3 or 7, or take grid
tree lien 5
  no tree is called "lien": take line, star, binary, radiating:K, random, file:PATH (did you mean "line"?)
coterie constructor 5
  no coterie is called "constructor": take grid, fpp, tree, majority, triangle, weighted:V,V,…, all, file:PATH
ring file:x 5
  no ring is called "file": take ring
tree radiating 5
  radiating is written radiating:K, as in radiating:3
tree radiating: 5
  radiating is written radiating:K, as in radiating:3
tree radiating:1 5
  the valency of radiating is a whole number from 2 to 10000000, got "1"
tree line:3 5
  line takes nothing after its name, got "line:3": write line
tree line 0
  the number of nodes is a whole number from 1 to 10000000, got 0
tree line 2.5
  the number of nodes is a whole number from 1 to 10000000, got 2.5
k-coterie parts 3 {"k":4}
  k is a whole number from 1 to the number of nodes, 3, got 4
coterie majority 100000
  majority at 100000 nodes lists 5000100000 sites, more than 33554432: take fewer, or tree
graph complete 100000
  complete at 100000 nodes lists 9999900000 sites, more than 33554432: take fewer, or random
coterie weighted:1,1 3
  weighted takes the votes of 3 nodes, as in "weighted:2,1,1", got "1,1"
coterie weighted:1,x,1,1 4
  weighted takes the votes of 4 nodes, as in "weighted:2,1,1,…", got "1,x,1,1"
coterie weighted:0,0 2
  weighted needs at least one vote, got none: write weighted:1,…
votes weighted:2,1,1/1 3
  to read and to write take two numbers, as in "weighted:2,1,1/1/4", got "2,1,1/1"
votes weighted:2,1,1/1/3 3
  a reader and a writer fit: 1 + 3 votes are not more than all 4
groups grid:9 5
  the size of a group is a whole number from 1 to 5, got "9"
information maekawa:fp 7
  the coterie of maekawa is one of grid, fpp, tree, majority, triangle, all, got "fp" (did you mean "fpp"?)
k-coterie majority 3 {"k":2}
  majority is for n ≥ k⌈(n+1)/(k+1)⌉, and 3 nodes do not hold 2 times 2: take parts
k-coterie square 5 {"k":2}
  square is for 4 nodes and k = 2, got 5 and 2: take parts
tree file: 3 {"file":""}
  file is written file:PATH, as in file:edges.txt
tree file:e 3
  e was not read: pass its text as "file"
tree file:e 3 {"file":"# nodes\n0 1\n1 x"}
  e: line 3: expected an edge, as in "0 1", got "1 x"
tree file:e 3 {"file":"0 1\n1 3"}
  e: line 2: there is no node 3, the 3 are numbered from 0
tree file:e 3 {"file":"0 1\n1 1"}
  e: line 2: an edge joins two nodes, got 1 twice
graph file:e 2 {"file":"0 1\n1 0"}
  e: line 2: the edge 1 0 is already on line 1
tree file:e 4 {"file":"0 1"}
  e: a tree of 4 nodes has 3 edges, got 1
tree file:e 3 {"file":"0 1\n1 2\n2 0"}
  e: a tree of 3 nodes has 2 edges, got 3
tree file:e 4 {"file":"0 1\n1 2\n2 0"}
  e: a tree is connected, and node 3 is out of reach of node 0
graph file:e 4 {"file":"0 1\n2 3"}
  e: a graph must be connected, and node 2 is out of reach of node 0
coterie file:q 2 {"file":"0: 0 1"}
  q: site 1 of 2 has no line: write one as in "1: 0 1"
coterie file:q 2 {"file":"0: 0 1\n0: 0"}
  q: line 2: site 0 already has a line
coterie file:q 2 {"file":"0: 0 0\n1: 0"}
  q: line 1: a set names each site once, got "0 0"
coterie file:q 2 {"file":"0 1"}
  q: line 1: expected a site and its sets, as in "0: 0 1", got "0 1"
agreement file:q 2 {"file":"0: 0 1"}
  q: line 1: expected 2 sets (ask | tell), as in "0: 0 1 | 0 1", got "0: 0 1"
coterie file:q 2 {"file":"0: 0\n1: 1"}
  q: the quorums of 0 and 1 do not meet: {0} and {1}
agreement file:q 2 {"file":"0: 0 | 0\n1: 1 | 1"}
  q: the request set of 0 does not meet the acquired set of 1: {0} and {1}
information file:q 2 {"file":"0: 0 | 0\n1: 1 | 1"}
  q: 0 and 1 neither meet in those they inform, {0} and {1}, nor track themselves and ask each other
k-coterie file:q 2 {"file":"0: 0\n1: 1"}
  q: the 2 quorums {0}, {1} are disjoint, and k is 1
`;
  const conversations = [...told.matchAll(/^((\S+) (\S+) (\S+) ?(.*))\n {2}(.*)$/gm)].map(
    ([, call, kind, spec, n, settings, message]) =>
      [call!, kind as TopologyKind, spec!, Number(n), settings!, message!] as const,
  );

  test.each(conversations)('%s', (_, kind, spec, n, settings, message) => {
    const given = settings === '' ? {} : JSON.parse(settings);
    expect(() => buildTopology(kind, spec, n, given)).toThrow(new UsageError(message));
  });

  test('every listed call was tested', () => {
    expect(conversations).toHaveLength((told.split('\n').length - 2) / 2);
  });

  test('every text is read or refused with a UsageError', () => {
    const junk = fc.array(fc.constantFrom(...'0 1 2 9 : | # \n \r \t x - ,'.split(' '), ' ', '\n'));
    fc.assert(
      fc.property(fc.constantFrom(...kinds), junk, (kind, words) => {
        try {
          buildTopology(kind, 'file:f', 3, { file: words.join('') });
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          expect((error as Error).message).not.toContain('\n');
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('worlds', () => {
  const algorithm = (changes: Partial<AnyAlgorithm>): AnyAlgorithm =>
    ({
      id: 'toy',
      k: false,
      topology: 'tree',
      defaultTopology: 'binary',
      options: { greedy: flag('takes all') },
      ...changes,
    }) as AnyAlgorithm;
  const toy = algorithm({});

  test('a world has the requested settings, and defaults for the others', () => {
    const world = makeWorld(toy, { nodes: 3 });
    expect(world).toEqual({
      n: 3,
      k: 1,
      options: { greedy: false },
      topology: { kind: 'tree', parent: [0, 0, 0], neighbours: [[1, 2], [0], [0]] },
    });
    const other = makeWorld(toy, {
      nodes: 3,
      topology: 'file:t',
      file: '0 1\n1 2',
      options: ['greedy'],
    });
    expect(other.topology.parent).toEqual([0, 0, 1]);
    expect(other.options).toEqual({ greedy: true });
    const seeded = makeWorld(toy, { nodes: 30, topology: 'random', seed: 7 });
    expect(seeded.topology).toEqual(randomTree(30, 7));
  });

  test('k may exceed 1 where the algorithm supports it', () => {
    const many = algorithm({ k: true, topology: 'k-coterie', defaultTopology: 'parts' });
    const { k, topology } = makeWorld(many, { nodes: 6, k: 3 });
    expect(k).toBe(3);
    expect(kCoterieLaw(topology, 3)).toBeUndefined();
    expect(() => makeWorld(many, { nodes: 2, k: 3 })).toThrow(
      new UsageError('k is a whole number from 1 to the number of nodes, 2, got 3'),
    );
  });

  const wrong: [string, AnyAlgorithm, Parameters<typeof makeWorld>[1], string][] = [
    [
      'k',
      toy,
      { nodes: 3, k: 2 },
      'toy lets one in at a time, not 2: leave --k out, or take one that has k',
    ],
    [
      'k of 0',
      toy,
      { nodes: 3, k: 0 },
      'k is a whole number from 1 to the number of nodes, 3, got 0',
    ],
    [
      'nodes',
      toy,
      { nodes: 10_000_001 },
      'the number of nodes is a whole number from 1 to 10000000, got 10000001',
    ],
    [
      'option',
      toy,
      { nodes: 3, options: ['gredy'] },
      'toy has no option "gredy": it has greedy (did you mean "greedy"?)',
    ],
    [
      'topology',
      algorithm({ topology: 'complete', defaultTopology: 'complete' }),
      { nodes: 3, topology: 'line' },
      'toy runs on the complete graph: leave --topology out',
    ],
    [
      'refusal',
      algorithm({ refuses: ({ n }) => (n < 4 ? `toy needs 4 nodes, got ${n}` : undefined) }),
      { nodes: 3 },
      'toy needs 4 nodes, got 3',
    ],
  ];
  test.each(wrong)('a wrong %s is refused', (_, of, choices, message) => {
    expect(() => makeWorld(of, choices)).toThrow(new UsageError(message));
  });

  test('the complete graph may be requested by name', () => {
    const complete = algorithm({ topology: 'complete', defaultTopology: 'complete' });
    const { topology } = makeWorld(complete, { nodes: 10_000_000, topology: 'complete' });
    expect(topology).toEqual({ kind: 'complete' });
  });
});
