/** An algorithm in its world, and runs of it, in words. */
import type { Settings } from '../sim/settings.ts';
import type { Choices } from '../topologies/world.ts';
import { counted, shown } from './text.ts';

export interface Subject extends Choices {
  readonly algorithm: string;
}

export function subjectInWords({
  algorithm,
  nodes,
  topology,
  options = [],
  k = 1,
}: Subject): string {
  return [
    [algorithm, ...options.map((option) => `+${option}`)].join(' '),
    counted(nodes, 'site'),
    ...(topology === undefined ? [] : [topology.replace(/^file:/, '')]),
    ...(k > 1 ? [`k = ${k}`] : []),
  ].join(', ');
}

export function runInWords(subject: Subject, settings: Settings): string {
  const { workload = 'poisson', rate, entries, delay = 'constant:5', cs = 10 } = settings;
  const { script, readers = 0, faults, links, until } = settings;
  return [
    subjectInWords(subject),
    script === undefined ? workload : `script "${script.replaceAll('\n', '; ')}"`,
    ...(workload === 'poisson' ? [`rate ${shown(rate ?? 0.01)}`] : []),
    ...(entries === undefined ? [] : [`${shown(entries)} entries`]),
    ...(until === undefined ? [] : [`${shown(until)} time units, nothing drained`]),
    `delay ${delay}`,
    `${shown(cs)} inside`,
    ...(links === undefined ? [] : [`${links} links`]),
    ...(readers > 0 ? [`readers ${readers}`] : []),
    ...(faults === undefined ? [] : [`faults ${faults}`]),
  ].join(', ');
}
