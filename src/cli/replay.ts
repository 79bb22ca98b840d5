import { Command } from 'commander';
import { type Replayed, replay as rerun } from '../check/replay.ts';
import { UsageError } from '../core/errors.ts';
import type { Trace } from '../core/formats/native.ts';
import { causesOf } from '../core/formats/slice.ts';
import { happening, story, subject } from '../core/formats/words.ts';
import type { TraceStep } from '../core/trace.ts';
import { diagram } from './diagram.ts';
import type { ExitCode } from './main.ts';
import { number, styler } from './terminal.ts';
import { initialStates, readTrace, worldOf } from './trace-file.ts';

interface Flags {
  readonly step?: true;
  readonly slice?: true;
  readonly openFiles?: true;
  readonly json?: true;
}

/** A longer diagram is hard to read, and other tools show it better. */
const MOST_DRAWN = 2_000;

export function replay(answer: (code: ExitCode) => void): Command {
  return new Command('replay')
    .description('run a trace again, and see whether it still goes as it is written')
    .argument('<trace>', 'a file that simulate or check wrote, as JSON Lines')
    .option('--step', 'one step at a time: Enter goes on, b back, q quits')
    .option('--slice', 'draw only the steps that led to what went wrong')
    .option('--open-files', 'open the file of a topology that the trace names')
    .option('--json', 'print one JSON value')
    .action(async (path: string, flags: Flags) => {
      const trace = readTrace('replay', path);
      const { algorithm, world } = worldOf(trace.header, flags.openFiles === true);
      if (flags.step) refuseSteps(trace, flags);
      const replayed = rerun(algorithm, world, trace);
      const title = `${subject(trace.header)}: ${number(trace.steps.length)} steps of ${trace.header.source}`;
      const end = verdict(trace, replayed);
      const shown = flags.slice ? sliced(trace, replayed) : trace;
      const left = trace.steps.length - shown.steps.length;
      const note = left > 0 ? `\n${number(left)} steps did not lead to it and are left out\n` : '';
      if (flags.json) {
        process.stdout.write(`${JSON.stringify(asData(trace, replayed))}\n`);
      } else if (flags.step) {
        const lines = drawn(shown, replayed, initialStates(algorithm, world));
        await stepThrough(title, lines, shown.steps, end);
      } else if (shown.steps.length > MOST_DRAWN) {
        const rather = `more than ${number(MOST_DRAWN)} steps are not drawn: latchkey convert ${path} --format chrome`;
        process.stdout.write(`${title}\n\n${rather}\n\n${end}\n`);
      } else {
        const lines = drawn(shown, replayed, initialStates(algorithm, world));
        process.stdout.write(`${title}\n\n${lines.join('\n')}\n${note}\n${end}\n`);
      }
      answer(isWell(replayed) ? 0 : 1);
    });
}

/** The steps that led to the first thing that went wrong. */
function sliced({ header, steps }: Trace, { found, divergence }: Replayed): Trace {
  if (found === null || divergence !== null) return { header, steps };
  const upToIt = { header: { ...header, violation: found }, steps: steps.slice(0, found.step) };
  return { header, steps: causesOf(upToIt) };
}

function refuseSteps({ steps }: Trace, { json }: Flags): void {
  if (json || !process.stdin.isTTY || !process.stdout.isTTY) {
    throw new UsageError('--step is for a terminal: leave it out, and --json too if it is there');
  }
  if (steps.length > MOST_DRAWN) {
    throw new UsageError(
      `--step shows at most ${MOST_DRAWN} steps, and the trace has ${steps.length}: leave it out`,
    );
  }
}

const isWell = ({ divergence, confirmed }: Replayed): boolean =>
  divergence === null && confirmed !== false;

function asData({ header, steps }: Trace, replayed: Replayed) {
  const { algorithm, asPrinted = null, nodes, links, source, violation = null } = header;
  const { divergence, confirmed } = replayed;
  const well = confirmed === null ? 'replayed' : 'confirmed';
  const verdict = divergence ? 'diverged' : confirmed === false ? 'unconfirmed' : well;
  const of = { algorithm, asPrinted, nodes, links, source, length: steps.length, violation };
  return { ...of, verdict, ...replayed };
}

function verdict({ header, steps }: Trace, { divergence, found, confirmed }: Replayed): string {
  const style = styler(process.stdout);
  const red = (text: string): string => style('red', text);
  if (divergence) {
    const { step, field, expected, got } = divergence;
    const [then, now] = [expected, got].map((value) => JSON.stringify(value) ?? 'missing');
    return red(`diverges at step ${step}: ${field} is ${then} in the trace, and now ${now}`);
  }
  const all = `all ${number(steps.length)} steps go as they are written`;
  const { violation } = header;
  if (confirmed === false) {
    return red(`${all}, but at the end it is not so that ${violation!.property} is violated`);
  }
  const wrong = confirmed ? { ...violation!, step: steps.length } : found;
  if (!wrong) return all;
  return `${all}\n${red(`${wrong.property} at step ${wrong.step}: ${wrong.why}`)}`;
}

/** The diagram, a line for each step after the first, up to where it diverges. */
function drawn({ steps }: Trace, replayed: Replayed, initial: readonly unknown[]): string[] {
  const seen = steps.filter(({ step }) => step <= replayed.steps + (replayed.divergence ? 1 : 0));
  const states = [...initial];
  // Of a site that is down the simulator shows no state: then nothing is new of it.
  const sites = seen.flatMap((step): TraceStep[] => {
    if (step.site < 0) return [];
    states[step.site] = step.state ?? states[step.site];
    return [{ ...step, state: states[step.site] }];
  });
  const [lanes, ...rest] = diagram(sites, initial).split('\n');
  const line = (step: TraceStep): string =>
    step.site < 0 ? `${String(step.step).padStart(4)}  ~~ ${happening(step)} ~~` : rest.shift()!;
  return [lanes!, ...seen.map(line)];
}

const actsItself = ({ site, event }: TraceStep): boolean =>
  site >= 0 && event !== 'lose' && event !== 'duplicate';

/** Shows the diagram a step at a time, as the user presses keys. */
async function stepThrough(
  title: string,
  lines: readonly string[],
  steps: readonly TraceStep[],
  end: string,
): Promise<void> {
  const { stdin, stdout } = process;
  const last = lines.length - 1;
  const show = (at: number): void => {
    const { rows, columns } = stdout;
    const room = Math.max(1, (rows || 24) - 9);
    const visible = [lines[0]!, ...lines.slice(Math.max(1, at + 1 - room), at + 1)];
    const fitting = visible.map((line) => [...line].slice(0, (columns || 80) - 1).join(''));
    const step = steps[at - 1];
    // In full, as the line in the diagram may not be.
    const actor = step && actsItself(step) ? `site ${step.site}` : 'the network';
    const said = step
      ? [`step ${step.step} of ${steps.at(-1)!.step}: ${actor} ${story(step)}`]
      : [];
    const foot = [...said, ...(at === last ? [end] : [])];
    const keys = 'Enter or space: on   b: back   q: quit';
    // From the top left corner of an empty screen.
    stdout.write(`\u001b[H\u001b[2J${[title, '', ...fitting, '', ...foot, keys].join('\n')}\n`);
  };
  let at = Math.min(1, last);
  show(at);
  stdin.setRawMode(true);
  try {
    for await (const chunk of stdin) {
      for (const key of String(chunk)) {
        // What raw mode does not turn into a signal: Ctrl-C and Ctrl-D.
        if (key === 'q' || key === '\u0003' || key === '\u0004') return;
        if (key === 'b') at = Math.max(Math.min(1, last), at - 1);
        if (key === ' ' || key === '\r' || key === '\n') at = Math.min(last, at + 1);
      }
      show(at);
    }
  } finally {
    stdin.setRawMode(false);
  }
}
