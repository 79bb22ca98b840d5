/** The register in Postgres, against a real server. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresRegister, postgres } from '../../src/engines/postgres.ts';
import { PostgresConnection } from '../../src/engines/postgres-connection.ts';
import { engineStoreSuite } from '../support/engine-store-suite.ts';
import { registerSuite, until } from '../support/register-suite.ts';
import { missing, type Server, startPostgres, startStandby } from '../support/servers.ts';

const why = missing('postgres');
const TIMEOUT_MS = 1000;

describe.skipIf(why !== null)(`Postgres${why === null ? '' : ` (${why})`}`, () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
    await until(async () => {
      await open().then((register) => register.close());
      return true;
    });
  }, 120_000);
  afterAll(() => server?.stop());

  const target = (url = server.url) => ({ url, config: {}, timeoutMs: TIMEOUT_MS });
  const open = async (url?: string) => {
    const register = new PostgresRegister(target(url));
    await register.prepare();
    return register;
  };
  const sql = async (text: string) => {
    const connection = new PostgresConnection(target(), '');
    await connection.query(text);
    await connection.close();
  };

  registerSuite('in Postgres', () => ({
    open,
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
  }));

  engineStoreSuite('postgres', (settings) => postgres(server.url, settings), {
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
  });

  test('a store can be opened though its answers take longer than a renewal may', async () => {
    const { hostname, port, username } = new URL(server.url);
    // Each answer takes longer than the fifth of a lease after which a call is given up.
    const proxy = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      client.pipe(upstream);
      upstream.on('data', (bytes) => setTimeout(() => client.write(bytes), 150));
      for (const end of [client, upstream]) {
        end.on('error', () => {});
        end.on('close', () => (end === client ? upstream : client).destroy());
      }
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const slow = `postgres://${username}@127.0.0.1:${(proxy.address() as AddressInfo).port}/postgres`;
    const host = { group: 'slow', address: 'here:1', step() {}, log() {} };
    const { driver } = await postgres(slow, { leaseMs: 500 }).open(host);
    await driver.close();
    proxy.close();
  });

  test('an ordinary role that may use the table can do all of it', async () => {
    await sql('CREATE ROLE app LOGIN; GRANT USAGE, CREATE ON SCHEMA public TO app');
    const url = server.url.replace('postgres@', 'app@');
    const register = new PostgresRegister(target(url), 'latchkey_app');
    await register.prepare();
    const { revision } = await register.compareAndSet('r/a', null, 'one');
    expect((await register.compareAndSet('r/a', revision!, 'two')).outcome).toBe('done');
    expect((await register.read('r/')).records).toHaveLength(1);
    await register.close();
  });

  test('a role without privileges is refused with the reason', async () => {
    await sql('CREATE ROLE nobody_here LOGIN');
    const register = new PostgresRegister(target(server.url.replace('postgres@', 'nobody_here@')));
    await expect(register.compareAndSet('r/b', null, 'x')).rejects.toThrow('permission denied');
    await register.close();
  });

  test('a database that is read-only is refused, and says so when it becomes read-only later', async () => {
    await open().then((register) => register.close());
    await sql('CREATE ROLE reader LOGIN SUPERUSER');
    const url = server.url.replace('postgres@', 'reader@');
    const before = await open(url);
    await sql('ALTER ROLE reader SET default_transaction_read_only = on');
    await before.close();
    const register = new PostgresRegister(target(url));
    await expect(register.prepare()).rejects.toThrow(
      'this Postgres database is read-only: name one that can be written to',
    );
    await expect(register.compareAndSet('r/c', null, 'x')).rejects.toThrow('read-only transaction');
    await register.close();
  });

  test('members that start together create the table once', async () => {
    const registers = Array.from({ length: 5 }, () => new PostgresRegister(target(), 'together'));
    await Promise.all(registers.map((register) => register.prepare()));
    await Promise.all(registers.map((register) => register.close()));
  });

  test('a commit is durable even where the database has synchronous_commit=off', async () => {
    await sql('CREATE ROLE hasty LOGIN SUPERUSER; ALTER ROLE hasty SET synchronous_commit = off');
    const register = await open(server.url.replace('postgres@', 'hasty@'));
    const at = `durable/${Date.now()}`;
    expect((await register.compareAndSet(at, null, 'kept')).outcome).toBe('done');
    await server.kill();
    await server.restart();
    await until(async () => (await register.read(at)).records.length === 1);
    expect((await register.read(at)).records[0]!.value).toBe('kept');
    await register.close();
  }, 120_000);

  test('a compare-and-set during a restart ends, and the register connects again by itself', async () => {
    const register = await open();
    const { revision } = await register.compareAndSet('restart/a', null, 'one');
    await server.kill();
    expect(await register.compareAndSet('restart/a', revision!, 'two')).toEqual({
      outcome: 'unknown',
    });
    await expect(register.read('restart/')).rejects.toThrow();
    await server.restart();
    await until(async () => (await register.read('restart/')).records[0]!.value === 'one');
    expect((await register.compareAndSet('restart/a', revision!, 'two')).outcome).toBe('done');
    await register.close();
  }, 120_000);

  test('a new connection survives the timeouts of queries on the connection before it', async () => {
    let isSilent = true;
    const sockets = new Set<Socket>();
    const keep = (socket: Socket) => sockets.add(socket.on('error', () => {}));
    const front = createServer((socket) => {
      const onward = connect(server.port, '127.0.0.1');
      for (const one of [socket, onward]) keep(one);
      onward.pipe(socket);
      // The server lets the client in, and then hears nothing more of it.
      if (isSilent) socket.once('data', (startup) => onward.write(startup));
      else socket.pipe(onward);
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const url = server.url.replace(/:\d+\//, `:${(front.address() as AddressInfo).port}/`);
    const connection = new PostgresConnection({ ...target(url), timeoutMs: 500 }, 'SELECT 0');
    const first = connection.query('SELECT 1');
    first.catch(() => {});
    await sleep(250);
    const second = connection.query('SELECT 2');
    second.catch(() => {});
    await expect(first).rejects.toThrow('no answer from Postgres in 500 ms');
    isSilent = false;
    const process = () => connection.query('SELECT pg_backend_pid() AS pid');
    const opened = await process();
    await expect(second).rejects.toThrow();
    expect(await process()).toEqual(opened);
    await connection.close();
    for (const socket of sockets) socket.destroy();
    front.close();
  });

  test('a watch that lost its connection hints when it is back', async () => {
    const register = await open();
    let hints = 0;
    const stop = register.watch('watch/', () => hints++);
    await until(() => hints > 0);
    await server.kill();
    await sleep(300);
    hints = 0;
    await server.restart();
    await until(() => hints > 0, 30_000);
    stop();
    await register.close();
  }, 120_000);

  test('a standby is refused, and after its promotion it is another store', async () => {
    const register = await open();
    const at = `standby/${Date.now()}`;
    const { revision, identity } = await register.compareAndSet(at, null, 'one');
    const standby = await startStandby(server);
    try {
      const other = new PostgresRegister(target(standby.url));
      await until(async () => {
        await other.prepare().catch((error: Error) => {
          if (!error.message.includes('is a standby: name the primary')) throw error;
        });
        return true;
      });
      await expect(other.prepare()).rejects.toThrow('is a standby: name the primary');
      await expect(other.read(at)).rejects.toThrow('is a standby: name the primary');
      expect(await other.compareAndSet(at, revision!, 'two')).toEqual({ outcome: 'unknown' });
      standby.promote();
      await until(async () => (await other.identity()) !== identity);
      const read = await other.read(at);
      expect(read.records[0]).toEqual({ key: at, value: 'one', revision });
      expect((await other.compareAndSet(at, revision!, 'two')).outcome).toBe('done');
      await other.close();
    } finally {
      await standby.stop();
      await register.close();
    }
  }, 120_000);

  test('a server with fsync=off is refused unless it is allowed', async () => {
    const unsafe = await startPostgres(['fsync=off']);
    try {
      const register = new PostgresRegister(target(unsafe.url));
      await until(async () => {
        await register.identity();
        return true;
      });
      await expect(register.prepare()).rejects.toThrow('fsync=off');
      await register.prepare(true);
      await register.close();
    } finally {
      await unsafe.stop();
    }
  }, 120_000);

  test('a table that Postgres empties after a crash is refused', async () => {
    await sql(
      'CREATE UNLOGGED TABLE forgetful (key text PRIMARY KEY, value text, revision bigserial)',
    );
    const register = new PostgresRegister(target(), 'forgetful');
    await expect(register.prepare()).rejects.toThrow(
      'the table forgetful is unlogged, and Postgres empties it after a crash: ALTER TABLE forgetful SET LOGGED',
    );
    await sql('ALTER TABLE forgetful SET LOGGED');
    await register.prepare();
    await register.close();
  });

  test('an address that cannot be is refused at once, without its password', () => {
    for (const url of ['mysql://u:hidden@h/d', 'u:hidden@h', '', 'postgres://u:hidden@h:port/d']) {
      expect(() => postgres(url), url).toThrow(
        'expected an address such as postgres://app@db.internal/app',
      );
      expect(() => postgres(url), url).not.toThrow('hidden');
    }
    const sockets = ['postgres:///app?host=/run/postgresql', 'postgresql://u:p@/app'];
    for (const url of sockets) expect(postgres(url).name).toBe('postgres');
  });

  test('a wrong table or lease is refused at once', () => {
    expect(() => postgres('postgres://x', { table: 'a; drop' })).toThrow('`table`');
    expect(() => postgres('postgres://x', { leaseMs: 1 })).toThrow('from 500 up, got 1');
  });
});
