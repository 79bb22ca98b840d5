/**
 * One process of a ring: it forwards each frame to the next process. The first process counts
 * rounds.
 */
import { connect, createServer } from 'node:net';
import { now } from '../locks/clock.js';
import { percentiles } from '../locks/numbers.js';
import { serveOrders } from '../locks/team.js';

const FRAME_BYTES = 32;
const token = Buffer.alloc(FRAME_BYTES, 1);
let next;
let arrived = () => next.write(token);

function listen(socket) {
  let bytes = 0;
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    for (bytes += chunk.length; bytes >= FRAME_BYTES; bytes -= FRAME_BYTES) arrived();
  });
}

serveOrders({
  /** Listens at a Unix socket, or at any free port; returns the address. */
  listen: (path) =>
    new Promise((resolve) => {
      const server = createServer({ noDelay: true }, listen);
      const at = path === undefined ? { port: 0, host: '127.0.0.1' } : { path };
      server.listen(at, () => resolve(path ?? server.address().port));
    }),

  connect: (to) =>
    new Promise((resolve) => {
      const at = typeof to === 'string' ? { path: to } : { port: to, host: '127.0.0.1' };
      next = connect({ ...at, noDelay: true }, resolve);
    }),

  /** Sends the token around; at the end it stays here. */
  run: ({ seconds, warmUp }) =>
    new Promise((resolve) => {
      const from = now() + warmUp * 1e9;
      const until = from + seconds * 1e9;
      const rounds = [];
      let before = now();
      arrived = () => {
        const at = now();
        if (before >= from) rounds.push(at - before);
        before = at;
        if (at < until) next.write(token);
        else resolve({ perSecond: rounds.length / seconds, ...percentiles(rounds) });
      };
      next.write(token);
    }),
});
