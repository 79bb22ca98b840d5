/** Which addresses other machines can reach, and the rule for listening at them without TLS. */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { UsageError } from '../core/errors.ts';
import { parseAddress } from './address.ts';

/** Whether only processes of this machine can reach the host: a loopback address, or `localhost`. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || name === '::1') return true;
  const mapped = name.startsWith('::ffff:') ? name.slice('::ffff:'.length) : name;
  return isIP(mapped) === 4 && mapped.startsWith('127.');
}

/** Whether the host is a loopback address or the address of a network interface of this machine. */
export function isThisMachine(host: string): boolean {
  if (isLoopback(host)) return true;
  const name = host.toLowerCase();
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some(({ address }) => address.toLowerCase() === name);
}

export interface Exposure {
  readonly listen: string;
  readonly tls?: object | undefined;
  /** The user accepts the risk. */
  readonly insecure?: boolean | undefined;
}

/** A warning, to be logged at every start, if other machines can reach the page: it has neither TLS nor authentication. */
export function pageExposure(dashboard: string): string | undefined {
  const at = parseAddress(dashboard);
  if (at.kind === 'unix' || isLoopback(at.host)) return undefined;
  return `the page listens at ${dashboard}, which other machines can reach: all users who reach it see the names of all locks; set \`dashboard\` to localhost:PORT, or let a firewall keep others out`;
}

/**
 * Refuses to listen without TLS at an address that other machines can reach, as Redis does in its protected mode, unless
 * the user sets `insecure`. Then it returns a warning, to be logged at every start.
 */
export function checkExposure({ listen, tls, insecure = false }: Exposure): string | undefined {
  const at = parseAddress(listen);
  if (at.kind === 'unix' || tls !== undefined || isLoopback(at.host)) return undefined;
  if (insecure) {
    return `listens at ${listen} without TLS, because \`insecure\` is set: all users who reach it can read and change the traffic`;
  }
  throw new UsageError(
    `expected \`tls\` to listen at ${listen}, which other machines can reach: set \`tls\`, or listen at localhost, or accept the risk with \`insecure: true\``,
  );
}
