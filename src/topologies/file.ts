/** Topologies from a file. This folder reads no files: the caller passes the text. */
import { UsageError } from '../core/errors.ts';
import type { Topologies, TopologyKind } from '../core/topology.ts';
import { graphFromEdges } from './graph.ts';
import { kCoterieLaw } from './k-law.ts';
import { agreementLaw, type Broken, informationLaw, intersectionLaw } from './laws.ts';
import { parseEdges, parseSets } from './text.ts';
import { treeFromEdges } from './tree.ts';

/** The format of a file for this kind of topology. */
interface Reader<T extends TopologyKind> {
  readonly about: string;
  readonly read: (text: string, n: number, k: number) => Topologies[T];
}

export const readers: { readonly [T in TopologyKind]?: Reader<T> } = {
  tree: {
    about: 'an edge a line, as in "0 1"',
    read: (text, n) => treeFromEdges(n, parseEdges(text, n)),
  },
  graph: {
    about: 'an edge a line, as in "0 1"',
    read: (text, n) => graphFromEdges(n, parseEdges(text, n)),
  },
  coterie: {
    about: 'the quorum of a site a line, as in "0: 0 1 2"',
    read(text, n) {
      const [quorum] = parseSets(text, n, ['quorum']);
      enforce(intersectionLaw(quorum!));
      return { kind: 'coterie', quorum: quorum! };
    },
  },
  agreement: {
    about:
      'the sites that a site asks and the sites that it tells, on one line, as in "0: 0 1 | 0 2"',
    read(text, n) {
      const [request, acquired] = parseSets(text, n, ['ask', 'tell']);
      const agreement = { kind: 'agreement', request: request!, acquired: acquired! } as const;
      enforce(agreementLaw(agreement));
      return agreement;
    },
  },
  information: {
    about:
      'the sites that a site informs and the sites that it asks, on one line, as in "0: 0 | 0 1 2"',
    read(text, n) {
      const [inform, request] = parseSets(text, n, ['inform', 'ask']);
      const information = { kind: 'information', inform: inform!, request: request! } as const;
      enforce(informationLaw(information));
      return information;
    },
  },
  'k-coterie': {
    about: 'the preferred quorum of a site a line, as in "0: 0 1"',
    read(text, n, k) {
      const [preferred] = parseSets(text, n, ['quorum']);
      const index = new Map<string, number>();
      const choice = preferred!.map((quorum) => {
        const key = quorum.join();
        if (!index.has(key)) index.set(key, index.size);
        return index.get(key)!;
      });
      const quorums = [...index.values()].map((q) => preferred![choice.indexOf(q)]!);
      const coterie = { kind: 'k-coterie', quorums, choice } as const;
      enforce(kCoterieLaw(coterie, k));
      return coterie;
    },
  },
};

function enforce(broken: Broken): void {
  if (broken !== undefined) throw new UsageError(broken);
}
