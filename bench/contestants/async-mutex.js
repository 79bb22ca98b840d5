import { Mutex } from 'async-mutex';

export const contestant = {
  file: import.meta.url,
  name: 'async-mutex',
  note: 'within one process only',
  processes: 1,
  available: () => true,
  start: async () => ({}),
  async open() {
    const mutexes = new Map();
    return {
      request(name, callback) {
        let mutex = mutexes.get(name);
        if (mutex === undefined) {
          mutex = new Mutex();
          mutexes.set(name, mutex);
        }
        return mutex.runExclusive(callback);
      },
    };
  },
  async stop() {},
};
