/** Sections 3 and 4: what holds in every state, and the vector that every action reduces. */
import type { NodeId } from '../../core/algorithm.ts';
import type { Experiment } from '../experiment.ts';
import { atMost, exactly, same } from '../judge.ts';
import { finding, isProved } from '../report.ts';
import { shown } from '../text.ts';
import { figure7 } from './cost.ts';
import { descent } from './vector.ts';

const FOR_EVER = Number.POSITIVE_INFINITY;

interface State {
  readonly holder: NodeId;
  readonly using: boolean;
  readonly queue: readonly NodeId[];
  readonly asked: boolean;
}
type Mail = readonly {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: { readonly type: string };
}[];

/** Whether a message of that type is on its way. */
const isUnderWay = (inFlight: Mail, type: string, from: NodeId, to: NodeId): boolean =>
  inFlight.some((m) => m.from === from && m.to === to && m.message.type === type);

/** Section 3.3, word for word; with `inTransit`, also while the PRIVILEGE that answers is on its way. */
const asked = (inTransit: boolean) => ({
  'ASKED is true when self is in the queue of HOLDER, or will be; and false otherwise': (global: {
    readonly sites: readonly State[];
    readonly inFlight: Mail;
  }) =>
    global.sites.every(({ asked, holder }, x) => {
      if (holder === x) return !asked;
      const isQueued = global.sites[holder]!.queue.includes(x);
      const { inFlight } = global;
      const isAnswered = inTransit && isUnderWay(inFlight, 'PRIVILEGE', holder, x);
      return asked === (isQueued || isUnderWay(inFlight, 'REQUEST', x, holder) || isAnswered);
    }),
});

/** How often the neighbour at the head of a queue is overtaken before it is served. */
function overtakings(
  steps: readonly { readonly site: NodeId; readonly state: unknown }[],
): number[] {
  const heads = new Map<NodeId, { head: NodeId; isFirst: boolean; overtaken: number }>();
  return steps.flatMap(({ site, state }) => {
    const { queue } = state as State;
    const known = heads.get(site);
    const head = queue.find((name) => name !== site);
    if (head === undefined) heads.delete(site);
    else if (known?.head !== head) {
      heads.set(site, { head, isFirst: queue[0] === head, overtaken: 0 });
    } else {
      const isOvertaken = known.isFirst && queue[0] === site;
      known.isFirst = queue[0] === head;
      if (isOvertaken) return [++known.overtaken];
    }
    return [];
  });
}

export const proofs: Experiment = {
  id: 'raymond/proofs',
  paper: 'raymond',
  measure: (using) => {
    const on = (nodes: number, topology: string, ...options: string[]) => ({
      ...{ algorithm: 'raymond', nodes, topology, options },
    });
    const states = using.check(on(4, 'star'), { entries: using.pick(1, 2), links: 'any' });
    const proved = (part: string) => {
      const found = states.properties.find(({ name }) => name.includes(part));
      return same('proved', found?.verdict ?? 'not judged');
    };
    const [literal, whole] = [false, true].map((inTransit) =>
      using.checkThat(on(3, 'line'), asked(inTransit), { entries: 2, links: 'any' }),
    ) as [ReturnType<typeof using.checkThat>, ReturnType<typeof using.checkThat>];
    const [plain, deferred] = [[], ['defer']].map((options) =>
      using.check(on(3, 'line', ...options), { entries: 2, links: 'any', reportMessages: true }),
    ) as [ReturnType<typeof using.check>, ReturnType<typeof using.check>];
    const totals = ({ totalMessages = [] }: typeof plain) => totalMessages.join(', ');
    const live = using.check(on(3, 'line'), { entries: FOR_EVER, links: 'any' });
    const descents = [
      descent(using, on(3, 'line'), [2, 2, 2]),
      descent(using, on(4, 'line'), [1, 1, 1, 1]),
      descent(using, on(4, 'star'), [1, 1, 1, 1]),
      ...(using.effort === 'full' ? [descent(using, on(5, 'binary'), [1, 1, 1, 1, 1])] : []),
    ];
    const sum = (of: (d: (typeof descents)[number]) => number) =>
      descents.reduce((all, d) => all + of(d), 0);
    const compared = sum((d) => d.compared);
    const greedy = using.watch(figure7('greedy'), {
      ...{ workload: 'saturated', entries: using.pick(1000, 10_000), delay: 'exponential:5' },
    });
    return {
      claims: [
        {
          ...{ id: 'holders', where: 'section 2', from: [states] },
          claim: 'In every state the HOLDERs lead from each node to the privileged one.',
          judged: proved('HOLDERs lead'),
        },
        {
          ...{ id: 'using', where: 'section 3.1', from: [states] },
          claim: 'A node that is using the privilege holds it.',
          judged: proved('USING implies'),
        },
        {
          ...{ id: 'queue-once', where: 'section 3.1', from: [states] },
          claim: 'No name is twice in a REQUEST_Q.',
          judged: proved('at most once'),
        },
        {
          ...{ id: 'asked', where: 'section 3.3', from: [literal, whole] },
          claim:
            'ASKED is true when self is in the REQUEST_Q of HOLDER, or will be when the REQUEST arrives, and false otherwise.',
          judged: isProved(literal),
          only: {
            condition: 'if it may also be true while the PRIVILEGE that answers is on its way',
            judged: isProved(whole),
          },
          because:
            `After ${literal.depth} steps: HOLDER takes the name out of its queue when it sends the ` +
            'PRIVILEGE, and ASKED stays true until that arrives.',
        },
        {
          ...{ id: 'overtaking-deferred', where: 'section 3.5', from: [plain, deferred] },
          claim: 'To defer an overtaking REQUEST is possible, and not necessary.',
          judged: isProved(plain, deferred),
        },
        {
          ...{ id: 'overtaking-deferred-messages', where: 'section 3.5', from: [plain, deferred] },
          claim: 'Deferred or not, an overtaking REQUEST leads to the same numbers of messages.',
          judged: same(
            `in all, over every schedule: ${totals(plain)}`,
            `in all, over every schedule: ${totals(deferred)}`,
          ),
        },
        {
          ...{ id: 'one-privilege', where: 'section 4.1', from: [states] },
          claim: 'There is one privileged node, or none while the PRIVILEGE is in transit.',
          judged: proved('token-uniqueness'),
        },
        {
          ...{ id: 'deadlock', where: 'section 4.2', from: [states] },
          claim: 'The algorithm is deadlock-free.',
          judged: proved('deadlock-freedom'),
        },
        {
          ...{ id: 'vector-decreases', where: 'section 4.3', from: descents },
          claim:
            'Every action of the privileged node makes the vector of each waiting node smaller.',
          judged: exactly(
            'actions that do not',
            0,
            sum((d) => d.unreduced),
          ),
          note: `${shown(compared)} pairs of an action and a waiting node, in every schedule.`,
        },
        {
          ...{ id: 'vector-increases-never', where: 'section 4.3', from: descents },
          claim: 'No step of any node makes the vector of a waiting node larger.',
          judged: exactly(
            'steps that do',
            0,
            sum((d) => d.increased),
          ),
        },
        {
          ...{ id: 'starvation', where: 'section 4.3', from: [live] },
          claim: 'A node that asks is served, however often the others ask.',
          judged: isProved(live),
          note: `Any number of entries: ${finding(live)}, ${shown(live.states)} states.`,
        },
        {
          ...{ id: 'greedy-overtaken', where: 'section 6.2', from: [greedy] },
          claim: 'A neighbour at the head of a queue is overtaken by self at most once.',
          judged: atMost('times', 1, overtakings(greedy.steps)),
        },
      ],
    };
  },
};
