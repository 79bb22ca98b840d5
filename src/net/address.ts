import { UsageError } from '../core/errors.ts';

/** `host:port`, `[::1]:port`, or `unix:path`. */
export type Address =
  | { readonly kind: 'host'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

export function parseAddress(text: string): Address {
  if (text.startsWith('unix:') && text.length > 5) return { kind: 'unix', path: text.slice(5) };
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/]+)):(\d{1,5})$/.exec(text);
  const port = Number(found?.[3]);
  if (found === null || port > 65_535) {
    throw new UsageError(
      `expected an address as host:port or unix:path, got ${JSON.stringify(text)}`,
    );
  }
  return { kind: 'host', host: found[1] ?? found[2]!, port };
}

export const formatAddress = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
