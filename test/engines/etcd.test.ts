/** The register in etcd, against a real server. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EtcdRegister, etcd } from '../../src/engines/etcd.ts';
import { EtcdJson } from '../../src/engines/etcd-json.ts';
import { engineStoreSuite } from '../support/engine-store-suite.ts';
import { certificates, opensslIsThere } from '../support/net-certificates.ts';
import { registerSuite, until } from '../support/register-suite.ts';
import { missing, type Server, startEtcd } from '../support/servers.ts';

const why = missing('etcd');
const TIMEOUT_MS = 1000;
const PROTOCOLS = ['grpc', 'json'] as const;
type Protocol = (typeof PROTOCOLS)[number];

describe.skipIf(why !== null)(`etcd${why === null ? '' : ` (${why})`}`, () => {
  let server: Server;
  beforeAll(async () => {
    server = await startEtcd();
    const register = open();
    await until(async () => (await register.identity()) !== '');
    await register.close();
  }, 120_000);
  afterAll(() => server?.stop());

  const at = (port: number) => `http://127.0.0.1:${port}`;
  const open = (
    endpoints = [at(server.port)],
    user?: { name: string; password: string },
    protocol: Protocol = 'grpc',
  ) => new EtcdRegister({ endpoints, tls: {}, user, timeoutMs: TIMEOUT_MS }, 'latchkey/', protocol);

  for (const protocol of PROTOCOLS) {
    registerSuite(`in etcd over ${protocol}`, () => ({
      open: () => open(undefined, undefined, protocol),
      freeze: () => server.freeze(),
      thaw: () => server.thaw(),
    }));
  }

  engineStoreSuite('etcd', (settings) => etcd(server.url, settings), {
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
  });

  test.each(PROTOCOLS)(
    'over %s, a server that does not answer is passed over for the next one',
    async (protocol) => {
      const register = open([at(1), at(server.port)], undefined, protocol);
      const key = `next/${protocol}${Date.now()}`;
      await until(async () => (await register.compareAndSet(key, null, 'x')).outcome === 'done');
      expect((await register.read(key)).records[0]!.value).toBe('x');
      await register.close();
    },
  );

  test.each(PROTOCOLS)(
    'over %s, calls that a silent server leaves without an answer turn to the next one, and watches with them',
    async (protocol) => {
      const sockets = new Set<Socket>();
      const silent = createServer((socket) => sockets.add(socket.on('error', () => {})));
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const register = open(
        [at((silent.address() as AddressInfo).port), at(server.port)],
        undefined,
        protocol,
      );
      const key = `silent/${protocol}${Date.now()}`;
      let hints = 0;
      register.watch(key, () => hints++);
      const together = await Promise.all(
        [1, 2].map((i) => register.compareAndSet(key, null, `${i}`)),
      );
      expect(together).toEqual([{ outcome: 'unknown' }, { outcome: 'unknown' }]);
      expect((await register.compareAndSet(key, null, 'x')).outcome).toBe('done');
      await until(() => hints > 0);
      await register.close();
      for (const socket of sockets) socket.destroy();
      silent.close();
    },
  );

  describe('over grpc, behind an address that can be silent', () => {
    const sockets = new Set<Socket>();
    let [isSilent, connections] = [false, 0];
    const front = createServer((socket) => {
      connections++;
      const onward = connect(server.port, '127.0.0.1');
      for (const one of [socket, onward]) sockets.add(one.on('error', () => {}));
      if (!isSilent) socket.pipe(onward).pipe(socket);
    });
    beforeAll(() => new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve)));
    afterAll(() => {
      for (const socket of sockets) socket.destroy();
      front.close();
    });
    const openFront = (prefix = 'latchkey/') => {
      const endpoints = [at((front.address() as AddressInfo).port)];
      return new EtcdRegister({ endpoints, tls: {}, timeoutMs: TIMEOUT_MS }, prefix);
    };

    test('calls that fail together leave the connection alone that was opened since', async () => {
      isSilent = true;
      const register = openFront();
      const first = register.compareAndSet('together/a', null, '1');
      const second = register.read('together/');
      second.catch(() => {});
      expect(await first).toEqual({ outcome: 'unknown' });
      isSilent = false;
      const third = register.read('together/');
      await expect(second).rejects.toThrow();
      expect((await third).records).toEqual([]);
      await register.close();
    });

    test('a refusal is an answer, and does not end the connection', async () => {
      isSilent = false;
      const before = connections;
      const register = openFront('');
      // etcd takes no key of no bytes.
      for (const value of ['x', 'y']) {
        await expect(register.compareAndSet('', null, value)).rejects.toThrow('etcd refused');
      }
      expect(connections - before).toBe(1);
      await register.close();
    });
  });

  test.each(PROTOCOLS)(
    'over %s, a compare-and-set during a restart ends, and the register goes on by itself',
    async (protocol) => {
      const register = open(undefined, undefined, protocol);
      const key = `restart/${protocol}${Date.now()}`;
      let hints = 0;
      register.watch(key, () => hints++);
      const { revision } = await register.compareAndSet(key, null, 'one');
      await server.kill();
      expect(await register.compareAndSet(key, revision!, 'two')).toEqual({ outcome: 'unknown' });
      await expect(register.read(key)).rejects.toThrow();
      hints = 0;
      await server.restart();
      await until(async () => (await register.read(key)).records[0]!.value === 'one');
      expect((await register.compareAndSet(key, revision!, 'two')).outcome).toBe('done');
      await until(() => hints > 0);
      await register.close();
    },
    120_000,
  );

  test.each(PROTOCOLS)(
    'over %s, a server with passwords is used by name and password, and refuses wrong ones',
    async (protocol) => {
      const closed = await startEtcd();
      const call = async (path: string, body: object) => {
        const answer = await fetch(`${at(closed.port)}/v3/auth/${path}`, {
          method: 'POST',
          body: JSON.stringify(body),
        });
        expect(answer.status, await answer.text()).toBe(200);
      };
      try {
        await until(async () => (await open([at(closed.port)]).identity()) !== '');
        await call('user/add', { name: 'root', password: 'secret' });
        await call('role/add', { name: 'root' });
        await call('user/grant', { user: 'root', role: 'root' });
        await call('enable', {});
        const right = open([at(closed.port)], { name: 'root', password: 'secret' }, protocol);
        expect((await right.compareAndSet('auth/a', null, 'x')).outcome).toBe('done');
        let hints = 0;
        right.watch('auth/', () => hints++);
        await until(() => hints > 0);
        const wrong = open([at(closed.port)], { name: 'root', password: 'guess' }, protocol);
        await expect(wrong.compareAndSet('auth/a', null, 'x')).rejects.toThrow('etcd refused');
        const none = open([at(closed.port)], undefined, protocol);
        await expect(none.compareAndSet('auth/a', null, 'x')).rejects.toThrow('etcd refused');
        // Its tokens are forgotten with a restart: the register asks for another one.
        await closed.kill();
        await closed.restart();
        await until(async () => (await right.read('auth/')).records.length === 1);
        for (const register of [right, wrong, none]) await register.close();
      } finally {
        await closed.stop();
      }
    },
    120_000,
  );

  describe.skipIf(!opensslIsThere)('with certificates', () => {
    const subjects = { server: { cn: 'etcd', dns: 'etcd.test' }, client: { cn: 'a' } };
    const issued = opensslIsThere ? certificates(subjects) : null;
    let closed: Server;
    beforeAll(async () => {
      closed = await startEtcd([], issued!.server);
    }, 120_000);
    afterAll(() => closed?.stop());

    const targetOf = (tls: object) => ({
      endpoints: [`https://127.0.0.1:${closed.port}`],
      timeoutMs: TIMEOUT_MS,
      tls: { servername: 'etcd.test', ...tls },
    });
    const make = (tls: object, protocol: Protocol) =>
      new EtcdRegister(targetOf(tls), 'latchkey/', protocol);

    test.each(PROTOCOLS)(
      'over %s, a server that wants a certificate is used by one',
      async (protocol) => {
        const right = make(issued!.client, protocol);
        await until(async () => (await right.identity()) !== '');
        const key = `tls/${protocol}`;
        const { outcome, revision } = await right.compareAndSet(key, null, 'x');
        expect(outcome).toBe('done');
        expect((await right.compareAndSet(key, revision!, 'y')).outcome).toBe('done');
        const none = make({ ca: issued!.client.ca }, protocol);
        expect(await none.compareAndSet('tls/b', null, 'x')).toEqual({ outcome: 'unknown' });
        const stranger = make({}, protocol);
        await expect(stranger.read('tls/')).rejects.toThrow();
        for (const register of [right, none, stranger]) await register.close();
      },
    );

    test('over grpc, the name in a certificate is a user of etcd; over json, etcd refuses it', async () => {
      const gateway = new EtcdJson(targetOf(issued!.client));
      const [endpoint] = targetOf({}).endpoints;
      const call = (path: string, body: object) =>
        gateway.ask({ endpoint: endpoint!, path: `/v3/auth/${path}`, body, token: null }).answer;
      await call('role/add', { name: 'root' });
      for (const name of ['root', 'a']) {
        await call('user/add', { name, password: 'secret' });
        await call('user/grant', { user: name, role: 'root' });
      }
      await call('enable', {});
      gateway.close();
      const [grpc, json] = [make(issued!.client, 'grpc'), make(issued!.client, 'json')];
      expect((await grpc.compareAndSet('cn/a', null, 'x')).outcome).toBe('done');
      await expect(json.compareAndSet('cn/b', null, 'x')).rejects.toThrow('etcd refused');
      await grpc.close();
      await json.close();
    });
  });

  test.each(PROTOCOLS)(
    'over %s, an etcd that is full says so, and is still read',
    async (protocol) => {
      const full = await startEtcd(['--quota-backend-bytes', '100000']);
      try {
        const register = open([at(full.port)], undefined, protocol);
        await until(async () => (await register.identity()) !== '');
        // etcd compares its size with the quota as of its last commit, some 100 ms ago.
        const fill = async () => {
          for (let i = 0; i < 3000; i++) {
            await register.compareAndSet(`full/${i}`, null, 'x'.repeat(30_000));
          }
        };
        await expect(fill()).rejects.toThrow('database space exceeded');
        const [set, read] = await Promise.allSettled([
          register.compareAndSet('full/more', null, 'x'),
          register.read('full/'),
        ]);
        expect([set.status, read.status]).toEqual(['rejected', 'fulfilled']);
        await register.close();
      } finally {
        await full.stop();
      }
    },
    120_000,
  );

  test.each(PROTOCOLS)(
    'over %s, an etcd that was never compacted is warned of, and no other',
    async (protocol) => {
      const other = await startEtcd();
      const url = `etcd://127.0.0.1:${other.port}`;
      const warnings = async () => {
        const log: string[] = [];
        const context = { group: 'g', address: 'here:1', step: () => {} };
        const opened = await etcd(url, { protocol }).open({ ...context, log: (m) => log.push(m) });
        await opened.driver.close();
        return log;
      };
      try {
        const register = open([at(other.port)]);
        await until(async () => (await register.compareAndSet('a', null, 'x')).outcome === 'done');
        await register.close();
        expect(await warnings()).toEqual([expect.stringContaining('has never been compacted')]);
        const compact = { method: 'POST', body: '{"revision":"2","physical":true}' };
        await fetch(`${at(other.port)}/v3/kv/compaction`, compact);
        expect(await warnings()).toEqual([]);
      } finally {
        await other.stop();
      }
    },
    120_000,
  );

  test('another cluster has another identity', async () => {
    const other = await startEtcd(['--initial-cluster-token', 'another']);
    const [one, two] = [open(), open([at(other.port)])];
    await until(async () => (await two.identity()) !== '');
    expect(await one.identity()).not.toBe(await two.identity());
    await one.close();
    await two.close();
    await other.stop();
  }, 120_000);

  test('an address that cannot be is refused at once', () => {
    for (const url of ['http://x:1', 'etcd://', 'etcd://host', 'etcd://a:1,b']) {
      expect(() => etcd(url), url).toThrow('expected an address such as etcd://10.0.0.1:2379');
    }
    expect(() => etcd('etcd://u:hidden@a:1')).toThrow('got "etcd://…@a:1"');
    expect(etcd('etcd://10.0.0.1:2379,10.0.0.2:2379').name).toBe('etcd');
  });
});
