/**
 * Three algorithms that the survey says need ordered links, without the rule by which ours do not.
 *
 * - In Maekawa's and Sanders' an INQUIRE may overtake the GRANT that it asks back. Ours keeps it until the
 *   GRANT arrives. Published texts have no such rule, for their links keep the order: here it is dropped.
 * - In Singhal's dynamic structure a site may have to ask once more. Ours sends the timestamp of its
 *   request again. The text says only that "a request is sent": here it bears the clock of that moment.
 */
import { find } from '../../algorithms/catalogue.ts';
import { singhalDynamic } from '../../algorithms/singhal-dynamic.ts';
import { type CheckReport, check } from '../../check/check.ts';
import type { AnyAlgorithm, Links, NodeId } from '../../core/algorithm.ts';
import { makeWorld } from '../../topologies/world.ts';
import type { Trial } from '../instruments.ts';

interface Vote {
  readonly of: NodeId;
  readonly answer: string;
}
type Handler = (my: { votes: Vote[] }, site: unknown, from: NodeId, message: unknown) => void;

function dropsEarlyInquiries(algorithm: AnyAlgorithm): AnyAlgorithm {
  const { INQUIRE } = algorithm.on as { INQUIRE: Handler };
  const onlyIfGranted: Handler = (my, site, from, message) => {
    const isGranted = my.votes.some(({ of, answer }) => of === from && answer === 'granted');
    if (isGranted) INQUIRE(my, site, from, message);
  };
  return { ...algorithm, on: { ...algorithm.on, INQUIRE: onlyIfGranted } };
}

const asksByClock: typeof singhalDynamic = {
  ...singhalDynamic,
  on: {
    ...singhalDynamic.on,
    REQUEST(my, site, from, { seq }) {
      my.highest = Math.max(my.highest, seq);
      const oursIsOlder = my.ours < seq || (my.ours === seq && site.me < from);
      if (my.inside || (my.ours !== 0 && oursIsOlder)) {
        my.inform[from] = true;
        return;
      }
      site.send(from, { type: 'REPLY' });
      const mustRepeatRequest = my.ours !== 0 && !my.request[from];
      my.request[from] = true;
      if (mustRepeatRequest) site.send(from, { type: 'REQUEST', seq: ++my.highest });
    },
  },
};

interface Published {
  readonly id: string;
  readonly algorithm: AnyAlgorithm;
  readonly nodes: number;
  readonly topology?: string;
  readonly entries: readonly number[];
  /** How ours does without ordered links. */
  readonly rule: string;
}

const keeps = 'Ours keeps an INQUIRE that overtakes its GRANT, and does without ordered links.';

export const published: readonly Published[] = [
  {
    ...{ id: 'maekawa', algorithm: dropsEarlyInquiries(find('maekawa')), rule: keeps },
    ...{ nodes: 4, topology: 'majority', entries: [1, 1, 1, 0] },
  },
  {
    ...{ id: 'sanders', algorithm: dropsEarlyInquiries(find('sanders')), rule: keeps },
    ...{ nodes: 4, topology: 'maekawa:majority', entries: [1, 1, 1, 0] },
  },
  {
    ...{ id: 'singhal-dynamic', algorithm: asksByClock, nodes: 3, entries: [2, 2, 2] },
    rule: 'Ours asks again with the timestamp of its request, and does without ordered links.',
  },
];

/** Every schedule of the published form, over one kind of links. */
export function overLinks(
  { id, algorithm, nodes, topology, entries }: Published,
  links: Links,
): CheckReport & Trial {
  const report = check(algorithm, makeWorld(algorithm, { nodes, topology }), { entries, links });
  const quorums = topology === undefined ? '' : `, ${topology}`;
  const kind = links === 'any' ? 'links that may reorder' : 'ordered links';
  const how = `${id} without the rule, ${nodes} sites${quorums}, every schedule, entries ${entries}, ${kind}`;
  return { ...report, how, seeds: [] };
}
