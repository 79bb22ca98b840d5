/**
 * A bare mesh of Node processes, without any lock: a request is one round trip to the process that the name hashes to.
 * A group of processes without a server cannot do with less for a free lock that another process had last. The
 * processes are connected as members of one machine are: by Unix sockets, each read by the end that dialed it, and with
 * one write to each peer in a turn.
 */
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { sleep } from '../locks/clock.js';
import { scratch } from '../locks/server.js';

/** What it is, and the number of the request. */
const FRAME_BYTES = 8;
const ASK = 1;
const ANSWER = 2;
const READ_BYTES = 65_536;

export const mesh = {
  name: 'a bare mesh',
  available: () => true,
  async start(processes) {
    const folder = scratch();
    return { paths: Array.from({ length: processes }, (_, i) => join(folder, `${i}.sock`)) };
  },
  open: ({ paths }, self) => new Mesh(paths, self).open(),
  stop: async () => {},
};

class Mesh {
  #paths;
  #self;
  /** By process: the socket to it, and what is to be written in this turn. */
  #peers = [];
  #toWrite = [];
  #requests = 0;
  #waiting = new Map();

  constructor(paths, self) {
    this.#paths = paths;
    this.#self = self;
  }

  async open() {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', ([from]) => {
        this.#peers[from] = { socket, frames: [] };
      });
    });
    await new Promise((resolve) => server.listen(this.#paths[this.#self], resolve));
    const others = this.#paths.map((_, i) => i).filter((i) => i !== this.#self);
    await Promise.all(others.map((i) => this.#dial(i)));
    while (others.some((i) => this.#peers[i] === undefined)) await sleep(10);
    return { request: (name, callback) => this.#request(name, callback) };
  }

  #dial(i) {
    const onread = { buffer: Buffer.alloc(READ_BYTES), callback: this.#reader(i) };
    return new Promise((resolve) => {
      const socket = connect({ path: this.#paths[i], onread }, () => {
        socket.write(Buffer.of(this.#self));
        resolve();
      });
      // The other process may not listen yet.
      socket.on('error', () => sleep(50).then(() => resolve(this.#dial(i))));
    });
  }

  #reader(from) {
    let rest = Buffer.alloc(0);
    return (length, buffer) => {
      const bytes = Buffer.concat([rest, buffer.subarray(0, length)]);
      let at = 0;
      for (; at + FRAME_BYTES <= bytes.length; at += FRAME_BYTES) {
        this.#take(from, bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4));
      }
      rest = bytes.subarray(at);
      return true;
    };
  }

  #take(from, type, number) {
    if (type === ASK) {
      this.#send(from, ANSWER, number);
      return;
    }
    this.#waiting.get(number)();
    this.#waiting.delete(number);
  }

  #send(to, type, number) {
    const frame = Buffer.allocUnsafe(FRAME_BYTES);
    frame.writeUInt32LE(type, 0);
    frame.writeUInt32LE(number, 4);
    const peer = this.#peers[to];
    if (this.#toWrite.length === 0) setImmediate(() => this.#write());
    if (peer.frames.length === 0) this.#toWrite.push(peer);
    peer.frames.push(frame);
  }

  #write() {
    for (const peer of this.#toWrite.splice(0)) {
      peer.socket.write(peer.frames.length === 1 ? peer.frames[0] : Buffer.concat(peer.frames));
      peer.frames = [];
    }
  }

  async #request(name, callback) {
    const place = hash(name) % this.#paths.length;
    if (place !== this.#self) {
      const number = this.#requests++ >>> 0;
      await new Promise((resolve) => {
        this.#waiting.set(number, resolve);
        this.#send(place, ASK, number);
      });
    }
    await callback();
  }
}

/** FNV-1a, as the group spreads its locks. */
function hash(name) {
  let h = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 0x01000193);
  return h >>> 0;
}
