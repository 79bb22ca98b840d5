import type { CheckReport } from '../check/check.ts';
import type { AnyAlgorithm, AnyWorld } from '../core/algorithm.ts';
import { causesOf } from '../core/formats/slice.ts';
import type { Printed } from '../core/printed.ts';
import type { TraceHeader } from '../core/trace.ts';
import { diagram } from './diagram.ts';
import { number, styler, table } from './terminal.ts';
import { initialStates } from './trace-file.ts';

/** What a check found, as lines of text. */
export function asText(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  report: CheckReport,
  printed: Printed | undefined,
): string[] {
  const style = styler(process.stdout);
  const { verdict, states, transitions, depth, seconds, statesPerSecond } = report;
  const colour = { proved: 'green', violated: 'red', bounded: 'yellow' } as const;
  const times = report.entries.map((e) => (Number.isFinite(e) ? e : 'unbounded'));
  const entries = new Set(times).size === 1 ? `${times[0]} each` : times.join(',');
  const lines = [
    `${style('bold', algorithm.title)}${printed ? ` as printed (${printed.name}): ${printed.about}` : ''}`,
    `${world.n} sites, entries ${entries}${report.modes.includes('shared') ? ` (${report.modes.join(' or ')})` : ''}${report.downgrade ? ', writers may downgrade to reading' : ''}, ${report.links === 'any' ? 'links that may reorder' : 'ordered links'}`,
    '',
    `${style(['bold', colour[verdict]], verdict)}: ${meaning(report)}`,
    ...(report.reduction === 'rest' ? [REST] : []),
    `${number(states)} ${report.schedules ? 'distinct ' : ''}states, ${number(transitions)} transitions, depth ${depth}, ` +
      `${number(seconds)} s, ${number(statesPerSecond)} states/s, ${report.bytesPerState} bytes a state${report.threads > 1 ? `, ${report.threads} threads` : ''}`,
    '',
    table(
      ['property', 'verdict'],
      report.properties.map((p) => [p.name, style(colour[p.verdict], p.verdict)]),
    ),
  ];
  if (report.seed !== undefined) {
    const repeat = `--random 1 --seed ${report.seed}`;
    lines.push('', `one schedule found it: the same call with ${repeat} runs that one again`);
  }
  if (report.totalMessages) {
    lines.push(
      '',
      `messages in all, over all complete schedules: ${report.totalMessages.join(', ')}`,
    );
  }
  if (report.bypass) {
    const { max, bySite } = report.bypass;
    const header = ['site', ...Array.from({ length: max + 1 }, (_, i) => `after ${i}`)];
    const rows = bySite.map((counts, site) => [
      `${site}`,
      ...header.slice(1).map((_, i) => number(counts[i] ?? 0)),
    ]);
    lines.push(
      '',
      `at most ${max} others go in between a request and its entry; steps in:`,
      table(header, rows),
    );
  }
  return lines;
}

/** The counterexample as a picture, without the steps that have no part in it, and why it is one. */
export function drawing(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  { trace, violation }: CheckReport,
  header: TraceHeader,
  isWhole = false,
): string[] {
  const steps = isWhole ? trace! : causesOf({ header, steps: trace! });
  const leftOut = trace!.length - steps.length;
  const note = `${leftOut} of ${trace!.length} steps did not lead to it and are left out: --whole shows them`;
  const why = styler(process.stdout)('red', `${violation!.property}: ${violation!.why}`);
  return [
    ...['', diagram(steps, initialStates(algorithm, world)), ''],
    ...(leftOut > 0 ? [note, ''] : []),
    why,
  ];
}

const REST =
  'a large space, so sites at rest receive at once: each state stands for all that differ in that';

function meaning({ verdict, violation, schedules, limit, reduction }: CheckReport): string {
  if (verdict === 'proved') {
    const seen = reduction ? 'state, or one that stands for it,' : 'state';
    return `every reachable ${seen} was seen, and all is as claimed`;
  }
  if (verdict === 'violated') return `${violation!.property}: ${violation!.why}`;
  if (schedules !== undefined) return `${number(schedules)} random schedules found nothing wrong`;
  const wayOut = limit?.startsWith('memory') ? 'Lower --nodes' : 'Raise --max-states';
  return `${limit}; nothing wrong was found till then. ${wayOut}, lower --entries, or try --random`;
}
