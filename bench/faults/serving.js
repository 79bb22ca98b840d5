/** Whether a store serves: not by its adapter here, which is under test, but by the simplest other way to ask. */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';

const ANSWER_MS = 1000;

/** Postgres takes connections long before it has recovered: `pg_isready` tells the two apart. */
export const postgresServes = (program, host, port) =>
  new Promise((resolve) => {
    const words = ['-h', host, '-p', `${port}`, '-t', '1'];
    const child = spawn(program, words, { stdio: 'ignore' });
    child.once('error', () => resolve(false)).once('exit', (code) => resolve(code === 0));
  });

/** A node of etcd is healthy once it has read something with the consent of a majority. */
export async function etcdServes(urls) {
  const healthy = await Promise.all(
    urls.map(async (url) => {
      try {
        const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_MS) });
        return (await answer.json()).health === 'true';
      } catch {
        return false;
      }
    }),
  );
  return healthy.some(Boolean);
}

/** JetStream answers after it has read its files. */
export const natsServes = (host, port) =>
  new Promise((resolve) => {
    const socket = connect(port, host);
    let text = '';
    const done = (value) => {
      socket.destroy();
      resolve(value);
    };
    socket.setTimeout(ANSWER_MS, () => done(false));
    socket.once('error', () => done(false)).once('close', () => done(false));
    socket.on('data', (bytes) => {
      text += bytes;
      if (text.includes('MSG answer')) done(text.includes('"streams"'));
    });
    socket.write('CONNECT {"verbose":false}\r\nSUB answer 1\r\nPUB $JS.API.INFO answer 0\r\n\r\n');
  });
