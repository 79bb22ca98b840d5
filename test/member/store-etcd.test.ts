/** Members that find each other by a real etcd server. */
import { afterAll, beforeAll, describe } from 'vitest';
import { missing, type Server, startEtcd } from '../support/servers.ts';
import { storeMembersSuite } from '../support/store-members-suite.ts';

const why = missing('etcd');

describe.skipIf(why !== null)(`etcd${why === null ? '' : ` (${why})`}`, () => {
  let server: Server;
  beforeAll(async () => {
    server = await startEtcd();
  }, 120_000);
  afterAll(() => server?.stop());

  storeMembersSuite('etcd', () => ({ engine: 'etcd', url: server.url }), {
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
  });
});
