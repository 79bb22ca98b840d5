import { basename } from 'node:path';
import { Command } from 'commander';
import { UsageError } from '../core/errors.ts';
import type { Fence, LockBackend, RequestHandle, RequestSpec, Survey } from '../group/backend.ts';
import { fenceValue } from '../group/fence.ts';
import { type ConnectionFlags, NO_DAEMON, open, withConnection } from './connection.ts';
import { Guard } from './lock-guard.ts';
import { Running, unfit } from './lock-run.ts';
import { codeOf, Signals } from './lock-signals.ts';
import type { ExitCode } from './main.ts';
import { duration, ProgressLine } from './terminal.ts';
import { oneOf, real, whole } from './values.ts';

interface Flags extends ConnectionFlags {
  readonly shared?: true;
  readonly permits?: number;
  readonly nonblock?: true;
  readonly wait?: number;
  readonly conflictExitCode: number;
  readonly onLost: 'kill' | 'warn';
  readonly verbose?: true;
}

/** The lock was lost while the command ran: EX_TEMPFAIL of sysexits.h, which says try again. */
const LOST = 75;
/** What a timer of Node can wait at most, 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function lock(answer: (code: ExitCode) => void): Command {
  const command = new Command('lock')
    .description('run a command while holding a lock of the group')
    .argument('<name>', 'the lock')
    .argument('[command...]', 'what to run, after --')
    .option('-s, --shared', 'together with others that share it')
    .option('-k, --permits <n>', 'one of so many permits', whole('-k', 1, 1000))
    .option('-n, --nonblock', 'fail at once if it is busy')
    .option('-w, --wait <seconds>', 'wait at most so long', real('-w', 0))
    .option('-E, --conflict-exit-code <code>', 'when not obtained', whole('-E', 0, 255), 1)
    .option('--on-lost <what>', 'kill or warn', oneOf('--on-lost', ['kill', 'warn']), 'kill')
    .option('--verbose', 'say who is waited for, and how long it took');
  return withConnection(command)
    .addHelpText('after', HELP)
    .action(async (name: string, words: readonly string[], flags: Flags) => {
      refuseUnfit(name, words, flags);
      answer(await run(name, words, flags));
    });
}

function refuseUnfit(name: string, words: readonly string[], flags: Flags): void {
  if (words.length === 0) {
    throw new UsageError(`what to run goes after --, as in: latchkey lock ${name} -- make`);
  }
  if (name.startsWith('-')) {
    throw new UsageError(`the name of a lock does not begin with "-", got "${name}"`);
  }
  if (flags.nonblock && flags.wait !== undefined) {
    throw new UsageError('-n does not wait and -w does: take one of them');
  }
  if (flags.shared && flags.permits !== undefined) {
    throw new UsageError('a permit is not shared: take -s or -k');
  }
}

async function run(name: string, words: readonly string[], flags: Flags): Promise<number> {
  const trouble = unfit(words[0]!);
  if (trouble !== undefined) {
    process.stderr.write(`latchkey: cannot run "${words[0]}": ${trouble.why}\n`);
    return trouble.code;
  }
  const opened = await open(flags, `pid ${process.pid}: ${basename(words[0]!)}`);
  if (opened === undefined) return NO_DAEMON;
  const { session, socket } = opened;
  const lost = new AbortController();
  const signals = new Signals();
  // It can keep a plain socket open for us; what TLS adds to one lives in this process.
  const guard = new Guard(flags.ca === undefined ? socket : undefined);
  const { outcome, handle } = await obtain(session, name, flags, signals, lost);
  try {
    if (typeof outcome === 'number') return outcome;
    const extra = { LATCHKEY_LOCK: name, LATCHKEY_FENCE: String(fenceValue(outcome)) };
    const running = new Running(words, extra, signals, guard);
    let stopping: Promise<void> | undefined;
    const act = () => {
      stopping = lostWhileRunning(name, running, flags, lost.signal.reason as Error);
    };
    if (lost.signal.aborted) act();
    else lost.signal.addEventListener('abort', act, { once: true });
    const code = await running.exit;
    if (stopping === undefined) return code;
    await stopping;
    return LOST;
  } finally {
    guard.dismiss();
    handle?.release();
    await session.close(new Error('the command is over'));
    signals.close();
  }
}

interface Obtained {
  /** The fence, or the exit code that says why there is none. */
  readonly outcome: Fence | number;
  readonly handle: RequestHandle | undefined;
}

async function obtain(
  session: LockBackend,
  name: string,
  flags: Flags,
  signals: Signals,
  lost: AbortController,
): Promise<Obtained> {
  const { shared, permits = 0, wait, nonblock } = flags;
  const how: RequestSpec['how'] = nonblock || wait === 0 ? 'try' : 'wait';
  const spec: RequestSpec = { name, permits, mode: shared ? 'shared' : 'exclusive', how };
  if (how === 'wait' && permits === 0 && process.env['LATCHKEY_LOCK'] === name) {
    const never = 'if who started it waits for it, this never ends';
    process.stderr.write(`latchkey: this runs under the lock "${name}" already: ${never}\n`);
  }
  const waiting = new Waiting(session, name, flags);
  const cleanUp: (() => void)[] = [() => waiting.over()];
  let handle: RequestHandle | undefined;
  const outcome = await new Promise<Fence | number>((resolve) => {
    const refuse = (code: number, why: string) => {
      waiting.over();
      process.stderr.write(`latchkey: ${why}\n`);
      resolve(code);
    };
    signals.whileWaiting((signal) => resolve(codeOf(signal)));
    handle = session.request(spec, {
      granted: resolve,
      busy: () => refuse(flags.conflictExitCode, `the lock "${name}" is busy`),
      failed: (error) => refuse(NO_DAEMON, `the lock "${name}" was not obtained: ${error.message}`),
      lost: (reason) => lost.abort(reason),
    });
    if (wait !== undefined && how === 'wait') {
      const late = () => {
        handle?.release();
        const why = `the lock "${name}" was not free within ${duration(wait * 1000)}`;
        refuse(flags.conflictExitCode, why);
      };
      const timer = setTimeout(late, Math.min(wait * 1000, LONGEST_TIMER_MS));
      cleanUp.push(() => clearTimeout(timer));
    }
  });
  for (const each of cleanUp) each();
  return { outcome, handle };
}

/** Stops the command, unless it is to run on. */
function lostWhileRunning(
  name: string,
  running: Running,
  { onLost }: Flags,
  reason: Error,
): Promise<void> | undefined {
  const fate = onLost === 'kill' ? 'stopping the command' : 'the command runs on without it';
  process.stderr.write(`latchkey: the lock "${name}" is lost: ${reason.message}; ${fate}\n`);
  return onLost === 'kill' ? running.stop() : undefined;
}

/** Shows a person who is waited for, and how long it has been. */
class Waiting {
  readonly #session: LockBackend;
  readonly #name: string;
  readonly #flags: Flags;
  readonly #since = performance.now();
  readonly #line = new ProgressLine();
  readonly #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(session: LockBackend, name: string, flags: Flags) {
    this.#session = session;
    this.#name = name;
    this.#flags = flags;
    if (!process.stderr.isTTY && !flags.verbose) return;
    this.#timer = setInterval(() => this.#show(), 1_000);
  }

  #show(): void {
    this.#session.query().then(
      (census) => {
        const waited = duration(performance.now() - this.#since);
        const by = whoHolds(census, this.#name, this.#flags.permits ?? 0);
        if (!this.#isOver) this.#line.update(() => `waiting ${waited} for "${this.#name}"${by}`);
      },
      () => {},
    );
  }

  over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#line.done();
    if (!this.#flags.verbose) return;
    const waited = duration(performance.now() - this.#since);
    process.stderr.write(`latchkey: waited ${waited} for "${this.#name}"\n`);
  }
}

function whoHolds({ held, pending }: Survey, name: string, permits: number): string {
  const same = (entry: { name: string; permits: number }) =>
    entry.name === name && entry.permits === permits;
  const holders = held.filter(same).map((e) => `${e.clientId} (${duration(e.forMs)})`);
  const by = holders.length === 0 ? '' : `, held by ${holders.join(', ')}`;
  const others = pending.filter(same).length - 1;
  return others > 0 ? `${by}; ${others} more waiting` : by;
}

const HELP = `
Exit code: the command's own; 128 + n if signal n killed it; 127 if there is no such command, 126 if it
cannot be run; 1 (or -E) if the lock was not obtained; 75 if it was lost while the command ran; 69 if
no daemon answers; 2 for a wrong call. The command finds LATCHKEY_LOCK and LATCHKEY_FENCE, a number that
grows from holder to holder, in its environment.

Lost means: the member that holds the lock for us has died or left the group. The command then gets
SIGTERM, and SIGKILL after 5 seconds; with --on-lost warn it runs on.

Examples:
  latchkey lock build -- make                          one at a time, in the whole group
  latchkey lock -s data -- ./report                    together with other readers
  latchkey lock -n nightly -- ./backup || echo busy    or not at all
  latchkey lock -k 4 gpu -- ./train                    at most four
  latchkey lock -w 30 -E 99 deploy -- ./deploy         wait half a minute, else exit 99
`;
