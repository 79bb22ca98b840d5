/** The fenced writes that docs/safety.md shows, as it shows them: a late write of an earlier holder is refused. */
import { readFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresConnection } from '../../src/engines/postgres-connection.ts';
import { until } from '../support/register-suite.ts';
import { missing, type Server, startPostgres } from '../support/servers.ts';

/** The example of docs/safety.md that has this heading. */
function example(heading: string): string {
  const text = readFileSync('docs/safety.md', 'utf8');
  const found = new RegExp(`### ${heading}\\n[\\s\\S]*?\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(text);
  return found![1]!;
}

const why = missing('postgres');
describe.skipIf(why !== null)(
  `a fenced write to Postgres${why === null ? '' : ` (${why})`}`,
  () => {
    let server: Server;
    let db: PostgresConnection;
    beforeAll(async () => {
      server = await startPostgres();
      db = new PostgresConnection({ url: server.url, config: {}, timeoutMs: 5000 }, '');
      await until(async () => (await db.query('SELECT 1')).length === 1);
    }, 120_000);
    afterAll(async () => {
      await db?.close();
      await server?.stop();
    });

    test('changes the row for the latest holder, and no row for an earlier one', async () => {
      const [create, update] = example('Postgres').split(';\n');
      await db.query(create!);
      await db.query("INSERT INTO invoices (id, total) VALUES ('7', 0)");
      const write = async (total: number, fence: bigint) =>
        (await db.query(`${update} RETURNING id`, ['7', total, `${fence}`])).length;
      const [earlier, later] = [2n ** 62n, 2n ** 62n + 1n];
      expect(await write(10, earlier)).toBe(1);
      expect(await write(20, later)).toBe(1);
      expect(await write(30, later)).toBe(1);
      // It was paused before it wrote, and does not know that it lost the lock.
      expect(await write(40, earlier)).toBe(0);
      const [row] = await db.query<{ total: string }>(
        "SELECT total::text FROM invoices WHERE id = '7'",
      );
      expect(row).toEqual({ total: '30' });
    });
  },
);

/** An object store with conditional writes, as S3 has them: If-Match and If-None-Match. */
function objectStore(): HttpServer {
  const objects = new Map<string, { body: string; etag: string; fence: string }>();
  let versions = 0;
  return createServer((request, response) => {
    const at = request.url!;
    const last = objects.get(at);
    if (request.method === 'GET') {
      if (last === undefined) response.writeHead(404).end();
      else
        response.writeHead(200, { etag: last.etag, 'x-amz-meta-fence': last.fence }).end(last.body);
      return;
    }
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const {
        'if-match': match,
        'if-none-match': none,
        'x-amz-meta-fence': fence,
      } = request.headers;
      const now = objects.get(at);
      const isRefused =
        match === undefined ? none === '*' && now !== undefined : now?.etag !== match;
      if (!isRefused) objects.set(at, { body, etag: `"${++versions}"`, fence: `${fence}` });
      response.writeHead(isRefused ? 412 : 200).end();
    });
  });
}

describe('a fenced write to an object store', () => {
  let store: HttpServer;
  let url: string;
  beforeAll(async () => {
    store = objectStore();
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(store.address() as AddressInfo).port}/report`;
  });
  afterAll(() => {
    store.closeAllConnections();
    store.close();
  });

  test('stores the object of the latest holder, and refuses that of an earlier one', async () => {
    const text = example('Object stores');
    const { putFenced } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    await putFenced(url, 'first', 5n);
    await putFenced(url, 'second', 7n);
    await putFenced(url, 'third', 7n);
    await expect(putFenced(url, 'late', 5n)).rejects.toThrow('a later holder has written: fence 7');
    const read = await fetch(url);
    expect(await read.text()).toBe('third');
  });

  test('of two writes at once by different holders the later holder wins', async () => {
    const { putFenced } = await import(
      `data:text/javascript,${encodeURIComponent(example('Object stores'))}`
    );
    const at = `${url}-2`;
    for (let round = 0; round < 20; round++) {
      const [one, two] = [BigInt(2 * round + 1), BigInt(2 * round + 2)];
      await Promise.allSettled([putFenced(at, `${one}`, one), putFenced(at, `${two}`, two)]);
      expect(await (await fetch(at)).text()).toBe(`${two}`);
    }
  });
});
