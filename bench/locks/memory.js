/** The memory of an idle lock: names that one member of three used once. */
import { contestant, placeFor } from '../contestants/latchkey.js';
import { sleep } from './clock.js';
import { open } from './measure.js';

export const NAMES = 100_000;
const MEMBERS = 3;
/** Members drop the state of idle locks within ten seconds. */
const IDLE_MS = 12_000;

/** Bytes per name, at the member that used it and at the others. */
export async function idleBytes() {
  const team = await open(contestant, await placeFor(MEMBERS), MEMBERS);
  try {
    const before = await team.all('heap');
    await team.ask(0, 'touch', NAMES);
    await sleep(IDLE_MS);
    const after = await team.all('heap');
    const [user, ...others] = after.map((bytes, i) => (bytes - before[i]) / NAMES);
    return { user, others: Math.max(...others) };
  } finally {
    await team.stop();
  }
}
