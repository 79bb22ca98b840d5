/** Our targets, as ratios within one run, and whether they are met. */
import { NAMES } from './memory.js';
import { write } from './numbers.js';

const SERVERS = [
  'redlock 5 on Redis',
  'Redis, BLPOP',
  'Redis, BLPOP, Unix socket',
  'Postgres advisory lock',
  'ZooKeeper',
  'etcd',
];

/** Rows of [what, wanted, measured, verdict]; a target without a measurement has no verdict. */
export function targets({ rows, idle }) {
  const [ours] = rows;
  const named = (name) => rows.find((row) => row.name === name);
  const times = (field, other) => (other === undefined ? undefined : ours[field] / other[field]);
  const served = rows.filter(({ name }) => SERVERS.includes(name));
  const conditions = ['awake', 'quiet'].filter((condition) => ours[condition] !== undefined);
  /** Our ratio to the best of the servers, which is the smallest ratio. */
  const timesBest = (condition) => {
    const ratios = served.map((row) => row[condition].ours);
    return ratios.length === 0 ? undefined : Math.min(...ratios);
  };
  const redis = served
    .filter(({ name }) => name.includes('Redis'))
    .toSorted((a, b) => b.atOnce - a.atOnce)[0];
  const atLeast = (what, least, value) => [
    what,
    `at least ${least}`,
    value === undefined ? 'not measured' : write(value),
    verdict(value, value >= least),
  ];
  const worst = Math.max(idle.user, idle.others);
  return [
    atLeast(
      'a lock again, alone: times redlock',
      50,
      times('perSecond', named('redlock 5 on Redis')),
    ),
    atLeast(
      'a lock again, alone: times navigator.locks',
      1,
      times('perSecond', named('navigator.locks of Node')),
    ),
    ...conditions.flatMap((condition) => {
      const what = `contended by 5, CPUs ${condition === 'awake' ? 'awake' : 'that may halt'}`;
      const { ofRing, jain } = ours[condition];
      return [
        atLeast(`${what}: of the hops of the ring`, 0.5, ofRing),
        atLeast(`${what}: times Redis, BLPOP`, 2, named('Redis, BLPOP')?.[condition].ours),
        atLeast(`${what}: times the best server`, 2, timesBest(condition)),
        atLeast(`${what}: Jain fairness`, 0.99, jain),
      ];
    }),
    atLeast('64 locks at once: times the best on Redis', 3, times('atOnce', redis)),
    [
      `${NAMES.toLocaleString('en-US')} idle names: bytes each`,
      'under 500',
      write(worst),
      verdict(worst, worst < 500),
    ],
  ];
}

function verdict(value, isSo) {
  if (value === undefined) return '';
  return isSo ? 'yes' : '**no**';
}
