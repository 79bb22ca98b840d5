/** One member that uses very many names, each once: `worker.js INDEX`. */
import { enter } from '../contestants/latchkey.js';
import { serveOrders } from '../locks/team.js';

const AT_ONCE = 16;
const SAMPLE_MS = 200;
const index = Number(process.argv[2]);
let group;

serveOrders({
  async open(place) {
    group = await enter(place, index);
  },

  /** Locks so many names that only this member uses. Returns the most memory meanwhile, and how many names are known. */
  async use({ from, count }) {
    let resident = 0;
    let known = 0;
    const sample = () => {
      resident = Math.max(resident, process.memoryUsage.rss());
      known = Math.max(known, group.backend.node.locks.size);
    };
    const sampling = setInterval(sample, SAMPLE_MS);
    let next = from;
    const loop = async () => {
      while (next < from + count) await group.locks.request(`order/${index}/${next++}`, () => {});
    };
    await Promise.all(Array.from({ length: AT_ONCE }, loop));
    sample();
    clearInterval(sampling);
    return { resident, known };
  },
});
