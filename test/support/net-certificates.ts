import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsSettings } from '../../src/net/tls.ts';

const run = (command: string, args: readonly string[], cwd: string): boolean =>
  spawnSync(command, args, { cwd, stdio: 'ignore' }).status === 0;

/** Debian has openssl in a package of that name; with root rights we fetch it. */
function hasOpenssl(): boolean {
  const isThere = () => run('openssl', ['version'], '.');
  return isThere() || (run('apt-get', ['install', '-y', '-qq', 'openssl'], '.') && isThere());
}

export const opensslIsThere = hasOpenssl();

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** An authority, and a certificate of it for each subject: `/CN=a`, or one with a DNS name. */
export function certificates<K extends string>(
  subjects: Readonly<Record<K, { readonly cn: string; readonly dns?: string }>>,
): Record<K, TlsSettings> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-certificates-'));
  const openssl = (...args: string[]) => {
    if (!run('openssl', args, directory)) throw new Error(`openssl ${args.join(' ')} failed`);
  };
  const file = (name: string) => readFileSync(join(directory, name), 'utf8');
  try {
    const authority = ['-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=authority'];
    openssl('req', '-x509', ...NEW_KEY, ...authority, '-days', '2');
    const issue = (name: string, cn: string, dns: string | undefined): TlsSettings => {
      const names = dns === undefined ? [] : ['-addext', `subjectAltName=DNS:${dns}`];
      openssl(
        'req',
        ...NEW_KEY,
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.csr`,
        '-subj',
        `/CN=${cn}`,
        ...names,
      );
      const signer = [
        '-CA',
        'ca.pem',
        '-CAkey',
        'ca.key',
        '-CAcreateserial',
        '-copy_extensions',
        'copy',
      ];
      openssl('x509', '-req', '-in', `${name}.csr`, ...signer, '-out', `${name}.pem`, '-days', '2');
      return { ca: file('ca.pem'), cert: file(`${name}.pem`), key: file(`${name}.key`) };
    };
    const entries = Object.entries(subjects) as [K, { cn: string; dns?: string }][];
    return Object.fromEntries(
      entries.map(([name, { cn, dns }]) => [name, issue(name, cn, dns)]),
    ) as Record<K, TlsSettings>;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
