/** Members that find each other by a real NATS server. */
import { afterAll, beforeAll, describe } from 'vitest';
import { missing, type Server, startNats } from '../support/servers.ts';
import { storeMembersSuite } from '../support/store-members-suite.ts';

const why = missing('nats');

describe.skipIf(why !== null)(`NATS${why === null ? '' : ` (${why})`}`, () => {
  let server: Server;
  beforeAll(async () => {
    server = await startNats();
  }, 120_000);
  afterAll(() => server?.stop());

  storeMembersSuite(
    'NATS',
    () => ({ engine: 'nats', options: { allowUnsafe: true }, url: server.url }),
    {
      freeze: () => server.freeze(),
      thaw: () => server.thaw(),
    },
  );
});
