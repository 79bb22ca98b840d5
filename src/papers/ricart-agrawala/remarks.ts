/** The decision table of section 2.2, the assertions of section 3, and the remarks of sections 6.5 and 7. */
import type { Experiment } from '../experiment.ts';
import type { Instruments } from '../instruments.ts';
import { atLeast, exactly, same } from '../judge.ts';
import { isProved } from '../report.ts';
import { Walk } from '../walk.ts';

const delay = 'constant:5';
const ra = (nodes: number, ...options: string[]) => ({
  ...{ algorithm: 'ricart-agrawala', nodes, options },
});

/** A node that has numbered its request, and the REQUEST that reaches it; what it sends in return. */
function decide(
  using: Instruments,
  requesting: boolean,
  theirs: '<' | '>' | '=',
  low: boolean,
): string {
  const walk = new Walk(using.algorithm('ricart-agrawala'), using.world(ra(3)));
  const [me, other] = low ? [2, 1] : [1, 2];
  /** Node 3 asks, so that a node that hears of it takes a higher number next. */
  const raise = (site: number) => [walk.request(3), walk.deliver('REQUEST', 3, site)];
  if (theirs === '<') raise(me);
  if (theirs === '>') raise(other);
  if (requesting) walk.request(me);
  walk.request(other);
  return walk.deliver('REQUEST', other, me) === `REPLY to ${other}` ? 'REPLY' : 'defer';
}

export const remarks: Experiment = {
  id: 'ricart-agrawala/remarks',
  paper: 'ricart-agrawala',
  measure: (using) => {
    const script = (nodes: number, options: readonly string[], text: string, faults?: string) =>
      using.watch(ra(nodes, ...options), {
        ...{ delay, workload: 'script', script: text },
        ...(faults && { faults }),
      });
    const table = [
      decide(using, false, '=', true),
      decide(using, true, '<', true),
      decide(using, true, '>', false),
      decide(using, true, '=', true),
      decide(using, true, '=', false),
    ];
    const walked = [{ how: 'ricart-agrawala, 3 sites, the conditions of each rule', seeds: [] }];
    const assertions = using.check(ra(3), {
      entries: using.pick([2, 1, 1], [2, 2, 2]),
      links: 'any',
    });
    const proved = (property: string) => {
      const found = assertions.properties.find(({ name }) => name === property);
      return same('proved', found?.verdict ?? 'not judged');
    };
    // Site 2 takes the number 3; site 0, which asks five times, takes 1, 2, 3, 4, 5 if it may.
    const five = ['0 request 2', ...Array(5).fill('1 request 0')].join('\n');
    const [patient, plain] = [['delay-acting'], ['increment=priority']].map((options) =>
      script(3, options, five),
    ) as [ReturnType<typeof script>, ReturnType<typeof script>];
    const delaying = using.check(ra(3, 'delay-acting'), { entries: [2, 1, 1] });
    const named = script(3, ['names'], '0 request 0\n0 request 1\n0 request 2');
    const names = using.check(ra(3, 'names'), { entries: [2, 1, 1] });
    const joined = ['membership', 'join-broadcast'].map((option) =>
      script(5, [option], '0 request 4'),
    );
    const broadcast = using.check(ra(3, 'join-broadcast'), { entries: [1, 1, 1] });
    const sponsor = using.check(ra(3, 'sponsor'), { entries: using.pick([0, 1, 1], [1, 1, 1]) });
    const inARow = script(
      6,
      ['restart-timer'],
      '0 request 0 stay 80\n0 request 1 stay 80\n0 request 2 stay 80',
    );
    const dead = '[{ "at": 0, "crash": 1 }]';
    const found = ['membership', 'restart-timer'].map((o) => script(6, [o], '1 request 0', dead));
    const restarted = using.check(ra(2, 'restart-timer'), { entries: 1, crashes: 1 });
    const long = script(2, ['membership'], '0 request 0 stay 3000\n10 request 1');
    const struck = script(
      3,
      ['membership'],
      '0 request 0\n1000 request 1\n2000 request 0',
      '[{ "until": 900, "lose": 1 }]',
    );
    const sent = ({ result }: typeof long, type: string) => result.byType[type] ?? 0;
    return {
      claims: [
        {
          ...{ id: 'decision-table', where: 'section 2.2', from: walked },
          claim:
            'Rules 1, 2 and 4 of the table send a REPLY back; rules 3 and 5 defer the REQUEST.',
          judged: same('REPLY, REPLY, defer, REPLY, defer', table.join(', ')),
        },
        {
          ...{ id: 'exclusion', where: 'section 3.1', from: [assertions] },
          claim: 'Mutual exclusion is achieved.',
          judged: proved('mutual-exclusion'),
        },
        {
          ...{ id: 'deadlock', where: 'section 3.2', from: [assertions] },
          claim: 'Deadlock is impossible.',
          judged: proved('deadlock-freedom'),
        },
        {
          ...{ id: 'starvation', where: 'section 3.3', from: [assertions] },
          claim: 'Starvation is impossible.',
          judged: proved('starvation-freedom'),
        },
        {
          ...{ id: 'monopoly', where: 'section 6.5', from: [patient] },
          claim: 'A high priority node enters until its number is past that of a low priority one.',
          judged: same('0, 0, 0, 2, 0, 0', patient.order.join(', ')),
          note: 'Site 2 has the number 3, which ties with the third of site 0.',
        },
        {
          ...{ id: 'delay-acting', where: 'section 6.5', from: [patient, plain] },
          claim: 'To delay acting on low priority REQUESTs keeps one’s own numbers below theirs.',
          judged: exactly(
            'entries before the low priority node, with and without',
            [3, 1],
            [patient, plain].map(({ order }) => order.indexOf(2)),
          ),
        },
        {
          ...{ id: 'delay-acting-safe', where: 'section 6.5', from: [delaying] },
          claim: 'A node that delays acting on REQUESTs endangers nothing.',
          judged: isProved(delaying),
        },
        {
          ...{ id: 'names', where: 'section 7.1', from: [named] },
          claim: 'Where sites 0, 1, 2 have the names 3000, 2000, 1000, equal numbers go by these.',
          judged: same('2, 1, 0', named.order.join(', ')),
        },
        {
          ...{ id: 'names-safe', where: 'section 7.1', from: [names] },
          claim: 'Node numbers may come from a larger range than 1 to N.',
          judged: isProved(names),
        },
        {
          ...{ id: 'insertion-sponsor', where: 'section 7.2.2', from: [sponsor] },
          claim: 'A sponsor that invokes mutual exclusion can introduce a new node.',
          judged: isProved(sponsor),
        },
        {
          ...{ id: 'insertion-broadcast', where: 'section 7.2.2', from: [broadcast] },
          claim: 'A new node can have itself put on all lists by one broadcast.',
          judged: isProved(broadcast),
          note: 'It learns from the answers which nodes take part, and asks when all have come.',
        },
        {
          ...{ id: 'insertion-broadcast-messages', where: 'section 7.2.2', from: joined },
          claim: 'One broadcast takes the place of a message to each of the others.',
          judged: exactly(
            'JOINs, one by one and by broadcast, N = 5',
            [4, 1],
            joined.map((run) => sent(run, 'JOIN')),
          ),
        },
        {
          ...{ id: 'timer-restarted', where: 'section 7.4', from: [inARow] },
          claim:
            'A timer of one stay, restarted at each REPLY, suspects no node that is served in turn.',
          judged: exactly('probes, while three stay 80 each', 0, sent(inARow, 'ARE_YOU_THERE')),
        },
        {
          ...{ id: 'timer-detects', where: 'section 7.4', from: found },
          claim: 'The restarted timer need not be as long as the stays of all.',
          judged: exactly(
            'time until the others enter without a failed node, N = 6, set once and restarted',
            [620, 130],
            found.map(({ result }) => result.waitingTime.max),
          ),
        },
        {
          ...{ id: 'timer-safe', where: 'section 7.4', from: [restarted] },
          claim: 'A timer restarted at each REPLY lets nodes go on when one has failed.',
          judged: isProved(restarted),
        },
        {
          ...{ id: 'timer-no-limit', where: 'section 7.4', from: [long] },
          claim:
            'A stay longer than the time-out is answered with YES_I_AM_HERE, and not cut short.',
          judged: atLeast('YES_I_AM_HERE', 1, [sent(long, 'YES_I_AM_HERE')]),
          note: `A stay of 3,000: ${sent(long, 'YES_I_AM_HERE')} answers, ${sent(long, 'FAILED')} taken for failed.`,
        },
        {
          ...{ id: 'restart-yourself', where: 'section 7.4', from: [struck] },
          claim: 'A node that was taken for failed, and asks, is told to restart itself.',
          judged: atLeast('RESTART_YOURSELF', 1, [sent(struck, 'RESTART_YOURSELF')]),
        },
      ],
    };
  },
};
