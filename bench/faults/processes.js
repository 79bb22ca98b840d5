/** Faults of processes: the holder is killed, or stopped for longer than its lease. */
import { clock, inRounds, least, median, most, seconds, sleep, until } from './rounds.js';

/** Somewhere between two beats of the lease. */
const anyPhase = (leaseMs) => sleep(Math.random() * (leaseMs / 5));

export const kill = {
  id: 'kill',
  fault: 'the holder is killed (SIGKILL)',
  demand: ({ leaseMs }) => `the next grant within ${seconds(leaseMs + 1000)}, with a higher fence`,
  async run(context) {
    const { leaseMs, rounds } = context;
    const { results, wrong } = await inRounds(context, { rounds }, async (round) => {
      const { team, members, number, start } = round;
      const [holder, waiter] = [members[number % 3], members[(number + 1) % 3]];
      const fence = await holder.acquire('x');
      const waiting = waiter.acquire('x');
      await anyPhase(leaseMs);
      const at = clock();
      await holder.kill();
      const next = await waiting;
      const takesMs = team.judge.hold('x', next).from - at;
      await waiter.ask({ type: 'release', lock: 'x' });
      await start(holder.self);
      return { takesMs, isHigher: next > fence };
    });
    const times = results.map(({ takesMs }) => takesMs);
    const good = results.filter((one) => one.isHigher && one.takesMs <= leaseMs + 1000).length;
    const seen = `next grant after ${seconds(median(times))} (median), ${seconds(least(times))} to ${seconds(most(times))}`;
    return { rounds, good, seen, wrong };
  },
};

export const stop = {
  id: 'stop',
  fault: 'the holder is stopped (SIGSTOP) until another member has the lock, and goes on',
  demand: () => 'no grant at the resumed member, `lost` fires, its late write is refused',
  async run(context) {
    const { leaseMs, rounds } = context;
    const { results, wrong } = await inRounds(context, { rounds }, async (round) => {
      const { team, members, number } = round;
      const [holder, waiter] = [members[number % 3], members[(number + 1) % 3]];
      const fence = await holder.acquire('x');
      const waiting = waiter.acquire('x');
      await anyPhase(leaseMs);
      const at = clock();
      holder.signal('SIGSTOP');
      const next = await waiting;
      const takesMs = team.judge.hold('x', next).from - at;
      const isWritten = await waiter.ask({ type: 'write', lock: 'x' });
      // Ordered while it stands still: these are the first things that it does.
      const late = holder.ask({ type: 'write', lock: 'x' });
      const reacquired = holder.acquire('x');
      let isGranted = false;
      reacquired.then(
        () => {
          isGranted = true;
        },
        () => {},
      );
      holder.signal('SIGCONT');
      const isRefused = !(await late);
      const isLost = () => team.judge.hold('x', fence)?.lostAt ?? null;
      await until(() => isLost() !== null, leaseMs, '`lost` after a stop');
      await sleep(leaseMs / 10);
      const isExcluded = !isGranted;
      await waiter.ask({ type: 'release', lock: 'x' });
      const last = await reacquired;
      await holder.ask({ type: 'release', lock: 'x' });
      const isHigher = next > fence && last > next;
      return { takesMs, isGood: isWritten && isRefused && isExcluded && isHigher };
    });
    const good = results.filter(({ isGood }) => isGood).length;
    const times = results.map(({ takesMs }) => takesMs);
    const seen = `next grant after ${seconds(median(times))} (median), at most ${seconds(most(times))}; all late writes refused: ${good === rounds ? 'yes' : 'no'}`;
    return { rounds, good, seen, wrong };
  },
};
