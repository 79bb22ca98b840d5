/** So many processes of one kind, told what to do by messages. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Starts `size` processes of a program. Each is told its index, and answers what it is asked: see
 * `obey`. `options`: another Node (`execPath`), or flags for it (`execArgv`).
 */
export async function gather(program, args, size, options = {}) {
  const crew = Array.from({ length: size }, (_, i) => {
    const child = fork(fileURLToPath(program), [...args, String(i)], {
      serialization: 'advanced',
      ...options,
    });
    return member(child);
  });
  const all = (order, what) => Promise.all(crew.map(({ ask }) => ask(order, what)));
  return {
    ask: (i, order, what) => crew[i].ask(order, what),
    all,
    async dismiss() {
      for (const { child } of crew) if (child.connected) child.disconnect();
      await Promise.all(crew.map(({ gone }) => gone));
    },
  };
}

function member(child) {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  // It may have given up before it was asked.
  let lastWord = 'a process of the team has ended';
  child.on('message', ({ error }) => {
    lastWord = error ?? lastWord;
  });
  const ask = (order, what) =>
    new Promise((resolve, reject) => {
      const fail = () => reject(new Error(lastWord));
      const hear = ({ error, answer }) => {
        child.off('exit', fail);
        if (error === undefined) resolve(answer);
        else reject(new Error(error));
      };
      if (!child.connected) return fail();
      child.once('message', hear).once('exit', fail);
      child.send({ order, what });
    });
  return { child, gone, ask };
}

/** In the process: does as it is told, one order at a time, until nobody is there to tell it. */
export function obey(orders) {
  process.on('disconnect', () => process.exit());
  process.on('message', async ({ order, what }) => {
    try {
      process.send({ answer: await orders[order](what) });
    } catch (error) {
      process.send({ error: error.stack });
    }
  });
}
