/** A daemon whose group is itself alone. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { pino } from 'pino';
import { Daemon, type DaemonSettings } from '../../src/daemon/daemon.ts';
import { EventLog } from '../../src/daemon/event-log.ts';
import { join } from '../../src/member/join.ts';

/**
 * A daemon in a folder of its own, with a socket and the settings that the test asks for. Members that it is to have as
 * `peers` are never started.
 */
export async function daemonAlone(
  more: Partial<DaemonSettings> = {},
  peers: { readonly [id: string]: string } = {},
) {
  const folder = mkdtempSync(pathOf(tmpdir(), 'latchkey-'));
  const socket = pathOf(folder, 'a.sock');
  const eventLog = new EventLog(pino({ level: 'silent' }));
  const log = eventLog.addGroupEvent.bind(eventLog);
  const group = await join({ self: 'a', listen: '127.0.0.1:0', peers, group: 'alone', log });
  const daemon = await Daemon.start({ group, eventLog, socket, ...more });
  return {
    daemon,
    eventLog,
    group,
    folder,
    socket,
    close: async () => {
      await daemon.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
