/** Sections 4 and 6.1 to 6.3: messages, and what each modification saves. */
import type { Experiment } from '../experiment.ts';
import { atLeast, atMost, between, exactly } from '../judge.ts';
import { isProved } from '../report.ts';

const unit = { delay: 'constant:1', cs: 10 } as const;
const SIZES = [2, 5, 20, 50];
const N = 10;

export const messages: Experiment = {
  id: 'ricart-agrawala/messages',
  paper: 'ricart-agrawala',
  measure: (using) => {
    const ra = (nodes: number, ...options: string[]) => ({
      algorithm: 'ricart-agrawala',
      nodes,
      options,
    });
    const loads = (['once', 'saturated', 'poisson', 'solo'] as const).flatMap((workload) =>
      SIZES.map((n) =>
        using.runs(ra(n), { workload, delay: 'uniform:1,9', entries: 100 }, using.pick(2, 5)),
      ),
    );
    const lamport = SIZES.map((nodes) =>
      using.runs({ algorithm: 'lamport', nodes }, { delay: 'uniform:1,9', entries: 100 }, 3),
    );
    const alone = (...options: string[]) =>
      using.run(ra(N, ...options), { ...unit, workload: 'solo', entries: 50 });
    const busy = (...options: string[]) =>
      using.run(ra(N, ...options), { ...unit, workload: 'saturated', entries: 500 });
    const perEntry = (...trials: ReturnType<typeof alone>[]) =>
      trials.map(
        ({ results }) => results[0]!.steady?.messagesPerEntry ?? results[0]!.messagesPerEntry,
      );
    const together = using.run(
      { algorithm: 'lodha-kshemkalyani', nodes: N },
      { ...unit, workload: 'once' },
    );
    const apart = ['lamport', 'carvalho-roucairol', 'lodha-kshemkalyani'].map((algorithm) =>
      using.run({ algorithm, nodes: N }, { ...unit, workload: 'script', script: '0 request 1' }),
    );
    const implicit = [alone('implicit-reply'), busy('implicit-reply')];
    const broadcast = [alone('broadcast'), busy('broadcast')];
    const single = alone('broadcast', 'implicit-reply');
    const sequenced = [alone('broadcast-sequenced'), busy('broadcast-sequenced')];
    const replies = [alone('broadcast-replies'), busy('broadcast-replies')];
    const ring = [alone('ring'), busy('ring')];
    const marked = [alone('ring-marked'), busy('ring-marked')];
    const rare = using.run(ra(N, 'ring-marked'), { ...unit, rate: 0.001, entries: 1000 });
    const markedAsPrinted = using.checkPrinted('ricart-agrawala', 'ring-marked');
    const added = using.checkCharitably('ricart-agrawala', 'ring-marked');
    // Site 3 is inside when the REQUEST of site 2 comes by, the first stop of five.
    const held = ['ring', 'ring-marked'].map((option) =>
      using.run(ra(5, option), { ...unit, workload: 'script', script: '0 request 3\n6 request 2' }),
    );
    return {
      claims: [
        {
          ...{ id: 'messages', where: 'abstract, section 4', from: loads },
          claim: 'An entry takes 2(N−1) messages, whatever the load.',
          judged: exactly(
            '2(N−1) for N = 2, 5, 20, 50, mean of four loads',
            SIZES.map((n) => 2 * (n - 1)),
            SIZES.map((_, size) => {
              const own = loads.filter((_, i) => i % SIZES.length === size);
              const sum = own.reduce(
                (all, runs) => all + runs.of((r) => r.messagesPerEntry).mean,
                0,
              );
              return sum / own.length;
            }),
          ),
        },
        {
          ...{ id: 'lamport', where: 'section 1', from: lamport },
          claim: 'Lamport’s algorithm takes approximately 3(N−1).',
          judged: exactly(
            '3(N−1)',
            SIZES.map((n) => 3 * (n - 1)),
            lamport.map((runs) => runs.of((r) => r.messagesPerEntry).mean),
          ),
        },
        {
          ...{ id: 'optimal', where: 'abstract, sections 4.1 and 8', from: [together, ...apart] },
          claim: 'No parallel, symmetric, distributed algorithm takes fewer than 2(N−1) messages.',
          judged: atLeast(
            '2(N−1), Lodha and Kshemkalyani’s, all at once',
            2 * (N - 1),
            perEntry(together),
          ),
          only: {
            condition: 'for a request that is alone, and where no permission is kept',
            judged: atLeast(
              '2(N−1), the first request in Lamport’s, Carvalho and Roucairol’s, Lodha and Kshemkalyani’s',
              2 * (N - 1),
              perEntry(...apart),
            ),
          },
          because:
            'A REQUEST can also be the answer to another one that it crosses: found 19 years later.',
        },
        {
          ...{ id: 'implicit-reply', where: 'section 6.1', from: implicit },
          claim: 'With implicit replies, N−1 to 3(N−1) messages.',
          judged: between('N−1 to 3(N−1)', [N - 1, 3 * (N - 1)], perEntry(...implicit), true),
          note: 'Alone, and when all ask all the time.',
        },
        {
          ...{ id: 'broadcast', where: 'section 6.2', from: broadcast },
          claim: 'With a broadcast REQUEST, N messages.',
          judged: exactly('N, alone and saturated', [N, N], perEntry(...broadcast)),
        },
        {
          ...{ id: 'broadcast-implicit', where: 'section 6.2', from: [single] },
          claim: 'With a broadcast and implicit replies the count can be as low as one.',
          judged: exactly('', 1, perEntry(single)),
        },
        {
          ...{ id: 'broadcast-sequenced', where: 'section 6.2.1', from: sequenced },
          claim:
            'If the medium puts broadcasts in order, only two messages per entry are required.',
          judged: exactly('2, alone and saturated', [2, 2], perEntry(...sequenced)),
        },
        {
          ...{ id: 'broadcast-replies', where: 'section 6.2.2', from: replies },
          claim:
            'Broadcasting the REPLYs after a critical section saves more the greater the contention.',
          judged: atMost('saturated / alone', 1, [
            perEntry(...replies)[1]! / perEntry(...replies)[0]!,
          ]),
        },
        {
          ...{ id: 'ring', where: 'sections 4.2 and 6.3', from: ring },
          claim:
            'Passed round a ring, a request takes N messages, the minimum of a serial algorithm.',
          judged: exactly('N, alone and saturated', [N, N], perEntry(...ring)),
        },
        {
          ...{ id: 'ring-marked', where: 'section 6.3', from: [rare, ...marked] },
          claim: 'Marking deferrals on the way comes close to N messages.',
          judged: atMost('1.5 N', 1.5 * N, perEntry(rare, ...marked)),
          only: {
            condition: 'where few ask at a time',
            judged: atMost('1.5 N', 1.5 * N, perEntry(rare, marked[0]!)),
          },
          because:
            'When all ask all the time, each node defers each other, and each mark is a REPLY: 2N−1.',
        },
        {
          ...{ id: 'ring-marked-delay', where: 'section 6.3', from: held },
          claim: 'Marks eliminate the cumulative delays at each stop.',
          judged: exactly(
            'hops from an exit to the next entry, held and marked',
            [4, 1],
            held.map(({ results }) => results[0]!.synchronizationDelay.max),
          ),
        },
        {
          ...{
            id: 'ring-marked-as-printed',
            where: 'section 6.3',
            from: [markedAsPrinted, added],
          },
          claim: 'The count of replies is set when the marked REQUEST is back.',
          judged: isProved(markedAsPrinted),
          only: {
            condition: 'if to set the count is to add the marks to it',
            judged: isProved(added),
          },
          because: `A REPLY may be there before it: ${markedAsPrinted.depth} steps to a deadlock.`,
        },
      ],
    };
  },
};
