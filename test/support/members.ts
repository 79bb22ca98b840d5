/** Members of one group in this process, over real sockets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join as path } from 'node:path';
import { type Group, join } from '../../src/member/join.ts';
import type { JoinSettings } from '../../src/member/join-settings.ts';

/** So many ports that are free now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => new Promise((done) => server.once('listening', done))));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

export interface Members {
  readonly groups: { readonly [id: string]: Group };
  /** The settings of each, to join again. */
  readonly settings: { readonly [id: string]: JoinSettings };
  /** Leaves whatever is still there. */
  stop(): Promise<void>;
}

/** `kind`: over TCP, or over Unix sockets. `each` adds settings for one member. */
export async function members(
  ids: readonly string[],
  kind: 'tcp' | 'unix' = 'tcp',
  each: (id: string) => Partial<JoinSettings> = () => ({}),
): Promise<Members> {
  const directory = mkdtempSync(path(tmpdir(), 'latchkey-members-'));
  const ports = await freePorts(ids.length);
  const address = (i: number) =>
    kind === 'tcp' ? `127.0.0.1:${ports[i]}` : `unix:${path(directory, ids[i]!)}`;
  const settings = Object.fromEntries(
    ids.map((self, i) => {
      const peers = Object.fromEntries(ids.map((id, j) => [id, address(j)] as const));
      delete peers[self];
      return [self, { self, listen: address(i), peers, ...each(self) } satisfies JoinSettings];
    }),
  );
  const joined = await Promise.all(ids.map(async (id) => [id, await join(settings[id]!)] as const));
  const groups = Object.fromEntries(joined);
  return {
    groups,
    settings,
    async stop() {
      await Promise.all(Object.values(groups).map((group) => group.leave()));
      rmSync(directory, { recursive: true });
    },
  };
}
