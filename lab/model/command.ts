/** What the page shows as a command of the shell: the same run, comparison, search or row. */
import { hasQuorums } from '../../src/topologies/quorum-kinds.ts';
import type { CheckSpec } from '../engine/protocol.ts';
import { FIRST_PAPER } from '../stories/first-choices.ts';
import { STORIES } from '../stories/stories.ts';
import { status as group } from './live.ts';
import { FIRST_SEARCH, PLAIN_SEARCH } from './search.ts';
import { FIRST, faultsOf, type RunSpec } from './spec.ts';
import { catalogue, compared, row, search, spec, story, type ViewName } from './state.ts';

/** Null where a view is nothing that the program does. */
export function commandOf(view: ViewName): string | null {
  switch (view) {
    case 'compare':
      return simulateCommand(spec.value, compared.value);
    case 'check':
      return checkCommand(search.value ?? FIRST_SEARCH);
    case 'papers':
      return `latchkey papers ${row.value === '' ? FIRST_PAPER : row.value}`;
    case 'live':
      // Where no member serves the page, there is no group to name.
      return (
        group.value && `latchkey lab --live ${new URL('..', location.href).href.split('#')[0]}`
      );
    case 'learn': {
      const told = STORIES.find(({ id }) => id === story.value) ?? STORIES[0]!;
      if (told.search !== undefined) return checkCommand({ ...PLAIN_SEARCH, ...told.search });
      return simulateCommand({ ...FIRST, ...told.run });
    }
    case 'write':
      return null;
    default:
      // What a paper prints is checked on the command line, and not simulated.
      return spec.value.printed === '' ? simulateCommand(spec.value) : null;
  }
}

/** One run; or several algorithms on the same requests, each on its own structure and without variants. */
function simulateCommand(of: RunSpec, ids: readonly string[] = []): string {
  const isComparison = ids.length > 0;
  const isScript = of.workload === 'script';
  const faults = [...faultsOf(of), ...(isComparison ? [] : of.interventions)];
  const hasFaults = faults.length > 0;
  const flags = [
    `--nodes ${of.nodes}`,
    `--workload ${isScript ? `script:${hasFaults ? 'requests.txt' : '/dev/stdin'}` : of.workload}`,
    ...(of.workload === 'poisson' ? [`--rate ${of.rate}`] : []),
    ...(of.workload === 'poisson' && isComparison ? ['--same-requests'] : []),
    ...(!isScript && of.until === 0 ? [`--entries ${of.entries}`] : []),
    ...(of.until > 0 ? [`--until ${of.until}`] : []),
    ...[`--delay ${of.delay}`, `--cs ${of.cs}`, `--seed ${of.seed}`],
    ...(of.readers > 0 ? [`--readers ${of.readers}`] : []),
    ...(isComparison ? [] : ownFlags(of)),
  ];
  const names = isComparison ? ids.join(' ') : of.algorithm;
  const command = `latchkey simulate ${names} ${flags.join(' ')}`;
  const script = `printf ${quoted(forPrintf(of.script))}`;
  if (!hasFaults) return isScript ? `${script} | ${command}` : command;
  const file = isScript ? `${script} > requests.txt; ` : '';
  return `${file}echo ${quoted(JSON.stringify(faults))} | ${command} --faults /dev/stdin`;
}

const ownFlags = (of: RunSpec): string[] => [
  ...structureFlags(of),
  ...(of.links === '' ? [] : [`--links ${of.links}`]),
  ...(of.k > 1 ? [`--k ${of.k}`] : []),
];

function checkCommand(of: CheckSpec): string {
  const flags = [
    ...(of.printed === '' ? [] : [`--as-printed ${of.printed}`]),
    ...[`--nodes ${of.nodes}`, `--entries ${of.entries.join(',')}`],
    ...(of.links === '' ? [] : [`--links ${of.links}`]),
    ...structureFlags(of),
    ...(of.crashes > 0 ? [`--crashes ${of.crashes}`] : []),
    ...(of.losses > 0 ? [`--losses ${of.losses}`] : []),
  ];
  return `latchkey check ${of.algorithm} ${flags.join(' ')}`;
}

/** Quorums have a flag of their own. */
function structureFlags(of: Pick<RunSpec, 'algorithm' | 'topology' | 'options'>): string[] {
  const kind = catalogue.value.find(({ id }) => id === of.algorithm)?.kind ?? '';
  const flag = hasQuorums(kind as Parameters<typeof hasQuorums>[0]) ? 'quorums' : 'topology';
  return [
    ...(of.topology === '' ? [] : [`--${flag} ${of.topology}`]),
    ...of.options.map((option) => `--option ${option}`),
  ];
}

/** One line, in which `printf` finds nothing of its own. */
const forPrintf = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\n', '\\n');

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
