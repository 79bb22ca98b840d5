/** How a command finds its daemon: the flags, and the message when no daemon answers. */
import type { Command } from 'commander';
import { NoDaemonError } from '../client/errors.ts';
import { type ConnectSettings, type OpenSession, openSession } from '../client/open-session.ts';
import { UsageError } from '../core/errors.ts';
import { checkTls } from '../net/tls.ts';
import { printable } from './printable.ts';
import { textOf } from './values.ts';

export interface ConnectionFlags {
  readonly socket?: string;
  readonly group?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The service is unavailable: EX_UNAVAILABLE of sysexits.h, which no ordinary command returns. */
export const NO_DAEMON = 69;

export const withConnection = (command: Command): Command =>
  command
    .option('--socket <path>', "the daemon's socket, a folder of them, or HOST:PORT with TLS")
    .option('--group <name>', 'the group on this machine (default: $LATCHKEY_GROUP, or latchkey)')
    .option('--ca <file>', 'for TLS: the certificate authority, in PEM')
    .option('--cert <file>', 'for TLS: our certificate')
    .option('--key <file>', 'for TLS: its key');

/** Opens a session, or prints in one line why there is none and what to type. */
export const open = (flags: ConnectionFlags, as: string): Promise<OpenSession | undefined> =>
  orNone(openSession({ ...settingsOf(flags), as }));

/** The session; undefined, and one line on stderr, if no daemon answers. */
export async function orNone(opening: Promise<OpenSession>): Promise<OpenSession | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof NoDaemonError)) throw error;
    const why = printable(error.message);
    process.stderr.write(`latchkey: ${why}: start one with latchkey up\n`);
    return undefined;
  }
}

export function settingsOf({ socket, group, ca, cert, key }: ConnectionFlags): ConnectSettings {
  const where = { socket: socket ?? (process.env['LATCHKEY_SOCKET'] || undefined), group };
  if (ca === undefined && cert === undefined && key === undefined) return where;
  if (ca === undefined || cert === undefined || key === undefined) {
    throw new UsageError('TLS takes all of --ca, --cert and --key');
  }
  const tls = {
    ca: textOf('--ca', ca),
    cert: textOf('--cert', cert),
    key: textOf('--key', key),
  };
  checkTls(tls, (part) => `--${part}`);
  return { ...where, tls };
}
