/** The measurements of one algorithm in a live group. */
import { contestant, placeFor } from '../contestants/latchkey.js';
import { ruleFor } from '../locks/live.js';
import { contended, open } from '../locks/measure.js';

// In a larger group each member enters more rarely, so it takes longer until its code is compiled.
const contentionOf = (size) => ({ seconds: 1, warmUp: 0.8 * size });
const PERMITTED = { seconds: 1, warmUp: 1.5 };
const ALONE = { seconds: 0.3 };

async function statsOf(team) {
  const all = await team.all('stats');
  const sum = (field) => all.reduce((total, stats) => total + stats[field], 0);
  return { messages: sum('messages'), granted: sum('granted') };
}

/** The result of the measurement, and the number of messages per entry during it. */
async function counted(team, work) {
  const before = await statsOf(team);
  const result = await work();
  const after = await statsOf(team);
  const messages = (after.messages - before.messages) / (after.granted - before.granted);
  return { ...result, messages };
}

async function withGroup(size, rules, measure) {
  const team = await open(contestant, await placeFor(size, { ...rules, shortcut: false }), size);
  try {
    return await measure(team);
  } finally {
    await team.stop();
  }
}

export const measureLock = (algorithm, size, ring) =>
  withGroup(size, { locks: [ruleFor(algorithm)] }, async (team) => {
    const { perSecond } = await ring.hops(0.5);
    const contest = await counted(team, () => contended(team, 'all', contentionOf(size)));
    const reacquired = await counted(team, () => team.ask(0, 'alone', { ...ALONE, name: 'all' }));
    // Measured last: some algorithms send messages for every lock that was ever used.
    const anew = await counted(team, () => team.ask(0, 'alone', ALONE));
    return { anew, reacquired, contest: { ...contest, ofRing: contest.changes / perSecond } };
  });

/** Each process has as many callers as there are permits, so most of them wait. */
export const measureSemaphore = (algorithm, size, permits) =>
  withGroup(size, { semaphores: [ruleFor(algorithm)] }, async (team) => {
    const how = { ...PERMITTED, permits, loops: permits };
    const contest = await counted(team, () => contended(team, 'all', how));
    const alone = { ...ALONE, permits };
    const reacquired = await counted(team, () => team.ask(0, 'alone', { ...alone, name: 'all' }));
    const anew = await counted(team, () => team.ask(0, 'alone', alone));
    return { anew, reacquired, contest };
  });
