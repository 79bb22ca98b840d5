import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import zookeeper from 'node-zookeeper-client';
import { freePorts, programAt, scratch, serve } from '../locks/server.js';

const java = programAt('java');
/** The jar of Debian's libzookeeper-java names all jars that it needs. */
const classPath = process.env.ZOOKEEPER_CLASSPATH ?? '/usr/share/java/zookeeper.jar';
const MAIN = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
const SESSION_MS = 30_000;
let server;

export const contestant = {
  file: import.meta.url,
  name: 'ZooKeeper',
  note:
    'one server, durable: every lock and unlock is on disk before it counts. The usual recipe: a ' +
    'sequential node for each request, and each watches the one before',
  processes: 5,
  available: () =>
    (java !== undefined && existsSync(classPath.split(':')[0])) ||
    'needs the Debian packages default-jre-headless and libzookeeper-java',
  async start() {
    const folder = scratch();
    const [port] = await freePorts(1);
    const settings = {
      tickTime: 2000,
      dataDir: join(folder, 'data'),
      clientPort: port,
      clientPortAddress: '127.0.0.1',
      'admin.enableServer': false,
      maxClientCnxns: 0,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(folder, 'zoo.cfg'), lines.join(''));
    const command = [java, '-Xmx1g', '-cp', classPath, MAIN, join(folder, 'zoo.cfg')];
    server = await serve(command, port);
    return { port };
  },
  async open({ port }) {
    const client = zookeeper.createClient(`127.0.0.1:${port}`, { sessionTimeout: SESSION_MS });
    await new Promise((resolve) => {
      client.once('connected', resolve);
      client.connect();
    });
    return { request: requestOf(client) };
  },
  stop: () => server.stop(),
};

function requestOf(client) {
  const call = (method, ...args) =>
    new Promise((resolve, reject) => {
      const done = (error, result) => (error ? reject(error) : resolve(result));
      client[method](...args, done);
    });
  const { PERSISTENT, EPHEMERAL_SEQUENTIAL } = zookeeper.CreateMode;
  const folders = new Map();
  const folderOf = (name) => {
    const folder = `/${name.replaceAll('/', '-')}`;
    if (!folders.has(name)) {
      const made = call('create', folder, PERSISTENT).catch((error) => {
        if (error.getCode?.() !== zookeeper.Exception.NODE_EXISTS) throw error;
      });
      folders.set(
        name,
        made.then(() => folder),
      );
    }
    return folders.get(name);
  };
  const numberOf = (node) => node.slice(-10);

  return async (name, callback) => {
    const folder = await folderOf(name);
    const mine = await call('create', `${folder}/n-`, EPHEMERAL_SEQUENTIAL);
    for (;;) {
      const nodes = await call('getChildren', folder);
      const before = nodes
        .filter((node) => numberOf(node) < numberOf(mine))
        .sort()
        .at(-1);
      if (before === undefined) break;
      await new Promise((resolve, reject) => {
        const path = `${folder}/${before}`;
        // Resolves when that node is deleted, or is already.
        call('exists', path, resolve).then((there) => there ?? resolve(), reject);
      });
    }
    callback();
    await call('remove', mine);
  };
}
