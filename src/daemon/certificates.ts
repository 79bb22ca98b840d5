/** Reads the certificates of a daemon from files, and checks certificates of clients: role, group and access rules. */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { UsageError } from '../core/errors.ts';
import type { MemberTls } from '../member/transport.ts';
import { certificateNames, refusalOfRole } from '../net/roles.ts';
import { type AccessRule, accessOf } from './access.ts';
import type { Identity } from './sessions.ts';

/** Files in PEM, and whether a certificate must name its role. */
export interface TlsPaths {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly crl?: string | undefined;
  readonly requireRoles?: boolean | undefined;
}

/** The texts of these files. */
export type TlsMaterial = MemberTls;

export function readTlsFiles({ ca, cert, key, crl, requireRoles }: TlsPaths): TlsMaterial {
  return {
    ca: readSecretFile('tls.ca', ca),
    cert: readSecretFile('tls.cert', cert),
    key: readSecretFile('tls.key', key),
    ...(crl !== undefined && { crl: readSecretFile('tls.crl', crl) }),
    requireRoles,
  };
}

/** The text of a file that a setting names. */
export function readSecretFile(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${setting} cannot be read: ${(error as Error).message}`);
  }
}

/** The name of a client by its certificate, and what it may do; or the reason why it is refused. */
export function identify(
  socket: Socket,
  group: string,
  requireRoles: boolean,
  rules: readonly AccessRule[] | undefined,
): Identity | Error {
  const names = certificateNames((socket as TLSSocket).getPeerCertificate());
  const [certificate = ''] = names;
  const refusal = refusalOfRole(names, 'client', group, requireRoles);
  if (refusal !== undefined) return new Error(`the client "${certificate}" is refused: ${refusal}`);
  const access = accessOf(rules, certificate);
  if (access !== undefined) return { certificate, access };
  return new Error(`the client "${certificate}" is refused: no access rule is for this name`);
}
