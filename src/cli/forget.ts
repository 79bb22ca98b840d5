import { Command } from 'commander';
import { type ConnectionFlags, NO_DAEMON, open, withConnection } from './connection.ts';
import type { ExitCode } from './main.ts';
import { printable } from './printable.ts';

interface Flags extends ConnectionFlags {
  readonly yes?: true;
}

export function forget(answer: (code: ExitCode) => void): Command {
  const command = new Command('forget')
    .description('go on without a member whose machine is gone for good')
    .argument('<member>', 'its name')
    .option('--yes', 'its process does not run any more: I have checked');
  return withConnection(command)
    .addHelpText('after', HELP)
    .action(async (name: string, flags: Flags) => answer(await run(name, flags)));
}

async function run(name: string, flags: Flags): Promise<number> {
  const shown = printable(name);
  if (!flags.yes) {
    process.stderr.write(`latchkey: ${warning(shown)}\n`);
    return 2;
  }
  const opened = await open(flags, `pid ${process.pid}: forget`);
  if (opened === undefined) return NO_DAEMON;
  const { session } = opened;
  try {
    await session.forget(name);
    process.stdout.write(`${shown} is forgotten: what its process held is free\n${after(shown)}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`latchkey: ${printable((error as Error).message)}\n`);
    return 1;
  } finally {
    await session.close(new Error('the member is forgotten'));
  }
}

const warning = (name: string): string =>
  `what the process of ${name} holds would be free at once. If that process still runs, two may hold one lock. ` +
  `Stop it, or its machine, first; then: latchkey forget ${name} --yes`;

const after = (name: string): string =>
  `The other members learn it from this one. Remove ${name} from the peers of all members before they all restart; ` +
  `until then, members that have all restarted wait for ${name} again.`;

const HELP = `
For groups without a store (--engine), in which members wait for a dead one until it is started again. A group on
a store leaves dead members out by itself.

What it means: the process of that member counts as ended. What it held is free at once, and the others go on.
If that process still runs, for example behind a cut cable, two may hold one lock; only the fence then protects
the data. So stop the process, or its machine, first.

What to do at each member: nothing now, since members tell each other. A process that is started again under the
name is admitted. If the member never returns, remove it from the peers of all members, and restart them.

Exit code: 0 if it is forgotten, 1 if not, 2 without --yes, 69 if no daemon answers.
`;
