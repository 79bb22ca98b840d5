/** Every topology with a name, by kind. Help, errors and `buildTopology` read this table. */
import type { Coterie, Topologies, TopologyKind } from '../core/topology.ts';
import { askAll, bothWays, rowsAndColumns } from './agreement.ts';
import { everyone, grid, majority, plane, treePaths, triangle, weighted } from './coterie.ts';
import { completeGraph, graphOfTree, randomGraph, ring, ringGraph } from './graph.ts';
import { groups } from './groups.ts';
import * as information from './information.ts';
import { foursquare, kMajority, parts } from './k-coterie.ts';
import { MAX_NODES } from './limits.ts';
import { binaryTree, lineTree, radiatingStar, randomTree, starTree } from './tree.ts';
import { equalVotes, readOne, votes } from './votes.ts';
import { oneOf, weights, weightsAndThresholds, whole } from './words.ts';

/** What a topology may depend on besides the number of sites. */
interface Given {
  readonly seed: number;
  readonly k: number;
}

/** One topology: its name, its description and how to build it. */
export interface Recipe<T extends TopologyKind> {
  readonly name: string;
  readonly about: string;
  /** What follows the name after a colon: a word for the help, and an example. */
  readonly takes?: { readonly word: string; readonly example: string; readonly optional?: true };
  /** `word` is empty where none was given. */
  readonly build: (n: number, word: string, given: Given) => Topologies[T];
}

const coteries: { readonly [name: string]: (n: number) => Coterie } = {
  grid,
  fpp: plane,
  tree: treePaths,
  majority,
  triangle,
  all: everyone,
};
const size = { word: 'SIZE', example: '3', optional: true } as const;
const inGroups =
  (coterie: (n: number) => Coterie): Recipe<'groups'>['build'] =>
  (n, word) =>
    // Three is the least size at which a group survives a crash.
    groups(n, word === '' ? Math.min(3, n) : whole('the size of a group', word, 1, n), coterie);

export const recipes: { readonly [T in TopologyKind]: readonly Recipe<T>[] } = {
  complete: [
    {
      name: 'complete',
      about: 'every site reaches every other',
      build: () => ({ kind: 'complete' }),
    },
  ],
  ring: [{ name: 'ring', about: 'one way round: 0, 1, 2, … and back to 0', build: ring }],
  tree: [
    { name: 'line', about: '0 – 1 – 2 – …, as deep as can be', build: lineTree },
    { name: 'star', about: 'every site is a child of 0', build: starTree },
    { name: 'binary', about: 'the complete binary tree with root 0', build: binaryTree },
    {
      name: 'radiating',
      about: "Raymond's radiating star: every site but the leaves has K neighbours",
      takes: { word: 'K', example: '3' },
      build: (n, word) => radiatingStar(n, whole('the valency of radiating', word, 2, MAX_NODES)),
    },
    {
      name: 'random',
      about: 'drawn from all labelled trees, by the seed',
      build: (n, _, { seed }) => randomTree(n, seed),
    },
  ],
  graph: [
    { name: 'complete', about: 'every site next to every other', build: completeGraph },
    { name: 'ring', about: 'a ring, both ways', build: ringGraph },
    { name: 'line', about: '0 – 1 – 2 – …', build: (n) => graphOfTree(lineTree(n)) },
    { name: 'star', about: 'every site next to 0', build: (n) => graphOfTree(starTree(n)) },
    {
      name: 'binary',
      about: 'the complete binary tree',
      build: (n) => graphOfTree(binaryTree(n)),
    },
    {
      name: 'random',
      about: 'a random tree with n/2 chords, by the seed',
      build: (n, _, { seed }) => randomGraph(n, seed),
    },
  ],
  coterie: [
    { name: 'grid', about: 'row and column in a square, about 2√n', build: grid },
    { name: 'fpp', about: 'a line of a finite projective plane, about √n', build: plane },
    { name: 'tree', about: 'a path from the root to a leaf, log n', build: treePaths },
    { name: 'majority', about: 'any more than half', build: majority },
    { name: 'triangle', about: 'a row and a site of each row below, about √(2n)', build: triangle },
    {
      name: 'weighted',
      about: 'more than half of the votes, which are given',
      takes: { word: 'V,V,…', example: '2,1,1' },
      build: (n, word) => weighted(weights(word, n)),
    },
    { name: 'all', about: 'all sites', build: everyone },
  ],
  agreement: [
    { name: 'grid', about: 'ask the row, tell the column', build: rowsAndColumns },
    {
      name: 'fpp',
      about: 'ask and tell a line of a projective plane',
      build: (n) => bothWays(plane(n)),
    },
    {
      name: 'tree',
      about: 'ask and tell a path from the root',
      build: (n) => bothWays(treePaths(n)),
    },
    {
      name: 'triangle',
      about: 'ask and tell a quorum of the modified grid',
      build: (n) => bothWays(triangle(n)),
    },
    { name: 'all', about: 'ask all sites, inform none: Suzuki–Kasami', build: askAll },
  ],
  information: [
    {
      name: 'ricart-agrawala',
      about: 'ask all sites, track oneself',
      build: information.ricartAgrawalaInformation,
    },
    {
      name: 'maekawa',
      about: 'ask and be tracked by a quorum of COTERIE, or of the grid',
      takes: { word: 'COTERIE', example: 'fpp', optional: true },
      build: (n, word) => {
        const coterie = oneOf('the coterie of maekawa', word === '' ? 'grid' : word, coteries);
        return information.maekawaInformation(coterie(n));
      },
    },
    {
      name: 'central',
      about: '0 is asked by all and tracks all',
      build: information.centralInformation,
    },
    {
      name: 'mixed',
      about: 'two halves with a coordinator each; every site asks all sites of the other half',
      build: information.mixedInformation,
    },
  ],
  votes: [
    { name: 'majority', about: 'one vote each, more than half to write', build: equalVotes },
    { name: 'read-one', about: 'one vote each, one to read and all to write', build: readOne },
    {
      name: 'weighted',
      about: 'votes as given, and if given what it takes to read and to write',
      takes: { word: 'V,V,…[/READ/WRITE]', example: '2,1,1' },
      build: (n, word) => {
        const given = weightsAndThresholds(word, n);
        return votes(given.votes, given.thresholds);
      },
    },
  ],
  groups: [
    { name: 'grid', about: 'groups of SIZE in a grid', takes: size, build: inGroups(grid) },
    {
      name: 'fpp',
      about: 'groups of SIZE, as the points of a projective plane',
      takes: size,
      build: inGroups(plane),
    },
    {
      name: 'majority',
      about: 'groups of SIZE, and more than half of the groups',
      takes: size,
      build: inGroups(majority),
    },
  ],
  'k-coterie': [
    {
      name: 'parts',
      about: 'k parts, and a majority of one part',
      build: (n, _, { k }) => parts(n, k),
    },
    {
      name: 'majority',
      about: 'any ⌈(n+1)/(k+1)⌉ sites, for few sites',
      build: (n, _, { k }) => kMajority(n, k),
    },
    {
      name: 'square',
      about: 'four sites in a square, a quorum is a side, k = 2',
      build: (n, _, { k }) => foursquare(n, k),
    },
  ],
};
