/**
 * Whether a NATS server is there at all. The package for NATS leaves the socket open of an attempt that times out, and then the
 * process cannot end: so a first connection is tried here, where it is always closed.
 */
import { connect } from 'node:net';

const DEFAULT_PORT = 4222;
/** A server sends it to every new connection. */
const GREETING = 'INFO ';

/** Resolves if one of the servers greets as NATS does; else rejects with what the last one did. */
export async function findServer(servers: readonly string[], timeoutMs: number): Promise<void> {
  let last: Error | undefined;
  for (const server of servers) {
    last = await greets(server, timeoutMs);
    if (last === undefined) return;
  }
  throw last ?? new Error('no server is named');
}

/** Why the server is not a NATS server; undefined if it is. */
function greets(server: string, timeoutMs: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(`tcp://${server}`);
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect(port === '' ? DEFAULT_PORT : Number(port), host);
    const done = (error?: Error) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(error);
    };
    const timer = setTimeout(
      () => done(new Error(`no answer from NATS in ${timeoutMs} ms at ${server}`)),
      timeoutMs,
    );
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1', 0, GREETING.length);
      if (text.length < GREETING.length) return;
      done(text.startsWith(GREETING) ? undefined : new Error(`${server} is no server of NATS`));
    });
    socket.on('error', done);
    socket.on('close', () => done(new Error(`${server} ended the connection`)));
  });
}
