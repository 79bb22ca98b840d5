/** The name and the address under which a member is found, where a store lists the members. */
import { randomBytes } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { formatAddress, parseAddress } from '../net/address.ts';

/** A path of a socket has room for about a hundred bytes, and this name is a part of it. */
const MOST_OF_HOST = 32;

/** The host name and some random characters: no two processes have the same, on any machines. */
export function uniqueName(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9_.-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MOST_OF_HOST);
  return `${host === '' ? 'member' : host}-${randomBytes(4).toString('hex')}`;
}

const WILDCARDS = ['0.0.0.0', '::'];

/**
 * Where the other members reach a process that listens there. A process that listens at all addresses of its machine is
 * reached at the first address of a network interface; where that is wrong, `advertise` says the right one.
 */
export function advertised(listening: string, advertise: string | undefined): string {
  if (advertise !== undefined) return advertise;
  const at = parseAddress(listening);
  if (at.kind === 'unix' || !WILDCARDS.includes(at.host)) return listening;
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const others = all.filter(({ internal, scopeid }) => !internal && !scopeid);
  const host = others.find(({ family }) => family === 'IPv4') ?? others[0];
  return formatAddress(host?.address ?? '127.0.0.1', at.port);
}
