/** The program: what it can do, and how it says no. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { UsageError } from '../core/errors.ts';
import { algorithms } from './algorithms.ts';
import { check } from './check.ts';
import { convert } from './convert.ts';
import { replay } from './replay.ts';
import { simulate } from './simulate.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** Done, the answer is no, the call was wrong. */
export type ExitCode = 0 | 1 | 2;

export async function run(argv: readonly string[]): Promise<ExitCode> {
  let answer: ExitCode = 0;
  const program = new Command('latchkey')
    .description('Distributed mutual exclusion: check it, simulate it, deploy it.')
    .version(version)
    .helpCommand('help [command]', 'what a command does and takes')
    .addHelpText('after', NEXT)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  for (const command of [algorithms, simulate, check, replay, convert]) {
    program.addCommand(
      command((code) => {
        answer = code;
      })
        .exitOverride()
        .configureOutput({ writeErr: () => {} }),
    );
  }
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: 'user' });
    return answer;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      return refuse(oneLine(error.message));
    }
    if (error instanceof UsageError) return refuse(error.message);
    throw error;
  }
}

function refuse(why: string): ExitCode {
  process.stderr.write(`latchkey: ${why}\n`);
  return 2;
}

/** Commander's own errors, in our form: no prefix, the suggestion on the same line. */
const oneLine = (message: string): string =>
  message
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ')
    .trim();

const NEXT = `
Try:
  latchkey algorithms                            the catalogue
  latchkey check raymond                         every schedule of three sites
  latchkey check lamport --links any             why Lamport needs ordered links
  latchkey simulate raymond suzuki-kasami        two algorithms side by side
  latchkey check lamport --links any --trace t.jsonl && latchkey replay t.jsonl
  latchkey convert t.jsonl --format mermaid      the counterexample as a diagram
`;
