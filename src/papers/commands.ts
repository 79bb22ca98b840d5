/** The command line that repeats a run. There is none for what needs a file that only the run makes. */
import type { CheckSettings } from '../check/check.ts';
import type { AnyAlgorithm } from '../core/algorithm.ts';
import type { Settings } from '../sim/settings.ts';
import { hasQuorums } from '../topologies/quorum-kinds.ts';
import type { Subject } from './subject.ts';

/** `count` runs with the seeds from the first on. A script, or faults, come on the standard input. */
export function simulateCommand(
  algorithm: AnyAlgorithm,
  subject: Subject,
  settings: Settings,
  count = 1,
): string | undefined {
  const {
    workload,
    rate,
    entries,
    until,
    delay,
    cs,
    links,
    readers,
    script,
    faults,
    seed = 1,
  } = settings;
  // One --seed draws the topology and begins the runs.
  const otherSeed = subject.seed !== undefined && subject.seed !== seed;
  if (subject.file !== undefined || otherSeed) return undefined;
  if (script !== undefined && faults !== undefined) return undefined;
  const piped = script ?? faults;
  const call = words(
    ['latchkey simulate', subject.algorithm, ...worldFlags(algorithm, subject)],
    ['--workload', script === undefined ? workload : 'script:/dev/stdin'],
    ['--rate', rate],
    ['--entries', entries],
    ['--until', until],
    ['--delay', delay],
    ['--cs', cs],
    ['--links', links],
    ['--readers', readers],
    ['--faults', faults === undefined ? undefined : '/dev/stdin'],
    ['--seed', seed === 1 ? undefined : seed],
    ['--replications', count === 1 ? undefined : count],
  );
  if (piped === undefined) return call;
  return `printf '${piped.replaceAll('%', '%%').replaceAll('\n', '\\n')}' | ${call}`;
}

export function checkCommand(
  algorithm: AnyAlgorithm,
  subject: Subject,
  settings: CheckSettings,
): string | undefined {
  if (subject.file !== undefined || subject.seed !== undefined) return undefined;
  const { entries, links, modes, crashes, losses, duplications, maxStates, random } = settings;
  const each =
    entries === undefined
      ? undefined
      : [entries].flat().map((e) => (Number.isFinite(e) ? e : 'unbounded'));
  const flags = [
    ...(settings.downgrade ? ['--downgrade'] : []),
    ...(settings.symmetry ? ['--symmetry'] : []),
    ...(settings.partialOrder ? ['--partial-order'] : []),
    ...(settings.reportMessages ? ['--report messages'] : []),
    ...(settings.reportBypass ? ['--report bypass'] : []),
  ];
  return words(
    ['latchkey check', subject.algorithm, ...worldFlags(algorithm, subject)],
    ['--entries', each?.join()],
    ['--links', links],
    ['--modes', modes?.join()],
    ['--crashes', crashes],
    ['--losses', losses],
    ['--duplications', duplications],
    ['--max-states', maxStates],
    ['--random', random?.schedules],
    ['--pct', random?.pct],
    ['--seed', random === undefined || random.seed === 1 ? undefined : random.seed],
    flags,
  );
}

function worldFlags(algorithm: AnyAlgorithm, subject: Subject): string[] {
  const { nodes, topology, options = [], k = 1 } = subject;
  return [
    `--nodes ${nodes}`,
    ...(topology === undefined
      ? []
      : [`--${hasQuorums(algorithm.topology) ? 'quorums' : 'topology'} ${topology}`]),
    ...options.map((option) => `--option ${option}`),
    ...(k > 1 ? [`--k ${k}`] : []),
  ];
}

type Word = string | number;
/** All in a line; a flag without a value is left out. */
const words = (
  first: readonly Word[],
  ...rest: readonly (readonly [Word, Word | undefined] | readonly string[])[]
): string =>
  [first, ...rest.filter((group) => group.every((word) => word !== undefined))].flat().join(' ');
