/** Topologies by name, as people write them: `binary`, `radiating:3`, `fpp`, `file:tree.txt`. */
import { didYouMean, UsageError } from '../core/errors.ts';
import type { Topologies, TopologyKind } from '../core/topology.ts';
import { readers } from './file.ts';
import { about, checkK, checkNodes } from './limits.ts';
import { type Recipe, recipes } from './registry.ts';

/** What a topology depends on besides its name and the number of sites. */
export interface Settings {
  /** For random topologies. Default 1. */
  readonly seed?: number | undefined;
  /** For k-coteries. Default 1. */
  readonly k?: number | undefined;
  /** The text of the file that `file:PATH` names. */
  readonly file?: string | undefined;
}

/** The names of one kind as they are written, such as `radiating:K`, each with a description. */
export function topologyNames(
  kind: TopologyKind,
): readonly { readonly name: string; readonly about: string }[] {
  const made = recipes[kind].map((recipe) => ({ name: written(recipe), about: recipe.about }));
  const reader = readers[kind];
  return reader === undefined ? made : [...made, { name: 'file:PATH', about: reader.about }];
}

/** The path in `file:PATH`, for a caller that can read files; undefined for all other names. */
export function topologyFile(spec: string): string | undefined {
  return spec.startsWith('file:') ? spec.slice('file:'.length) : undefined;
}

/**
 * Makes the topology of a kind that `spec` names, for n sites. Throws a UsageError in one line if the
 * name is unknown, there is no such topology of n sites, or a file breaks a rule.
 *
 * `buildTopology('tree', 'radiating:3', 10).parent` is [0, 0, 0, 0, 1, 1, 2, 2, 3, 3].
 */
export function buildTopology<T extends TopologyKind>(
  kind: T,
  spec: string,
  n: number,
  settings: Settings = {},
): Topologies[T] {
  checkNodes(n);
  const { seed = 1, k = 1, file } = settings;
  checkK(k, n);
  const path = topologyFile(spec);
  if (path !== undefined) return fromFile(kind, path, n, k, file);

  const [, name, colon, word] = /^([^:]*)(:?)(.*)$/s.exec(spec)!;
  const recipe = recipes[kind].find((known) => known.name === name);
  if (recipe === undefined) throw new UsageError(unknown(kind, name!));
  checkWord(recipe, spec, colon === ':' && word !== '');
  return recipe.build(n, word!, { seed, k });
}

function fromFile<T extends TopologyKind>(
  kind: T,
  path: string,
  n: number,
  k: number,
  text: string | undefined,
): Topologies[T] {
  const reader = readers[kind];
  if (reader === undefined) throw new UsageError(unknown(kind, 'file'));
  if (path === '') throw new UsageError('file is written file:PATH, as in file:edges.txt');
  if (text === undefined) throw new UsageError(`${path} was not read: pass its text as "file"`);
  return about(path, () => reader.read(text, n, k));
}

function checkWord<T extends TopologyKind>(recipe: Recipe<T>, spec: string, given: boolean): void {
  const { name, takes } = recipe;
  if (takes === undefined && spec !== name) {
    throw new UsageError(`${name} takes nothing after its name, got "${spec}": write ${name}`);
  }
  if (takes !== undefined && !takes.optional && !given) {
    throw new UsageError(`${name} is written ${written(recipe)}, as in ${name}:${takes.example}`);
  }
}

function unknown(kind: TopologyKind, name: string): string {
  const known = topologyNames(kind).map((topology) => topology.name);
  const bare: string[] = recipes[kind].map((recipe) => recipe.name);
  if (readers[kind] !== undefined) bare.push('file:PATH');
  return `no ${nouns[kind]} is called "${name}": take ${known.join(', ')}${didYouMean(name, bare)}`;
}

function written<T extends TopologyKind>({ name, takes }: Recipe<T>): string {
  if (takes === undefined) return name;
  return takes.optional ? `${name}[:${takes.word}]` : `${name}:${takes.word}`;
}

const nouns: { readonly [T in TopologyKind]: string } = {
  complete: 'complete graph',
  ring: 'ring',
  tree: 'tree',
  graph: 'graph',
  coterie: 'coterie',
  agreement: 'quorum agreement',
  information: 'information structure',
  votes: 'distribution of votes',
  groups: 'division into groups',
  'k-coterie': 'k-coterie',
};
