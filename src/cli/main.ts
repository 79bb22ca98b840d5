/** The program: its commands, and how it reports a wrong call. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { UsageError } from '../core/errors.ts';
import { printable } from './printable.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/**
 * 0: done. 1: the answer is no. 2: the call was wrong. What `lock` runs has codes of its own. An error that
 * `run` throws is a defect of ours; the program then ends with 70.
 */
export type ExitCode = number;

type Make = (answer: (code: ExitCode) => void) => Command;

/** In the order of help. A command is loaded when it is called: `lock` must not wait for the checker to load. */
const commands: { readonly [name: string]: () => Promise<Make> } = {
  algorithms: async () => (await import('./algorithms.ts')).algorithms,
  simulate: async () => (await import('./simulate.ts')).simulate,
  check: async () => (await import('./check.ts')).check,
  papers: async () => (await import('./papers.ts')).papers,
  replay: async () => (await import('./replay.ts')).replay,
  convert: async () => (await import('./convert.ts')).convert,
  lab: async () => (await import('./lab.ts')).lab,
  up: async () => (await import('./up.ts')).up,
  node: async () => (await import('./node.ts')).node,
  lock: async () => (await import('./lock.ts')).lock,
  lead: async () => (await import('./lead.ts')).lead,
  status: async () => (await import('./status.ts')).status,
  forget: async () => (await import('./forget.ts')).forget,
  soak: async () => (await import('./soak.ts')).soak,
};

/** Commands that the program starts itself. Help does not list them. */
const internal: typeof commands = {
  'tls-relay': async () => (await import('./tls-relay.ts')).tlsRelay,
};

export async function run(argv: readonly string[]): Promise<ExitCode> {
  let answer: ExitCode = 0;
  const program = new Command('latchkey')
    .description('Distributed mutual exclusion: check it, simulate it, deploy it.')
    .version(version)
    .helpCommand('help [command]', 'what a command does and takes')
    .addHelpText('after', NEXT)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  const [first = ''] = argv;
  const known = { ...commands, ...internal };
  const called = Object.hasOwn(known, first) ? [first] : Object.keys(commands);
  for (const name of called) {
    const make = await known[name]!();
    program.addCommand(
      make((code) => {
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
      return refuse(`${oneLine(error.message)}${wayOut(first)}`);
    }
    if (error instanceof UsageError) return refuse(error.message);
    throw error;
  }
}

function refuse(why: string): ExitCode {
  process.stderr.write(`latchkey: ${printable(why)}\n`);
  return 2;
}

/** What the user may do about a call that Commander does not understand. */
const wayOut = (command: string): string =>
  Object.hasOwn(commands, command)
    ? `: latchkey help ${command} has what it takes`
    : ': latchkey help has all commands';

/** Commander's own errors, in our form: no prefix, the suggestion on the same line. */
const oneLine = (message: string): string =>
  message
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ')
    .trim()
    .replace(/\.$/, '');

const NEXT = `
Try:
  latchkey algorithms                            the catalogue
  latchkey check raymond                         every schedule of three sites
  latchkey check lamport --links any             why Lamport needs ordered links
  latchkey check service                         the lock service itself, in every order of events
  latchkey simulate raymond suzuki-kasami        two algorithms side by side
  latchkey check lamport --links any --trace t.jsonl && latchkey replay t.jsonl
  latchkey papers --quick                        what the papers claim, beside what we measure
  latchkey convert t.jsonl --format mermaid      the counterexample as a diagram
  latchkey lab                                   watch, break and compare them in a browser
  latchkey up                                    a group of three on this machine, with the lab
  latchkey lock build -- make                    a command under a lock, in another terminal
`;
