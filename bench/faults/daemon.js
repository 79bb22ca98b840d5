/** A daemon is stopped (SIGSTOP): the command of its client must be dead before another client has the lock. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts, scratch } from '../locks/server.js';
import { certificatesIn } from './certificates.js';
import { atMost, sleep } from './rounds.js';

const PROGRAM = fileURLToPath(new URL('../../bin/latchkey.js', import.meta.url));
/** Ignores SIGTERM: it must be killed, and in time. */
const STUBBORN = 'trap "" TERM; echo "pid $$"; while :; do sleep 0.1; done';
const PAIRS = 4;
const started = new Set();
process.on('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});

/** A run of the program: `says` resolves with the first match of its output, `end` with all of it. */
function latchkey(...words) {
  const child = spawn(process.execPath, [PROGRAM, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  started.add(child);
  let text = '';
  let watch = () => {};
  const hear = (bytes) => {
    text += bytes;
    watch();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const end = new Promise((resolve) => {
    child.once('close', (code) => {
      started.delete(child);
      resolve({ code, text });
    });
  });
  const says = (pattern) =>
    new Promise((resolve, reject) => {
      watch = () => {
        const found = text.match(pattern);
        if (found !== null) resolve(found);
      };
      watch();
      void end.then(() => reject(new Error(`it ended without ${pattern}: ${text}`)));
    });
  return { child, end, says };
}

/** Two daemons of one group, and the flags with which a client reaches each. */
async function pairOf({ store, leaseMs }, transport, index) {
  const folder = scratch();
  const group = `daemons-${process.pid}-${transport === 'TLS' ? 'tls' : 'unix'}-${index}`;
  const flags = ['--group', group, '--engine', store.url, '--lease-ms', `${leaseMs}`];
  const tls = transport === 'TLS' ? certificatesIn(folder, ['a', 'b', 'client']) : null;
  const ports = await freePorts(2);
  const daemons = ['a', 'b'].map((self, i) => {
    const socket = join(folder, `${self}.sock`);
    const own = ['--self', self, '--listen', '127.0.0.1:0', '--dashboard', 'off'];
    if (tls === null) {
      const run = latchkey('node', ...flags, ...own, '--socket', socket);
      return { run, client: ['--socket', socket] };
    }
    const address = `localhost:${ports[i]}`;
    const doors = ['--socket', 'off', '--clients', address, ...tls.flagsOf(self)];
    const run = latchkey('node', ...flags, ...own, ...doors);
    return { run, client: ['--socket', address, ...tls.flagsOf('client')] };
  });
  await Promise.all(daemons.map(({ run }) => run.says(/is up/)));
  return daemons;
}

/** What was wrong; null if nothing was. */
async function round(daemons, number) {
  const [a, b] = number % 2 === 0 ? daemons : [...daemons].reverse();
  const holder = latchkey('lock', ...a.client, 'x', '--', 'sh', '-c', STUBBORN);
  const [, pid] = await holder.says(/pid (\d+)\n/);
  a.run.child.kill('SIGSTOP');
  const look = `kill -0 ${pid} 2>/dev/null && echo alive || echo dead`;
  const { text } = await latchkey('lock', ...b.client, 'x', '--', 'sh', '-c', look).end;
  const { code } = await holder.end;
  a.run.child.kill('SIGCONT');
  await sleep(1000);
  if (text.includes('dead') && code === 75) return null;
  return text.includes('alive')
    ? 'the command was alive'
    : `exit code ${code}; the other client said: ${text.trim()}`;
}

export const stoppedDaemon = (transport, id) => ({
  id,
  fault: `a daemon is stopped; its client holds a lock over ${transport}, and runs a command that ignores SIGTERM`,
  demand: () => 'the command is dead before another client is granted the lock',
  async run(context) {
    const { rounds, leaseMs } = context;
    const wrong = [];
    let [next, good] = [0, 0];
    const runPair = async (_, index) => {
      try {
        const daemons = await pairOf(context, transport, index);
        while (next < rounds) {
          const number = next++;
          const trouble = await atMost(6 * leaseMs + 20_000, `round ${number}`, () =>
            round(daemons, number),
          );
          if (trouble === null) good++;
          else wrong.push(`round ${number}: ${trouble}`);
        }
        for (const { run } of daemons) run.child.kill('SIGTERM');
        await Promise.all(daemons.map(({ run }) => run.end));
      } catch (error) {
        wrong.push(error.message);
      }
    };
    await Promise.all(Array.from({ length: Math.min(PAIRS, rounds) }, runPair));
    return { rounds, good, seen: `dead in ${good} of ${rounds}`, wrong };
  },
});
