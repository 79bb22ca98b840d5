/**
 * `npm run bench -- faults`, or `node bench/faults.js`: real faults on real stores, judged, and written to docs/faults.md.
 *
 *     node bench/faults.js [--engine postgres|etcd|nats|all] [--only kill,stop,...] [--skip ...] [--rounds 20] [--minutes 10] [--lease-ms 5000] [--dry]
 *
 * `--dry` prints the results and leaves docs/faults.md as it is. The exit code is 1 if a demand is not met.
 */
import { parseArgs } from 'node:util';
import { stoppedDaemon } from './faults/daemon.js';
import { rolling, scale } from './faults/fleet.js';
import { clocks, flapping, oneWay, partition } from './faults/links.js';
import { mixed } from './faults/mixed.js';
import { mutantExperiments } from './faults/mutants.js';
import { Network, noNetwork } from './faults/network.js';
import { addResults } from './faults/page.js';
import { kill, stop } from './faults/processes.js';
import { diskStall, failover, longOutage, restart, shortOutage } from './faults/store-faults.js';
import { STORES, startStore } from './faults/stores.js';

const experiments = [
  ...[kill, stop, partition, clocks, oneWay, flapping, shortOutage, longOutage, restart],
  ...[diskStall, failover, scale, rolling, stoppedDaemon('a Unix socket', 'daemon-unix')],
  ...[stoppedDaemon('TLS', 'daemon-tls'), mixed, ...mutantExperiments],
];
const ids = experiments.map(({ id }) => id);

const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== 'faults'),
  options: {
    engine: { type: 'string', default: 'all' },
    only: { type: 'string' },
    skip: { type: 'string', default: '' },
    rounds: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '10' },
    'lease-ms': { type: 'string', default: '5000' },
    dry: { type: 'boolean', default: false },
  },
});
const stores = values.engine === 'all' ? STORES : values.engine.split(',');
const only = values.only?.split(',') ?? ids;
for (const [flag, words, known] of [
  ['--engine', stores, STORES],
  ['--only', only, ids],
]) {
  const unknown = words.find((word) => !known.includes(word));
  if (unknown === undefined) continue;
  process.stderr.write(`${flag} takes ${known.join(', ')}, got "${unknown}"\n`);
  process.exit(2);
}

const say = (text) => process.stderr.write(`${text}\n`);
const absent = noNetwork();
if (absent !== null) say(`faults of links are left out: ${absent}`);
const network = absent === null ? new Network() : null;
const host = network?.host ?? '127.0.0.1';
const leaseMs = Number(values['lease-ms']);
const context = {
  ...{ leaseMs, rounds: Number(values.rounds), minutes: Number(values.minutes) },
  ...{ network, host, say, program: undefined },
};
const skipped = values.skip.split(',');
const isWanted = ({ id, only: of, needs, isPossible = () => true }, store) =>
  only.includes(id) &&
  isPossible() &&
  !skipped.includes(id) &&
  (of === undefined || of === store) &&
  (needs === undefined || network !== null);

let isWell = true;
for (const name of stores) {
  const store = await startStore(name, host);
  try {
    for (const experiment of experiments.filter((one) => isWanted(one, name))) {
      const { id, fault, demand } = experiment;
      say(`${name}: ${id}: ${fault} …`);
      const result = await experiment.run({ ...context, store });
      const row = { store: name, id, fault, demand: demand(context), leaseMs, ...result };
      isWell &&= result.good === result.rounds && result.wrong.length === 0;
      say(`${name}: ${id}: ${result.good} of ${result.rounds}: ${result.seen}`);
      for (const wrong of result.wrong.slice(0, 10)) say(`  wrong: ${wrong}`);
      const at = new Date().toISOString().slice(0, 10);
      if (!values.dry) addResults(experiments, [{ ...row, at }]);
    }
  } finally {
    network?.heal();
    store.thaw();
    await store.stop();
  }
}
network?.close();
process.exit(isWell ? 0 : 1);
