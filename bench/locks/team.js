/** A team of processes of one program, controlled by messages. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Starts `size` processes of a program. Each gets its index, and answers orders: see `serveOrders`.
 * `options`: another Node (`execPath`), or flags for it (`execArgv`).
 */
export async function gather(program, args, size, options = {}) {
  const processes = Array.from({ length: size }, (_, i) => {
    const child = fork(fileURLToPath(program), [...args, String(i)], {
      serialization: 'advanced',
      ...options,
    });
    return member(child);
  });
  const all = (order, what) => Promise.all(processes.map(({ ask }) => ask(order, what)));
  return {
    ask: (i, order, what) => processes[i].ask(order, what),
    all,
    async stop() {
      for (const { child } of processes) if (child.connected) child.disconnect();
      await Promise.all(processes.map(({ exited }) => exited));
    },
  };
}

function member(child) {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  // The process may have failed before its first order.
  let lastError = 'a process of the team has ended';
  child.on('message', ({ error }) => {
    lastError = error ?? lastError;
  });
  const ask = (order, what) =>
    new Promise((resolve, reject) => {
      const fail = () => reject(new Error(lastError));
      const onAnswer = ({ error, answer }) => {
        child.off('exit', fail);
        if (error === undefined) resolve(answer);
        else reject(new Error(error));
      };
      if (!child.connected) return fail();
      child.once('message', onAnswer).once('exit', fail);
      child.send({ order, what });
    });
  return { child, exited, ask };
}

/** In the process: executes one order at a time, until the parent disconnects. */
export function serveOrders(orders) {
  process.on('disconnect', () => process.exit());
  process.on('message', async ({ order, what }) => {
    try {
      process.send({ answer: await orders[order](what) });
    } catch (error) {
      process.send({ error: error.stack });
    }
  });
}
