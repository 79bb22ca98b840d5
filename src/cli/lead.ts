import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { UsageError } from '../core/errors.ts';
import { type ConnectionFlags, withConnection } from './connection.ts';
import { runUnderLock } from './lock.ts';
import type { ExitCode } from './main.ts';

/** The pause before the next try, while no daemon answers. */
const RETRY_MS = 1_000;

interface Flags extends ConnectionFlags {
  readonly verbose?: true;
}

export function lead(answer: (code: ExitCode) => void): Command {
  const command = new Command('lead')
    .description('run a command while this process leads, and again whenever it does')
    .argument('<name>', 'the election')
    .argument('[command...]', 'what to run, after --')
    .option('--verbose', 'print which clients lead, and how long it took');
  return withConnection(command)
    .addHelpText('after', HELP)
    .action(async (name: string, words: readonly string[], flags: Flags) => {
      if (words.length === 0) {
        throw new UsageError(`what to run goes after --, as in: latchkey lead ${name} -- ./worker`);
      }
      if (name.startsWith('-')) {
        throw new UsageError(`the name of an election does not begin with "-", got "${name}"`);
      }
      answer(await run(name, words, flags));
    });
}

async function run(name: string, words: readonly string[], flags: Flags): Promise<number> {
  const lockFlags = { ...flags, conflictExitCode: 1, onLost: 'kill' } as const;
  for (let isFirst = true; ; isFirst = false) {
    const { code, end } = await runUnderLock(name, words, lockFlags);
    // Without a daemon at the start the call is wrong; later the daemon may come back.
    if (end === 'over' || (end === 'no daemon' && isFirst)) return code;
    if (end === 'no daemon') await sleep(RETRY_MS);
  }
}

const HELP = `
Of all processes that call this with one name, one runs its command. If it loses the lead, its command and all that it
started get SIGTERM, and SIGKILL after 5 seconds or before another process leads. Then it stands again, and starts
the command again when it leads. If its daemon is gone, it waits for a daemon.

Exit code: the command's own, when it ends by itself; 128 + n for signal n; 127, 126, 69 and 2 as latchkey lock. The
command finds LATCHKEY_LOCK and LATCHKEY_FENCE, a number that grows from leader to leader, in its environment.

Example:
  latchkey lead scheduler -- ./scheduler
`;
