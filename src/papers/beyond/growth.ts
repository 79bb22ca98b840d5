/** What a lock and a semaphore cost in a growing group: our own algorithms, beside those they replaced as defaults. */
import type { Experiment } from '../experiment.ts';
import type { LineFigure } from '../figure.ts';
import type { Runs, Subject } from '../instruments.ts';
import { atMost } from '../judge.ts';

const SIZES = [3, 10, 30, 100, 300, 1000];
const setting = { delay: 'constant:5', cs: 10 } as const;
const PERMITS = 2;

const LOCK: Omit<Subject, 'nodes'> = { algorithm: 'directory-token' };
const SEMAPHORE: Omit<Subject, 'nodes'> = { algorithm: 'lending-coordinator', k: PERMITS };
/** The defaults before, and the algorithm whose cost grows most slowly besides. */
const OTHERS: readonly Omit<Subject, 'nodes'>[] = [
  { algorithm: 'lending-token' },
  { algorithm: 'naimi-trehel' },
  { algorithm: 'srimani-reddy', k: PERMITS },
];

const messages = (runs: Runs): number => runs.of((r) => r.messagesPerEntry).mean;
const steadily = (runs: Runs): number =>
  runs.of((r) => r.steady?.messagesPerEntry ?? r.messagesPerEntry).mean;

export const growth: Experiment = {
  id: 'beyond/growth',
  paper: 'beyond',
  long: true,
  measure: (using) => {
    const alone = (subject: Omit<Subject, 'nodes'>) =>
      SIZES.map((nodes) =>
        using.runs(
          { ...subject, nodes },
          { ...setting, workload: 'solo', entries: using.pick(100, 1000) },
          3,
        ),
      );
    const together = (subject: Omit<Subject, 'nodes'>) =>
      SIZES.map((nodes) =>
        using.run(
          { ...subject, nodes },
          { ...setting, workload: 'saturated', entries: using.pick(3, 5) * nodes },
        ),
      );
    const [lock, semaphore] = [alone(LOCK), alone(SEMAPHORE)];
    const [lockTogether, semaphoreTogether] = [together(LOCK), together(SEMAPHORE)];
    const others = OTHERS.map((subject) => ({ name: subject.algorithm, runs: alone(subject) }));
    const line = (name: string, runs: readonly Runs[], of = messages) => ({
      name,
      points: runs.map((r, i) => ({ x: SIZES[i]!, y: of(r) })),
    });
    const where = '3 to 1,000 nodes';
    return {
      claims: [
        {
          ...{ id: 'lock-alone', where, from: lock },
          claim: 'A lock that one node at a time wants takes at most three messages, at any N.',
          judged: atMost('directory-token, one asks at a time', 3, lock.map(messages)),
        },
        {
          ...{ id: 'lock-together', where, from: lockTogether },
          claim: 'A lock that all nodes want all the time takes one message an entry, at any N.',
          judged: atMost('directory-token, all ask all the time', 1, lockTogether.map(steadily)),
        },
        {
          ...{ id: 'semaphore-alone', where, from: semaphore },
          claim: 'A permit that one node at a time wants takes at most three messages, at any N.',
          judged: atMost('lending-coordinator, k = 2', 3, semaphore.map(messages)),
        },
        {
          ...{ id: 'semaphore-together', where, from: semaphoreTogether },
          claim:
            'A permit that all nodes want all the time takes at most three messages, at any N.',
          judged: atMost('lending-coordinator, k = 2', 3, semaphoreTogether.map(steadily)),
        },
      ],
      figures: [
        {
          ...{ id: 'growth', kind: 'lines', paper: 'beyond' },
          title: 'Messages per entry in a growing group',
          caption:
            'One node at a time asks, unless the line says that all ask all the time. The default for locks is ' +
            'directory-token, where it was lending-token; the default for semaphores (k = 2) is ' +
            'lending-coordinator, where it was srimani-reddy.',
          x: { label: 'nodes', scale: 'log' },
          y: { label: 'messages per entry', scale: 'log' },
          series: [
            line('directory-token', lock),
            line('directory-token, all ask', lockTogether, steadily),
            line('lending-coordinator', semaphore),
            line('lending-coordinator, all ask', semaphoreTogether, steadily),
            ...others.map(({ name, runs }) => line(name, runs)),
          ],
        },
      ] satisfies LineFigure[],
    };
  },
};
