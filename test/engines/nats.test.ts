/** The register in NATS JetStream, against a real server. */
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doubtAbout, NatsRegister, nats } from '../../src/engines/nats.ts';
import { engineStoreSuite } from '../support/engine-store-suite.ts';
import { registerSuite, until } from '../support/register-suite.ts';
import { missing, type Server, startNats } from '../support/servers.ts';

const why = missing('nats');
const TIMEOUT_MS = 1000;

describe.skipIf(why !== null)(`NATS${why === null ? '' : ` (${why})`}`, () => {
  let server: Server;
  beforeAll(async () => {
    server = await startNats();
  }, 120_000);
  afterAll(() => server?.stop());

  const servers = () => [`127.0.0.1:${server.port}`];
  const open = () => NatsRegister.open({ servers: servers(), timeoutMs: TIMEOUT_MS });
  const context = (log: string[]) => ({
    ...{ group: 'g', address: 'here:1', step: () => {} },
    log: (line: string) => log.push(line),
  });

  registerSuite('in NATS', () => ({
    open,
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
  }));

  engineStoreSuite('nats', (settings) => nats(server.url, { ...settings, allowUnsafe: true }), {
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
  });

  test('a compare-and-set during a restart ends, and the register goes on by itself', async () => {
    const register = await open();
    const key = `restart/${Date.now()}`;
    const { revision } = await register.compareAndSet(key, null, 'one');
    await server.kill();
    expect(await register.compareAndSet(key, revision!, 'two')).toEqual({ outcome: 'unknown' });
    await server.restart();
    await until(async () => (await register.read(key)).records.length === 1, 30_000);
    // What was sent while the server was away may have been carried out since.
    const { records } = await register.read(key);
    expect(['one', 'two']).toContain(records[0]!.value);
    await until(async () => {
      const now = (await register.read(key)).records[0]!;
      return (await register.compareAndSet(key, now.revision, 'three')).outcome === 'done';
    });
    await register.close();
  }, 120_000);

  test('a bucket that was deleted and created again has another identity', async () => {
    const make = () =>
      NatsRegister.open({ servers: servers(), bucket: 'again', timeoutMs: TIMEOUT_MS });
    const register = await make();
    const before = await register.identity();
    const connection = await connect({ servers: servers() });
    await connection.request('$JS.API.STREAM.DELETE.KV_again');
    await connection.close();
    const other = await make();
    expect(await register.identity()).not.toBe(before);
    const { identity, outcome } = await register.compareAndSet('a', null, 'x');
    expect([outcome, identity]).toEqual(['done', await other.identity()]);
    await register.close();
    await other.close();
  });

  test.each([
    [
      'memory',
      { storage: 'memory' },
      'keeps its records in memory, and loses them with its server',
    ],
    ['expiring', { storage: 'file', max_age: 60e9 }, 'deletes records after a time (TTL)'],
    ['single', { storage: 'file' }, 'has replicas: 1, and not 3'],
    ['full', { storage: 'file', max_bytes: 1e6 }, 'deletes old records when it is full'],
  ])(
    'a bucket that was there before is refused if it may lose records: %s',
    async (bucket, config, flaw) => {
      const connection = await connect({ servers: servers() });
      const stream = { name: `KV_${bucket}`, subjects: [`$KV.${bucket}.>`], ...config };
      const create = `$JS.API.STREAM.CREATE.KV_${bucket}`;
      await connection.request(create, JSON.stringify({ ...stream, max_msgs_per_subject: 1 }));
      await connection.close();
      const settings = { bucket, replicas: 3, allowUnsafe: true };
      const opening = nats(server.url, settings).open(context([]));
      const refusal = `the bucket "${bucket}" ${flaw}: delete it, or name another one`;
      await expect(opening).rejects.toThrow(refusal);
    },
  );

  test('a bucket that is full says so', async () => {
    const bucket = 'small';
    const connection = await connect({ servers: servers() });
    const stream = { name: `KV_${bucket}`, subjects: [`$KV.${bucket}.>`], storage: 'file' };
    const limits = {
      max_msgs_per_subject: 1,
      max_bytes: 2000,
      discard: 'new',
      allow_rollup_hdrs: true,
    };
    const create = JSON.stringify({ ...stream, ...limits });
    await connection.request(`$JS.API.STREAM.CREATE.KV_${bucket}`, create);
    await connection.close();
    const register = await NatsRegister.open({ servers: servers(), bucket, timeoutMs: TIMEOUT_MS });
    const write = register.compareAndSet('a', null, 'x'.repeat(4000));
    await expect(write).rejects.toThrow('maximum bytes exceeded');
    await register.close();
  });

  test('a server that is too old is refused unless it is allowed, and then it warns', async () => {
    const register = await open();
    const { version } = register;
    await register.close();
    const url = `nats://${servers()[0]}`;
    const doubt = doubtAbout(version, true);
    // Debian's server is older than the first that can be trusted.
    expect(doubt).toContain(`NATS ${version} may lose acknowledged writes: use 2.10.23 or later`);
    const log: string[] = [];
    await expect(nats(url, { syncAlways: true }).open(context(log))).rejects.toThrow(doubt!);
    const { driver } = await nats(url, { allowUnsafe: true }).open(context(log));
    expect(log).toEqual([expect.stringContaining('unsafe: NATS')]);
    await driver.close();
  });
});

describe('NATS versions', () => {
  test('are trusted from 2.10.23 on, and only with sync_interval: always', () => {
    expect(doubtAbout('2.10.23', true)).toBeNull();
    expect(doubtAbout('2.12.1', true)).toBeNull();
    expect(doubtAbout('3.0.0-beta', true)).toBeNull();
    for (const version of ['2.10.22', '2.9.99', '1.99.99', 'dev']) {
      expect(doubtAbout(version, true), version).toContain('may lose acknowledged writes');
    }
    expect(doubtAbout('2.12.1', false)).toContain('sync_interval: always');
  });

  test('an address that cannot be is refused at once', () => {
    for (const url of ['http://x:1', 'nats://', 'nats://a:1,', 'nats://a:b']) {
      expect(() => nats(url), url).toThrow('expected an address such as nats://10.0.0.1:4222');
    }
    expect(() => nats('nats://u:hidden@a:1')).toThrow('got "nats://…@a:1"');
  });
});
