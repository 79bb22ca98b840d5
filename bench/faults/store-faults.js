/** Faults of the store: it stands still, for short and for long; a disk stalls; a standby takes over. */
import { Team } from '../../dist/soak/team.js';
import { clock, inRounds, least, median, most, seconds, sleep, until } from './rounds.js';
import { stallDisk, startForwarder, startStandby, startStore } from './stores.js';

const SHORT_MS = 3000;
const LONG_MS = 15_000;
const STALL_MS = 12_000;
/** Between two outages the load is measured for so long. */
const CALM_MS = 6000;
const LOAD = { locks: ['x'], callers: 1, holdMs: 1, thinkMs: 0 };
/** What an undisturbed group gets in the same time. */
const KEPT = 0.95;
const OUTAGES = 5;

export const shortOutage = {
  id: 'store-3s',
  fault: 'all processes of the store are stopped for 3 s, under load',
  demand: () =>
    `throughput at least 95 % of undisturbed (median of ${OUTAGES} outages), no \`lost\``,
  async run(context) {
    const settings = { rounds: 1, parallel: 1, withinMs: 4 * OUTAGES * (SHORT_MS + CALM_MS) };
    const { results, wrong } = await inRounds(context, settings, async ({ team }) => {
      await team.loadAll(LOAD);
      await sleep(2000);
      const rate = async (ms) => {
        const [entries, at] = [team.entries, clock()];
        await sleep(ms);
        return ((team.entries - entries) * 1000) / (clock() - at);
      };
      const kept = [];
      let before = await rate(CALM_MS);
      for (let i = 0; i < OUTAGES; i++) {
        context.store.freeze();
        const during = await rate(SHORT_MS);
        context.store.thaw();
        const after = await rate(CALM_MS);
        kept.push({ part: during / ((before + after) / 2), during, losses: team.judge.losses });
        before = after;
      }
      return kept;
    });
    return { ...judgeOutages(results[0] ?? []), wrong };
  },
};

/**
 * Single outages are noisy on a machine of two cores: their median is the one thing that is judged.
 *
 * @param kept for each outage: the part of the undisturbed throughput, entries a second, and all losses until then
 */
export function judgeOutages(kept) {
  const losses = kept.at(-1)?.losses ?? 0;
  const part = median(kept.map((one) => one.part)) ?? 0;
  const each = kept.map((one) => `${Math.round(one.part * 100)} %`).join(', ');
  const seen = `${Math.round(part * 100)} % of undisturbed (median of ${each}), about ${Math.round(median(kept.map((one) => one.during)) ?? 0)} entries a second; ${losses} lost`;
  return { rounds: 1, good: part >= KEPT && losses === 0 ? 1 : 0, seen };
}

export const longOutage = {
  id: 'store-15s',
  fault: 'all processes of the store are stopped for 15 s',
  demand: ({ leaseMs }) =>
    `\`lost\` at every member, then grants at all within W + 2 s = ${seconds(leaseMs + 2000)}, without restarts`,
  async run(context) {
    const { store, leaseMs } = context;
    const rounds = 3;
    const { results, wrong } = await inRounds(context, { rounds, parallel: 1 }, async (round) => {
      const { team, members } = round;
      const fences = await Promise.all(members.map((one) => one.acquire(`of ${one.self}`)));
      const lost = () =>
        members.filter(({ self }, i) => team.judge.hold(`of ${self}`, fences[i]).lostAt !== null);
      store.freeze();
      await sleep(LONG_MS);
      const told = lost().length;
      store.thaw();
      const at = clock();
      await Promise.all(members.map((one) => one.acquire(`of ${one.self}`)));
      const takesMs = clock() - at;
      for (const one of members) await one.ask({ type: 'release', lock: `of ${one.self}` });
      return { told, takesMs, isGood: told === 3 && takesMs <= leaseMs + 2000 };
    });
    const times = results.map(({ takesMs }) => takesMs);
    const good = results.filter(({ isGood }) => isGood).length;
    const seen = `\`lost\` at ${results.map(({ told }) => told).join(', ')} of 3; grants at all ${seconds(median(times))} (median), at most ${seconds(most(times))} after it was back`;
    return { rounds, good, seen, wrong };
  },
};

/**
 * A right lasts for 0.8 W after its last renewal, which may be 0.1 W old when the store dies. That leaves 0.7 W, less the
 * time until the next try and a few round trips of servers that have just started.
 */
const UNNOTICED = 0.6;
const SHORTEST_AWAY_MS = 1000;
const LONGEST_AWAY_MS = 3000;

export const restart = {
  id: 'store-restart',
  fault: 'the store is killed (SIGKILL, all nodes) and started again after 1 s to 3 s, under load',
  demand: ({ leaseMs }) =>
    `no violation; no \`lost\` where the store serves again within 0.6 W = ${seconds(UNNOTICED * leaseMs)}`,
  async run(context) {
    const { rounds, leaseMs, store } = context;
    const { results, wrong } = await inRounds(context, { rounds, parallel: 1 }, async (round) => {
      const { team, members, number } = round;
      if (number === 0) await team.loadAll({ ...LOAD, thinkMs: 5 });
      // Each member holds a lock of its own all the time: without its lease it loses at least that.
      const ownOf = ({ self }) => `of ${self}`;
      await Promise.all(members.map((one) => one.acquire(ownOf(one))));
      const { losses } = team.judge;
      const part = rounds === 1 ? 0 : number / (rounds - 1);
      const awayMs = await store.restart(
        SHORTEST_AWAY_MS + part * (LONGEST_AWAY_MS - SHORTEST_AWAY_MS),
      );
      await sleep(leaseMs);
      const lost = team.judge.losses - losses;
      for (const one of members) {
        await one.ask({ type: 'release', lock: ownOf(one) }).catch(() => {});
      }
      return { losses: lost, awayMs };
    });
    const isShort = ({ awayMs }) => awayMs <= UNNOTICED * leaseMs;
    const good = results.filter((one) => one.losses === 0 || !isShort(one)).length;
    const [short, long] = [results.filter(isShort), results.filter((one) => !isShort(one))];
    const seen = `${restartsSeen(short)}; longer: ${restartsSeen(long)}`;
    return { rounds, good, seen, wrong };
  },
};

function restartsSeen(results) {
  if (results.length === 0) return 'none';
  const times = results.map(({ awayMs }) => awayMs);
  const lost = results.reduce((sum, { losses }) => sum + losses, 0);
  return `${results.length} restarts, away for ${seconds(least(times))} to ${seconds(most(times))}: ${lost} lost`;
}

export const diskStall = {
  id: 'disk',
  fault: 'each `fdatasync` of the etcd leader is stalled for 12 s (strace), under load',
  demand: () => 'no violation, no `lost`',
  only: 'etcd',
  async run(context) {
    const rounds = 3;
    const { results, wrong } = await inRounds(context, { rounds, parallel: 1 }, async (round) => {
      const { team, number } = round;
      if (number === 0) await team.loadAll({ ...LOAD, thinkMs: 5 });
      const [losses, entries] = [team.judge.losses, team.entries];
      const [leader] = await context.store.leaders();
      const end = stallDisk(leader.pid, STALL_MS);
      let isMoved = false;
      try {
        await sleep(STALL_MS);
        isMoved = (await context.store.leaders()).some((server) => server !== leader);
      } finally {
        await end();
      }
      const during = team.entries - entries;
      await sleep(context.leaseMs);
      return { losses: team.judge.losses - losses, during, isMoved };
    });
    const good = results.filter(({ losses, during }) => losses === 0 && during > 0).length;
    const seen = `${results.map(({ losses }) => losses).join(', ')} lost; ${results.map(({ during }) => during).join(', ')} entries during the stalls; etcd elected another leader in ${results.filter(({ isMoved }) => isMoved).length} of ${rounds}`;
    return { rounds, good, seen, wrong };
  },
};

/** A load balancer has the address of the primary. The primary is killed, and the standby is promoted behind it. */
export const failover = {
  id: 'failover',
  fault: 'the primary is killed, and an asynchronous standby is promoted at its address',
  demand: ({ leaseMs }) =>
    `no violation; \`lost\` at every member; grants within W + 2 s = ${seconds(leaseMs + 2000)} of the promotion`,
  only: 'postgres',
  async run({ leaseMs, host, program }) {
    const primary = await startStore('postgres', host);
    const standby = await startStandby(host, primary.url);
    const forwarder = await startForwarder(host, primary.port);
    const team = new Team({ engine: forwarder.url, leaseMs, group: 'failover', program });
    try {
      const members = await Promise.all(['a', 'b', 'c'].map((self) => team.start(self)));
      await team.together(4 * leaseMs);
      const fences = await Promise.all(members.map((one) => one.acquire(`of ${one.self}`)));
      await primary.servers[0].kill();
      standby.promote();
      forwarder.forwardTo(standby.port);
      const at = clock();
      const isLost = () =>
        members.every(({ self }, i) => team.judge.hold(`of ${self}`, fences[i]).lostAt !== null);
      const lostMs = (await until(isLost, 2 * leaseMs, '`lost` after a failover')) - at;
      const fencesAfter = await Promise.all(members.map((one) => one.acquire(`of ${one.self}`)));
      const takesMs = clock() - at;
      const isHigher = fencesAfter.every((fence, i) => fence > fences[i]);
      const isGood = isHigher && takesMs <= leaseMs + 2000;
      const seen = `\`lost\` everywhere ${seconds(lostMs)} after the promotion, grants at all after ${seconds(takesMs)}, fences higher`;
      const wrong = [...team.judge.violations, ...team.failures];
      return { rounds: 1, good: isGood ? 1 : 0, seen, wrong };
    } finally {
      await team.close();
      forwarder.close();
      await primary.stop();
      await standby.stop();
    }
  },
};
