/**
 * The cost of a message between members, without locks: `node bench/net.js [--members 20] [--flight 4] [--seconds 5]
 * [--turns 5] [--shortcut off] [--idle] [DIST...]`.
 *
 * Each of the members is a process and keeps so many questions in flight, each to a random peer, which answers. With
 * `--idle` no message is sent, and the CPU is that of the heartbeats. Several builds (folders `dist`) are measured in
 * turns; the ratio is against the first.
 */
import { fork } from 'node:child_process';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    members: { type: 'string', default: '20' },
    flight: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '5' },
    turns: { type: 'string', default: '5' },
    shortcut: { type: 'string', default: 'on' },
    idle: { type: 'boolean', default: false },
    member: { type: 'string' },
  },
});

if (values.member === undefined) await measureAll();
else await runMember(JSON.parse(values.member));

async function measureAll() {
  const builds = positionals.length > 0 ? positionals : ['dist'];
  const results = builds.map(() => []);
  for (let turn = 0; turn < Number(values.turns); turn++) {
    for (const [i, build] of builds.entries()) {
      const result = await measure(build);
      results[i].push(result);
      const { messages, cpuMs, perMessageUs, writes } = result;
      const each = values.idle
        ? ''
        : `, ${perMessageUs.toFixed(1)} us a message, ${writes.toFixed(2)} writes`;
      console.log(`${build}: ${messages} messages/s, CPU ${cpuMs.toFixed(0)} ms/s${each}`);
    }
  }
  const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
  for (const [i, build] of builds.entries()) {
    const cost = (of) => (values.idle ? of.cpuMs : of.perMessageUs);
    const ratios = results[i].map((result, turn) => cost(result) / cost(results[0][turn]));
    const medians = `CPU ${median(results[i].map(cost)).toFixed(1)} ${values.idle ? 'ms a second' : 'us a message'}`;
    const rate = median(results[i].map(({ messages }) => messages));
    console.log(
      `median of ${build}: ${rate} messages/s, ${medians}, ratio ${median(ratios).toFixed(3)}`,
    );
  }
}

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((s) => new Promise((done) => s.listen(0, '127.0.0.1', done))));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

async function measure(build) {
  const ports = await freePorts(Number(values.members));
  const addresses = Object.fromEntries(
    ports.map((port, i) => [`m${String(i).padStart(3, '0')}`, `127.0.0.1:${port}`]),
  );
  const children = Object.keys(addresses).map((self) => {
    const { flight, seconds, shortcut, idle } = values;
    const member = { self, addresses, build, flight: idle ? 0 : Number(flight), seconds, shortcut };
    return fork(new URL(import.meta.url), ['--member', JSON.stringify(member)]);
  });
  const all = (word) =>
    Promise.all(
      children.map(
        (child) =>
          new Promise((done, failed) => {
            child.once('exit', (code) => failed(new Error(`a member ended with ${code}`)));
            child.on('message', (said) => said[word] !== undefined && done(said[word]));
          }),
      ),
    );
  await all('ready');
  const results = all('result');
  for (const child of children) child.send('go');
  const told = await results;
  for (const child of children) child.kill('SIGKILL');
  const sum = (of) => told.reduce((total, one) => total + of(one), 0);
  const seconds = Number(values.seconds);
  const messages = Math.round(sum((r) => r.messages) / seconds);
  const cpuMs = sum((r) => r.cpuUs) / 1000 / seconds;
  const writes = sum((r) => r.writes) / seconds / Math.max(1, messages);
  return { messages, cpuMs, writes, perMessageUs: (cpuMs * 1000) / Math.max(1, messages) };
}

async function runMember({ self, addresses, build, flight, seconds, shortcut }) {
  const load = (file) => import(pathToFileURL(resolve(build, file)).href);
  const { Links } = await load('net/links.js');
  const { TcpWithShortcut } = await load('net/shortcut.js');
  const { tcp } = await load('net/tcp.js');
  const { [self]: listen, ...peers } = addresses;
  const ids = Object.keys(peers);
  const up = new Set();
  const payload = new Uint8Array(30);
  let messages = 0;
  let writes = 0;
  const transport = counting(shortcut === 'off' ? tcp : new TcpWithShortcut(), () => writes++);
  const ask = () => {
    payload[0] = 1;
    links.send(ids[Math.floor(Math.random() * ids.length)], payload);
  };
  const links = new Links(
    { self, incarnation: Date.now(), group: 'bench', digest: '', listen, peers, transport },
    {
      begins: () => {},
      message(peer, reader) {
        messages++;
        if (reader.byte() === 0) ask();
        else {
          payload[0] = 0;
          links.send(peer, payload);
        }
      },
      connection(peer) {
        up.add(peer);
        if (up.size === ids.length) process.send({ ready: true });
      },
      superseded() {},
      unknown() {},
      overflow() {},
      evicted() {},
      congestion() {},
    },
  );
  await links.open();
  process.on('message', () => {
    for (let i = 0; i < flight; i++) ask();
    // Warm first. A connection is idle after ten seconds without a message.
    const warmMs = flight > 0 ? 1000 : 12_000;
    setTimeout(() => {
      const before = process.cpuUsage();
      messages = 0;
      writes = 0;
      setTimeout(() => {
        const { user, system } = process.cpuUsage(before);
        process.send({ result: { messages, writes, cpuUs: user + system } });
      }, 1000 * Number(seconds));
    }, warmMs);
  });
}

/** Counts the writes of a transport. */
function counting(transport, count) {
  const watch = (connection) => {
    const { write } = connection;
    connection.write = (bytes) => {
      count();
      return write.call(connection, bytes);
    };
    return connection;
  };
  const pending = (of) => ({
    // Of before and after the names changed.
    established: (connection) => of.established(watch(connection)),
    enters: (connection) => of.enters(watch(connection)),
    failed: (error) => of.failed(error),
    fails: (error) => of.fails(error),
    closed: () => of.closed(),
    leaves: () => of.leaves(),
  });
  return {
    listen: (address, acceptor) =>
      transport.listen(address, {
        accept: (remote, cut) => pending(acceptor.accept(remote, cut)),
        arrives: (remote, cut) => pending(acceptor.arrives(remote, cut)),
      }),
    dial: (address, handler) => watch(transport.dial(address, handler)),
  };
}
