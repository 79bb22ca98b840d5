/** A command that runs under a lock: its exit code is ours, signals reach it, and all of it can be stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Guard } from './lock-guard.ts';
import { liveProcesses } from './lock-processes.ts';
import { pathOf, refusalOf, StartError } from './lock-program.ts';
import { codeOf, type Signals } from './lock-signals.ts';

/** How long a command may take to stop when its lock is lost. */
const STOP_MS = 5_000;

export class Running {
  /** The command's exit code, as a shell reports it; rejects with a `StartError` if the system does not start it. */
  readonly exit: Promise<number>;
  #child: ChildProcess | undefined;
  readonly #token: string;
  /**
   * At a terminal the command stays in our process group: it must be in the foreground to read keys, and
   * the terminal itself sends it Ctrl-C. Elsewhere it gets a group of its own, so that signals reach all of it.
   */
  readonly #isGroup = !process.stdin.isTTY;

  constructor(
    command: readonly string[],
    extra: NodeJS.ProcessEnv,
    token: string,
    signals: Signals,
    guard: Guard | undefined,
  ) {
    this.#token = token;
    // Before the command starts: a signal for it may arrive at once.
    signals.handle((signal) => this.#forward(signal));
    const detached = this.#isGroup;
    const env = { ...process.env, ...extra };
    const [name, ...rest] = command;
    const stdio = ['inherit', 'inherit', 'inherit', guard?.pipe ?? 'ignore'] as const;
    const options = { stdio: [...stdio], env, detached };
    this.exit = new Promise<number>((resolve, reject) => {
      // Without a guard the file is named, not searched: shells pass over what cannot be run, and the system does not.
      this.#child =
        guard === undefined
          ? spawn(pathOf(name!) ?? name!, rest, { ...options, argv0: name! })
          : spawn(guard.shell, guard.announced(command, detached), options);
      this.#child.on('error', (error) => {
        if (this.#child?.pid === undefined) reject(error);
      });
      this.#child.on('exit', (code, signal) => resolve(signal === null ? code! : codeOf(signal)));
    }).catch((error: unknown) => {
      throw new StartError(refusalOf(error));
    });
  }

  #forward(signal: NodeJS.Signals): void {
    if (this.#isGroup && signal === 'SIGTSTP') {
      // A process group without a terminal ignores SIGTSTP.
      this.#signalCommand('SIGSTOP');
      process.kill(process.pid, 'SIGSTOP');
      return;
    }
    // The terminal has sent these to the command already, and many programs give a second one another meaning.
    const isFromTerminal = signal === 'SIGINT' || signal === 'SIGQUIT' || signal === 'SIGTSTP';
    if (!this.#isGroup && isFromTerminal) {
      if (signal === 'SIGTSTP') process.kill(process.pid, 'SIGSTOP');
      return;
    }
    this.#signalCommand(signal);
  }

  /** To the process group of the command, or at a terminal to all of its processes. */
  #signalCommand(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    for (const target of this.#isGroup ? [-pid] : this.#live()) send(target, signal);
  }

  #live(): readonly number[] {
    const pid = this.#child?.pid;
    return pid === undefined ? [] : liveProcesses(this.#token, pid, this.#isGroup);
  }

  /**
   * Stops the command and all that it started: SIGTERM, then SIGKILL, after less than the usual time if there is less.
   * Resolves when none of it lives.
   */
  async stop(withinMs: number): Promise<void> {
    const end = performance.now() + Math.min(STOP_MS, withinMs);
    let live = this.#live();
    for (const target of live) send(target, 'SIGTERM');
    const killIfLate = () => {
      if (performance.now() >= end) for (const target of live) send(target, 'SIGKILL');
    };
    while (live.length > 0) {
      // The processes as listed last: to list them again takes time, above all on a busy machine.
      killIfLate();
      live = this.#live();
      killIfLate();
      await pause(Math.max(10, Math.min(50, end - performance.now())));
    }
    await this.exit.catch(() => {}); // It is reported where the run is awaited.
  }
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // The process has ended.
  }
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
