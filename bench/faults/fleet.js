/** Members that come and go under load. Nothing may be granted twice, and no request may fail. */
import { Team } from '../../dist/soak/team.js';
import { clock, seconds, until } from './rounds.js';

const LOAD = { locks: ['x', 'y'], callers: 1, holdMs: 1, thinkMs: 10 };
const MOST = 20;
const TOGETHER_MS = 120_000;

async function withTeam({ store, leaseMs, program }, group, run) {
  const name = `faults ${process.pid} ${group}`;
  const team = new Team({ engine: store.url, leaseMs, group: name, program });
  const began = clock();
  try {
    const join = async (self) => {
      const member = await team.start(self);
      await member.ask({ type: 'load', load: LOAD });
      return member;
    };
    const hasEntered = (members, since) =>
      until(() => members.every(({ heldAt }) => heldAt > since), TOGETHER_MS, 'entries of all');
    await run({ team, join, hasEntered });
  } finally {
    await team.close();
  }
  const { losses } = team.judge;
  const wrong = [...team.judge.violations, ...team.failures];
  const seen = `${team.entries} entries in ${seconds(clock() - began)}, ${losses} lost, ${team.failures.length} failed`;
  return { rounds: 1, good: wrong.length === 0 && losses === 0 ? 1 : 0, seen, wrong };
}

export const scale = {
  id: 'scale',
  fault: `1 to ${MOST} to 1 members under load`,
  demand: () => 'nothing granted twice, no request failed',
  run: (context) =>
    withTeam(context, 'scale', async ({ team, join, hasEntered }) => {
      const members = [await join('m1')];
      for (let i = 2; i <= MOST; i++) members.push(await join(`m${i}`));
      await team.together(TOGETHER_MS);
      await hasEntered(members, clock());
      for (const member of members.slice(1)) await member.leave();
      await team.together(TOGETHER_MS);
      await hasEntered(members.slice(0, 1), clock());
    }),
};

export const rolling = {
  id: 'rolling',
  fault: 'a rolling restart of five members under load',
  demand: () => 'nothing granted twice, no request failed',
  run: (context) =>
    withTeam(context, 'rolling', async ({ team, join, hasEntered }) => {
      const names = ['m1', 'm2', 'm3', 'm4', 'm5'];
      await Promise.all(names.map(join));
      await team.together(TOGETHER_MS);
      for (const name of names) {
        await team.members.get(name).leave();
        await join(name);
        await team.together(TOGETHER_MS);
        await hasEntered([...team.members.values()], clock());
      }
    }),
};
