/** URLs of stores, as `--engine` takes them: what is refused, and TLS and passwords on real servers. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { engineOf } from '../../src/daemon/engine-url.ts';
import { PostgresConnection } from '../../src/engines/postgres-connection.ts';
import { certificates, opensslIsThere } from '../support/net-certificates.ts';
import { until } from '../support/register-suite.ts';
import { missing, startEtcd, startNats, startPostgres } from '../support/servers.ts';

describe('the URL of a store', () => {
  test.each([
    ['mysql://h', 'an engine is postgres://HOST/DATABASE, etcd://HOST:PORT or nats://HOST:PORT'],
    ['etcd://u:%@h:1', 'a part of the URL has a "%" without two digits: write it as %25'],
    ['etcd://h:1?prefix=%', 'a part of the URL has a "%" without two digits: write it as %25'],
    ['nats://h:1?allowUnsafe=yes', 'allowUnsafe takes true or false, got "yes"'],
    ['postgres://h/d?allowUnsafe=1', 'allowUnsafe takes true or false, got "1"'],
    ['nats://h:1?syncAlways=no', 'syncAlways takes true or false, got "no"'],
    ['etcd://someone@h:1', 'etcd takes USER:PASSWORD before "@", got no colon there'],
    ['etcds://h:1?cert=a.pem', 'a certificate takes both cert and key after "?"'],
    ['etcds://h:1?ca=/nowhere/ca.pem', 'ca cannot be read: ENOENT'],
    ['nats://h:1?ca=/nowhere/ca.pem', 'ca cannot be read: ENOENT'],
  ])('%s is refused: %s', (url, message) => {
    expect(() => engineOf(url, undefined)).toThrow(message);
  });

  test('is not told with its password, wherever that has a colon, a slash or an @', () => {
    for (const password of ['a:hidden', 'a/hidden', 'a@hidden', 'hidden:b']) {
      const refusal = () => engineOf(`mysql://me:${password}@h/d`, undefined);
      expect(refusal).toThrow('got "mysql://…@h/d"');
    }
  });
});

describe.skipIf(!opensslIsThere)(
  'a store that wants TLS and a password is used by its URL:',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-engine-url-'));
    chmodSync(folder, 0o755);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const subjects = { server: { cn: 'store', dns: 'localhost' }, client: { cn: 'client' } };
    const issued = opensslIsThere ? certificates(subjects) : null;
    const file = (name: string, text: string | Buffer): string => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const files = () => {
      const { ca, cert, key } = issued!.client;
      return `ca=${file('ca.pem', ca)}&cert=${file('cert.pem', cert)}&key=${file('key.pem', key)}`;
    };
    /** Opens the store, and closes it again. */
    const use = async (url: string): Promise<void> => {
      const host = { group: 'g', address: 'here:1', step: () => {}, log: () => {} };
      const { driver } = await engineOf(url, 5000).open(host);
      await driver.close();
    };
    const ready = (url: string) =>
      until(async () => {
        await use(url);
        return true;
      });

    const noPostgres = missing('postgres');
    test.skipIf(noPostgres !== null)(
      `Postgres${noPostgres === null ? '' : ` (${noPostgres})`}`,
      async () => {
        const key = file('server.key', issued!.server.key);
        const rules = file(
          'hba.conf',
          'host all postgres all trust\nhostssl all app all scram-sha-256\n',
        );
        const cert = file('server.pem', issued!.server.cert);
        const owned = process.getuid?.() === 0 ? [key, rules, cert] : [];
        for (const path of owned) {
          const owner = Number(execFileSync('id', ['-u', 'postgres']));
          chownSync(path, owner, owner);
        }
        const server = await startPostgres([
          ...['ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`, `hba_file=${rules}`],
        ]);
        onTestFinished(() => server.stop());
        const admin = new PostgresConnection({ url: server.url, config: {}, timeoutMs: 1000 }, '');
        await until(async () => {
          await admin.query(
            "CREATE ROLE app LOGIN PASSWORD 'p@ss'; GRANT CREATE ON SCHEMA public TO app",
          );
          return true;
        });
        await admin.close();
        const at = (user: string, more: string) =>
          `postgres://${user}@localhost:${server.port}/postgres?${more}`;
        const trusted = `sslmode=verify-full&sslrootcert=${file('ca.pem', issued!.server.ca)}`;
        await use(at('app:p%40ss', trusted));
        await expect(use(at('app:wrong', trusted))).rejects.toThrow(
          'password authentication failed',
        );
        await expect(use(at('app:p%40ss', 'sslmode=verify-full'))).rejects.toThrow('certificate');
        await expect(use(at('app:p%40ss', 'sslmode=disable'))).rejects.toThrow('pg_hba.conf');
      },
    );

    const noEtcd = missing('etcd');
    test.skipIf(noEtcd !== null)(`etcd${noEtcd === null ? '' : ` (${noEtcd})`}`, async () => {
      const server = await startEtcd([], issued!.server);
      onTestFinished(() => server.stop());
      const at = (user: string, more = files()) =>
        `etcds://${user}localhost:${server.port}?${more}`;
      await ready(at(''));
      await expect(use(at('', `ca=${file('ca.pem', issued!.server.ca)}`))).rejects.toThrow();
    });

    const noNats = missing('nats');
    test.skipIf(noNats !== null)(`NATS${noNats === null ? '' : ` (${noNats})`}`, async () => {
      const { ca, cert, key } = issued!.server;
      const server = await startNats([
        ...['--tlsverify', '--tlscacert', file('ca.pem', ca), '--tlscert', file('nats.pem', cert)],
        ...['--tlskey', file('nats.key', key), '--user', 'app', '--pass', 'p@ss'],
      ]);
      onTestFinished(() => server.stop());
      const at = (user: string, more = files()) =>
        `nats://${user}localhost:${server.port}?allowUnsafe&${more}`;
      await ready(at('app:p%40ss@'));
      await expect(use(at('app:wrong@'))).rejects.toThrow(/authorization violation/i);
      await expect(use(at(''))).rejects.toThrow(/authorization violation/i);
      await expect(use(at('app:p%40ss@', 'bucket=x'))).rejects.toThrow(/certificate/);
    });

    test.skipIf(noNats !== null)('a token of NATS', async () => {
      const server = await startNats(['--auth', 's3cret']);
      onTestFinished(() => server.stop());
      const at = (user: string) => `nats://${user}127.0.0.1:${server.port}?allowUnsafe`;
      await ready(at('s3cret@'));
      await expect(use(at('wrong@'))).rejects.toThrow(/authorization violation/i);
    });
  },
);
