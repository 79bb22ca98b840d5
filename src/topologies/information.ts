/**
 * Information structures for Sanders: i asks `request[i]` for permission, and of these the sites in
 * `inform[i]` track it. Each of the classic permission algorithms is one.
 */
import type { Coterie, Information } from '../core/topology.ts';
import { everyone } from './coterie.ts';
import { checkMembers } from './limits.ts';

/** Every site asks every site, and is tracked by itself only. */
export const ricartAgrawalaInformation = (n: number): Information => ({
  kind: 'information',
  inform: Array.from({ length: n }, (_, i) => [i]),
  request: everyone(n).quorum,
});

/**
 * Every site that is asked tracks the request, and any two requests are tracked by a common site.
 */
export const maekawaInformation = ({ quorum }: Coterie): Information => ({
  kind: 'information',
  inform: quorum,
  request: quorum,
});

/** Site 0 is asked by all and tracks all. */
export function centralInformation(n: number): Information {
  const coordinator = Array.from({ length: n }, () => [0]);
  return { kind: 'information', inform: coordinator, request: coordinator };
}

/**
 * Two halves, each with its first site as coordinator; between the halves every site asks every
 * site. Both alternatives of Sanders's condition are needed here. Two sites of one half are tracked
 * by the same coordinator. Two sites of different halves track themselves and ask each other.
 */
export function mixedInformation(n: number): Information {
  checkMembers('mixed', n, Math.ceil((n * n) / 2), 'maekawa');
  const middle = Math.ceil(n / 2);
  const lower = Array.from({ length: middle }, (_, i) => i);
  const upper = Array.from({ length: n - middle }, (_, i) => middle + i);
  const trackers = (i: number, coordinator: number) => (i === coordinator ? [i] : [coordinator, i]);
  return {
    kind: 'information',
    inform: [...lower.map((i) => trackers(i, 0)), ...upper.map((i) => trackers(i, middle))],
    request: [
      ...lower.map((i) => [...trackers(i, 0), ...upper]),
      ...upper.map((i) => [...lower, ...trackers(i, middle)]),
    ],
  };
}
