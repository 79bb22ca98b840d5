/** An authority, and a certificate of it for each name, made by openssl. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Writes them to the folder; `flagsOf(name)` are the flags with which `latchkey` uses one. */
export function certificatesIn(folder, names) {
  const openssl = (...words) => execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });
  const authority = ['-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=authority'];
  openssl('req', '-x509', ...NEW_KEY, ...authority, '-days', '2');
  for (const name of names) {
    const request = ['-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`];
    openssl('req', ...NEW_KEY, ...request, '-addext', 'subjectAltName=DNS:localhost');
    const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
    const extensions = ['-copy_extensions', 'copy', '-out', `${name}.pem`, '-days', '2'];
    openssl('x509', '-req', '-in', `${name}.csr`, ...signer, ...extensions);
  }
  const file = (name) => join(folder, name);
  return {
    flagsOf: (name) => [
      ...['--ca', file('ca.pem'), '--cert', file(`${name}.pem`), '--key', file(`${name}.key`)],
    ],
  };
}
