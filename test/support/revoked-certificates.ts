import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsSettings } from '../../src/net/tls.ts';

/** An authority with a list of revoked certificates: openssl keeps its books in a folder. */
export function withRevoked(): {
  daemon: TlsSettings;
  good: TlsSettings;
  bad: TlsSettings;
  crl: string;
} {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-crl-'));
  const run = (...args: string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args.join(' ')}: ${stderr}`);
  };
  const text = (name: string) => readFileSync(join(folder, name), 'utf8');
  const config = `[ca]\ndefault_ca=own\n[own]\ndatabase=${folder}/index\nserial=${folder}/serial\nnew_certs_dir=${folder}\ndefault_md=sha256\ndefault_days=2\ndefault_crl_days=2\npolicy=any\ncopy_extensions=copy\nunique_subject=no\n[any]\ncommonName=supplied\n`;
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    writeFileSync(join(folder, 'ca.cnf'), config);
    writeFileSync(join(folder, 'index'), '');
    writeFileSync(join(folder, 'serial'), '01\n');
    const ca = ['-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=authority', '-days', '2'];
    run('req', '-x509', ...key, ...ca);
    const signer = ['-config', 'ca.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key', '-batch'];
    const issue = (name: string): TlsSettings => {
      const san = ['-addext', 'subjectAltName=DNS:localhost'];
      const files = ['-keyout', `${name}.key`, '-out', `${name}.csr`];
      run('req', ...key, ...files, '-subj', `/CN=${name}`, ...san);
      run('ca', ...signer, '-notext', '-in', `${name}.csr`, '-out', `${name}.pem`);
      return { ca: text('ca.pem'), cert: text(`${name}.pem`), key: text(`${name}.key`) };
    };
    const [daemon, good, bad] = [issue('a'), issue('good'), issue('bad')];
    run('ca', ...signer, '-revoke', 'bad.pem');
    run('ca', ...signer, '-gencrl', '-out', 'crl.pem');
    return { daemon, good, bad, crl: text('crl.pem') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
