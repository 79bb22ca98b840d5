import { basename } from 'node:path';
import { Command } from 'commander';
import type { OpenSession } from '../client/open-session.ts';
import type { ClientSession } from '../client/session.ts';
import { UsageError } from '../core/errors.ts';
import type { Fence, RequestHandle, RequestSpec, Survey } from '../group/backend.ts';
import { fenceValue } from '../group/fence.ts';
import { MAX_PERMITS } from '../group/limits.ts';
import { type ConnectionFlags, NO_DAEMON, open, orNone, withConnection } from './connection.ts';
import { Guard } from './lock-guard.ts';
import { newRun, RUN_VARIABLE } from './lock-processes.ts';
import { StartError, type Unfit, unfit } from './lock-program.ts';
import { Running } from './lock-run.ts';
import { codeOf, Signals } from './lock-signals.ts';
import type { ExitCode } from './main.ts';
import { printable, quoted } from './printable.ts';
import { duration, ProgressLine } from './terminal.ts';
import { openThroughRelay } from './tls-relay.ts';
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
const WRONG_CALL = 2;
/** The daemon reports these of a request that can never be granted, whatever other callers do. */
const NEVER_GRANTED = ['AccessError', 'NotPossibleError', 'RangeError'];
/** How long to ask why a lock was not obtained: a group that is well answers at once. */
const DOUBT_MS = 1_500;
/** The longest time that a timer of Node can wait, 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function lock(answer: (code: ExitCode) => void): Command {
  const command = new Command('lock')
    .description('run a command while holding a lock of the group')
    .argument('<name>', 'the lock')
    .argument('[command...]', 'what to run, after --')
    .option('-s, --shared', 'together with others that share it')
    .option('-k, --permits <n>', 'one of so many permits', whole('-k', 1, MAX_PERMITS))
    .option('-n, --nonblock', 'fail at once if it is busy')
    .option('-w, --wait <seconds>', 'wait at most so long', real('-w', 0))
    .option('-E, --conflict-exit-code <code>', 'when not obtained', whole('-E', 0, 255), 1)
    .option('--on-lost <what>', 'kill or warn', oneOf('--on-lost', ['kill', 'warn']), 'kill')
    .option('--verbose', 'print which clients hold the lock, and how long it took');
  return withConnection(command)
    .addHelpText('after', HELP)
    .action(async (name: string, words: readonly string[], flags: Flags) => {
      refuseUnfit(name, words, flags);
      answer((await runUnderLock(name, words, flags)).code);
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

export interface Ended {
  readonly code: number;
  /** The command or the wait is over; or the lock was lost; or no daemon answers. */
  readonly end: 'over' | 'lost' | 'no daemon';
}

const NONE: Ended = { code: NO_DAEMON, end: 'no daemon' };

/** Waits for the lock, and runs the command while it is held. */
export async function runUnderLock(
  name: string,
  words: readonly string[],
  flags: Flags,
): Promise<Ended> {
  const [command] = words;
  const cannotRun = ({ code, why }: Unfit): Ended => {
    process.stderr.write(`latchkey: cannot run ${quoted(command!)}: ${why}\n`);
    return { code, end: 'over' };
  };
  const flaw = unfit(command!);
  if (flaw !== undefined) return cannotRun(flaw);
  try {
    const as = `pid ${process.pid}: ${basename(command!)}`;
    const isTls = flags.ca !== undefined && flags.cert !== undefined && flags.key !== undefined;
    const opened = await (isTls ? orNone(openThroughRelay(flags, as)) : open(flags, as));
    return opened === undefined ? NONE : await runInSession(opened, name, words, flags);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return cannotRun({ code: error.code, why: error.message });
  }
}

async function runInSession(
  { session, socket }: OpenSession,
  name: string,
  words: readonly string[],
  flags: Flags,
): Promise<Ended> {
  const lost = new AbortController();
  const signals = new Signals();
  const { token, variable } = newRun();
  let guard: Guard | undefined;
  let handle: RequestHandle | undefined;
  try {
    guard = await Guard.start(socket, token);
    const obtained = await obtain(session, name, flags, signals, lost);
    const { outcome } = obtained;
    handle = obtained.handle;
    if (outcome === NO_DAEMON) return NONE;
    if (typeof outcome === 'number') return { code: outcome, end: 'over' };
    // This process may have been stopped since.
    session.checkDeadline();
    if (lost.signal.aborted) {
      const why = printable((lost.signal.reason as Error).message);
      process.stderr.write(`latchkey: the lock ${quoted(name)} is lost: ${why}\n`);
      return { code: LOST, end: 'lost' };
    }
    const fence = String(fenceValue(outcome));
    const extra = { LATCHKEY_LOCK: name, LATCHKEY_FENCE: fence, [RUN_VARIABLE]: variable };
    const running = new Running(words, extra, token, signals, guard);
    let stopping: Promise<void> | undefined;
    const act = () => {
      const { leftToStopMs } = session;
      stopping = lostWhileRunning(name, running, flags, lost.signal.reason as Error, leftToStopMs);
    };
    if (lost.signal.aborted) act();
    else lost.signal.addEventListener('abort', act, { once: true });
    const code = await running.exit;
    if (stopping === undefined) return { code, end: 'over' };
    await stopping;
    return { code: LOST, end: 'lost' };
  } finally {
    guard?.dismiss();
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
  session: ClientSession,
  name: string,
  flags: Flags,
  signals: Signals,
  lost: AbortController,
): Promise<Obtained> {
  const { shared, permits = 0, wait, nonblock } = flags;
  const how: RequestSpec['how'] = nonblock || wait === 0 ? 'try' : 'wait';
  const spec: RequestSpec = { name, permits, mode: shared ? 'shared' : 'exclusive', how };
  if (how === 'wait' && permits === 0 && process.env['LATCHKEY_LOCK'] === name) {
    const never = 'if the outer command waits for this one, neither ever ends';
    process.stderr.write(`latchkey: this runs under the lock ${quoted(name)} already: ${never}\n`);
  }
  const waiting = new Waiting(session, name, flags);
  const cleanUp: (() => void)[] = [() => waiting.over()];
  let handle: RequestHandle | undefined;
  const outcome = await new Promise<Fence | number>((resolve) => {
    const refuse = (code: number, why: string) => {
      waiting.over();
      process.stderr.write(`latchkey: ${printable(why)}\n`);
      resolve(code);
    };
    const conflict = (why: string) =>
      doubtAbout(session, spec).then((doubt) => refuse(flags.conflictExitCode, doubt ?? why));
    const lock = `the lock ${quoted(name)}`;
    signals.whileWaiting((signal) => resolve(codeOf(signal)));
    handle = session.request(spec, {
      granted: resolve,
      busy: () => void conflict(`${lock} is busy`),
      failed: (error) => {
        const isUnknown = error.name === 'NoAnswerError';
        if (isUnknown) refuse(flags.conflictExitCode, error.message);
        else if (NEVER_GRANTED.includes(error.name)) refuse(WRONG_CALL, error.message);
        else refuse(NO_DAEMON, `${lock} was not obtained: ${error.message}`);
      },
      lost: (reason) => lost.abort(reason),
    });
    if (wait !== undefined && how === 'wait') {
      const late = () => {
        handle?.release();
        void conflict(`${lock} was not free within ${duration(wait * 1000)}`);
      };
      const timer = setTimeout(late, Math.min(wait * 1000, LONGEST_TIMER_MS));
      cleanUp.push(() => clearTimeout(timer));
    }
  });
  for (const each of cleanUp) each();
  return { outcome, handle };
}

/**
 * A lock without a visible holder may be free while a member does not answer: then it is not known to be
 * busy. Undefined if there is no doubt.
 */
async function doubtAbout(session: ClientSession, spec: RequestSpec): Promise<string | undefined> {
  const timeout = new Promise<undefined>((resolve) => {
    setTimeout(resolve, DOUBT_MS, undefined).unref();
  });
  const survey = await Promise.race([session.queryRecent(0).catch(() => undefined), timeout]);
  if (survey === undefined || survey.unreachable.length === 0) return undefined;
  if (survey.held.some(isOf(spec))) return undefined;
  const silent = survey.unreachable.join(', ');
  return `it is not known whether the lock ${quoted(spec.name)} is free: ${silent} does not answer`;
}

const isOf =
  ({ name, permits }: Pick<RequestSpec, 'name' | 'permits'>) =>
  (entry: { readonly name: string; readonly permits: number }): boolean =>
    entry.name === name && entry.permits === permits;

/** Stops the command, unless `--on-lost warn` lets it run on. */
function lostWhileRunning(
  name: string,
  running: Running,
  { onLost }: Flags,
  reason: Error,
  withinMs: number,
): Promise<void> | undefined {
  const fate = onLost === 'kill' ? 'stopping the command' : 'the command runs on without it';
  const why = printable(reason.message);
  process.stderr.write(`latchkey: the lock ${quoted(name)} is lost: ${why}; ${fate}\n`);
  return onLost === 'kill' ? running.stop(withinMs) : undefined;
}

/** Shows at a terminal which clients hold the lock, and how long this process has waited. */
class Waiting {
  readonly #session: ClientSession;
  readonly #name: string;
  readonly #flags: Flags;
  readonly #since = performance.now();
  readonly #line = new ProgressLine();
  readonly #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(session: ClientSession, name: string, flags: Flags) {
    this.#session = session;
    this.#name = name;
    this.#flags = flags;
    if (!process.stderr.isTTY && !flags.verbose) return;
    this.#timer = setInterval(() => this.#show(), 1_000);
  }

  #show(): void {
    this.#session.queryRecent(1_000).then(
      (survey) => {
        const waited = duration(performance.now() - this.#since);
        const holders = holdersOf(survey, this.#name, this.#flags.permits ?? 0);
        const text = `waiting ${waited} for ${quoted(this.#name)}${holders}`;
        if (!this.#isOver) this.#line.update(() => text);
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
    process.stderr.write(`latchkey: waited ${waited} for ${quoted(this.#name)}\n`);
  }
}

function holdersOf(survey: Survey, name: string, permits: number): string {
  const { held, pending, unreachable } = survey;
  const isSame = isOf({ name, permits });
  const holders = held
    .filter(isSame)
    .map(({ clientId, forMs }) => `${printable(clientId)} (${duration(forMs)})`);
  const silent = printable(unreachable.join(', '));
  const unknown = silent === '' ? '' : `, perhaps held through ${silent}, which does not answer`;
  const by = holders.length === 0 ? unknown : `, held by ${holders.join(', ')}`;
  const others = pending.filter(isSame).length - 1;
  return others > 0 ? `${by}; ${others} more waiting` : by;
}

const HELP = `
Exit code: the command's own; 128 + n if signal n killed it; 127 if there is no such command, 126 if it
cannot be run; 1 (or -E) if the lock was not obtained; 75 if it was lost while the command ran; 69 if
no daemon answers; 2 for a wrong call, or one that the daemon does not allow. The command finds LATCHKEY_LOCK and LATCHKEY_FENCE, a number that
grows from holder to holder, in its environment.

Lost means: the member that holds the lock for this process has died or left the group. The command and all
that it started then get SIGTERM, and SIGKILL after 5 seconds; with --on-lost warn they run on. In a group on a
store, the same happens if the daemon is stopped or its store is away for too long; SIGKILL then comes before
another process is granted the lock. If latchkey lock
itself is killed, the same happens, and the lock is free only when they are dead. On Linux that includes
processes that call setsid; it leaves out those that clear their environment or run as another user.

Examples:
  latchkey lock build -- make                          one at a time, in the whole group
  latchkey lock -s data -- ./report                    together with other readers
  latchkey lock -n nightly -- ./backup || echo busy    or not at all
  latchkey lock -k 4 gpu -- ./train                    at most four
  latchkey lock -w 30 -E 99 deploy -- ./deploy         wait half a minute, else exit 99
`;
