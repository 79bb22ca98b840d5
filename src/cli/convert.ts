import { Command } from 'commander';
import { UsageError } from '../core/errors.ts';
import { convert as converted, type Format, findFormat, formats } from '../core/formats/formats.ts';
import type { Trace } from '../core/formats/native.ts';
import type { ExitCode } from './main.ts';
import { initialStates, readTrace, WholeFile, worldOf } from './trace-file.ts';

interface Flags {
  readonly format: Format;
  readonly out?: string;
  readonly openFiles?: true;
}

export function convert(answer: (code: ExitCode) => void): Command {
  return new Command('convert')
    .description('put a trace into a format that other tools read')
    .argument('<trace>', 'a file that simulate or check wrote, as JSON Lines')
    .requiredOption('--format <f>', formats.map(({ name }) => name).join(', '), findFormat)
    .option('--open-files', 'open the file of a topology that the trace names')
    .option('--out <file>', 'write it there (default: print it)')
    .addHelpText(
      'after',
      `\nFormats:\n${formats.map(({ name, about }) => `  ${name.padEnd(9)}${about}\n`).join('')}`,
    )
    .action(async (path: string, { format, out, openFiles }: Flags) => {
      const trace = readTrace('convert', path);
      const text = converted(
        format.name === 'itf' ? withInitialStates(trace, openFiles === true) : trace,
        format,
      );
      if (out === undefined) {
        await print(text);
      } else {
        const file = new WholeFile(out, '--out');
        file.write(text);
        file.finish();
      }
      answer(0);
    });
}

/** A trace does not say how its sites began, but its algorithm does, if it is one of ours. */
function withInitialStates(trace: Trace, mayOpenFiles: boolean): Trace {
  try {
    const { algorithm, world } = worldOf(trace.header, mayOpenFiles);
    return { ...trace, initial: initialStates(algorithm, world) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(
      `latchkey: ${error.message}; the state of a site is None until its first step\n`,
    );
    return trace;
  }
}

/** The reader of a pipe may stop reading, and a disk may be full: neither is worth a stack trace. */
async function print(text: string): Promise<void> {
  process.stdout.on('error', () => {});
  const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
    process.stdout.write(text, resolve);
  });
  if (!error || error.code === 'EPIPE') return;
  throw new UsageError(`convert cannot print: ${error.message}`, { cause: error });
}
