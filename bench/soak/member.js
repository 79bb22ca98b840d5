/** One process of the soak: `member.js INDEX`. */
import { setImmediate } from 'node:timers/promises';
import { enter } from '../contestants/latchkey.js';
import { serveOrders } from '../locks/team.js';
import { Witness } from './witness.js';

const index = Number(process.argv[2]);
let group;

/**
 * Most entries end at once; some last for a turn of the event loop, so that other processes make
 * requests meanwhile.
 */
const STAYS = 8;

/** Enters without a lock, to test that the witness detects overlaps. */
let clock = 0n;
const unlocked = (_, callback) => callback({ fence: ++clock });

serveOrders({
  async join(place) {
    group = await enter(place, index);
  },

  async enter({ name, entries, path, isUnlocked }) {
    const witness = new Witness(path, index);
    const { stats } = group.backend;
    const before = stats.messages;
    const request = isUnlocked ? unlocked : (...args) => group.locks.request(...args);
    for (let i = 0; i < entries; i++) {
      await request(name, async ({ fence }) => {
        witness.enter(fence);
        // Without a lock, one entry might otherwise end before the next begins.
        if (isUnlocked && i === 0) await witness.company();
        if (i % STAYS === 0) await setImmediate();
        witness.leave();
      });
    }
    const { overlaps, disorders } = witness;
    return { overlaps, disorders, count: witness.count, messages: stats.messages - before };
  },
});
