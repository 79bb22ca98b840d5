/** All faults mixed, under load, for minutes: drawn at random, one after the other, and judged. */
import { Team } from '../../dist/soak/team.js';
import { clock, median, most, seconds, sleep, until } from './rounds.js';

const LOAD = { locks: ['x', 'y', 'z'], callers: 2, holdMs: 1, thinkMs: 20 };
const NAMES = ['a', 'b', 'c', 'd', 'e'];
/** After a fault all must be granted locks again within so many leases. */
const RECOVERY_LEASES = 4;

/** Each returns when its fault is over. `w` is the lease. */
const faults = {
  async kill({ member, start }) {
    await member.kill();
    await start(member.self);
  },
  async stop({ member, w }) {
    member.signal('SIGSTOP');
    await sleep(1.5 * w);
    member.signal('SIGCONT');
  },
  async pause({ member, w }) {
    member.signal('SIGSTOP');
    await sleep(0.9 * w * Math.random());
    member.signal('SIGCONT');
  },
  async leave({ member, start }) {
    await member.leave();
    await start(member.self);
  },
  async partition({ member, others, network, w }) {
    for (const other of [...others, 'store']) network.cutBoth(member.self, other);
    await sleep(2 * w * Math.random());
    network.heal();
  },
  async oneWay({ member, others, network, w }) {
    const other = [...others, 'store'][Math.floor(Math.random() * (others.length + 1))];
    const ends = [member.self, other];
    if (Math.random() < 0.5) ends.reverse();
    network.cut(...ends);
    await sleep(2 * w * Math.random());
    network.heal();
  },
  async flapping({ member, others, network }) {
    const other = [...others, 'store'][Math.floor(Math.random() * (others.length + 1))];
    for (let i = 0; i < 10; i++) {
      network.cutBoth(member.self, other);
      await sleep(50 + 500 * Math.random());
      network.heal();
      await sleep(50 + 500 * Math.random());
    }
  },
  async storeStops({ store, w }) {
    store.freeze();
    await sleep(3 * w * Math.random());
    store.thaw();
  },
  async storeRestarts({ store }) {
    await store.restart(500);
  },
};

export const mixed = {
  id: 'mixed',
  fault:
    'mixed faults under load, five members: kills, stops, pauses, restarts, partitions, cuts in one direction, flapping links, a store that stops or is killed',
  demand: () => 'no violation; all members hold locks again after each',
  needs: 'network',
  async run({ store, leaseMs, network, minutes, say, program }) {
    const group = `faults ${process.pid} mixed`;
    const team = new Team({ engine: store.url, leaseMs, group, program });
    const counts = {};
    const times = [];
    const stuck = [];
    const start = async (self) => {
      const member = await team.start(self, network.place(self));
      await member.ask({ type: 'load', load: LOAD });
    };
    const limitMs = RECOVERY_LEASES * leaseMs + 10_000;
    const recovered = async () => {
      const since = clock();
      const isOne = await team.together(limitMs);
      if (!isOne) throw new Error(`the members are in no common view within ${limitMs} ms`);
      const isBack = () => [...team.members.values()].every(({ heldAt }) => heldAt > since);
      return (await until(isBack, limitMs, 'grants at all members')) - since;
    };
    const began = clock();
    let doing = 'the members join';
    try {
      await Promise.all(NAMES.map(start));
      await recovered();
      while (clock() - began < minutes * 60_000) {
        const names = Object.keys(faults);
        const name = names[Math.floor(Math.random() * names.length)];
        const self = NAMES[Math.floor(Math.random() * NAMES.length)];
        doing = `${name} of ${self}`;
        say(
          `mixed, ${seconds(clock() - began)}: ${doing}, ${team.entries} entries, ${team.judge.violations.length} violations`,
        );
        const others = NAMES.filter((other) => other !== self);
        const member = team.members.get(self);
        await faults[name]({ member, others, network, store, w: leaseMs, start });
        times.push(await recovered());
        counts[name] = (counts[name] ?? 0) + 1;
        await sleep(leaseMs / 5);
      }
    } catch (error) {
      stuck.push(`after ${doing}: ${error.message}`);
    } finally {
      network.heal();
      store.thaw();
      await team.close();
    }
    const wrong = [...stuck, ...team.judge.violations, ...team.failures];
    const rounds = times.length + stuck.length;
    const kinds = Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
    const seen = `${seconds(clock() - began)}, ${kinds}; ${team.entries} entries, ${team.judge.losses} lost, ${team.register.refused} late writes refused; all hold locks again after ${seconds(median(times))} (median), at most ${seconds(most(times))}`;
    return { rounds, good: times.length, seen, wrong };
  },
};
