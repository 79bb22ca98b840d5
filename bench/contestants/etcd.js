import { join } from 'node:path';
import { freePorts, programAt, scratch, serve } from '../locks/server.js';

const program = programAt('etcd');
const LEASE_SECONDS = 600;
const inBase64 = (text) => Buffer.from(text).toString('base64');
let server;

export const contestant = {
  file: import.meta.url,
  name: 'etcd',
  note:
    'one server, durable: every lock and unlock is on disk before it counts. Its own lock service, by ' +
    'its HTTP gateway, under one lease for each process',
  processes: 5,
  available: () => program !== undefined || 'needs the Debian package etcd-server',
  async start() {
    const [port, peerPort] = await freePorts(2);
    const client = `http://127.0.0.1:${port}`;
    const peer = `http://127.0.0.1:${peerPort}`;
    const flags = {
      name: 'bench',
      'data-dir': join(scratch(), 'data'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `bench=${peer}`,
      'log-level': 'error',
    };
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    server = await serve([program, ...args], port);
    return { port };
  },
  async open({ port }) {
    const call = async (path, body) => {
      const url = `http://127.0.0.1:${port}/v3/${path}`;
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
      const answer = await response.json();
      if (!response.ok) throw new Error(`etcd: ${path}: ${JSON.stringify(answer)}`);
      return answer;
    };
    const { ID: lease } = await call('lease/grant', { TTL: LEASE_SECONDS });
    return {
      async request(name, callback) {
        const { key } = await call('lock/lock', { name: inBase64(name), lease });
        callback();
        await call('lock/unlock', { key });
      },
    };
  },
  stop: () => server.stop(),
};
