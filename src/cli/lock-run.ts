/** A command that runs under a lock: its exit code is ours, signals reach it, and all of it can be stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Guard } from './lock-guard.ts';
import { liveProcesses } from './lock-processes.ts';
import { codeOf, type Signals } from './lock-signals.ts';

/** How long a command may take to stop when its lock is lost. */
const STOP_MS = 5_000;

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

export class Running {
  /** The command's exit code, as a shell reports it. */
  readonly exit: Promise<number>;
  readonly #child: ChildProcess;
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
    guard: Guard,
  ) {
    this.#token = token;
    // Before the command starts: a signal for it may arrive at once.
    signals.handle((signal) => this.#forward(signal));
    const detached = this.#isGroup;
    const env = { ...process.env, ...extra };
    const { pipe } = guard;
    const [file, ...args] = pipe === undefined ? command : guard.announced(command, detached);
    const stdio = ['inherit', 'inherit', 'inherit', pipe ?? 'ignore'] as const;
    this.#child = spawn(file!, args, { stdio: [...stdio], env, detached });
    this.exit = new Promise((resolve, reject) => {
      this.#child.on('error', (error) => {
        if (this.#child.pid === undefined) reject(error);
      });
      this.#child.on('exit', (code, signal) => resolve(signal === null ? code! : codeOf(signal)));
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
    const { pid } = this.#child;
    if (pid === undefined) return;
    for (const target of this.#isGroup ? [-pid] : this.#live()) send(target, signal);
  }

  #live(): readonly number[] {
    const { pid } = this.#child;
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
    await this.exit;
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

/** Why a command cannot be run, and the exit code of every shell for that; undefined if it can. */
export function unfit(
  command: string,
): { readonly code: number; readonly why: string } | undefined {
  const folders = command.includes('/') ? [''] : (process.env['PATH'] ?? '').split(delimiter);
  const paths = folders.map((folder) => join(folder, command));
  const files = paths.filter(isFile);
  if (files.some(isExecutable)) return undefined;
  if (command.includes('/') && files.length === 0 && existsSync(paths[0]!)) {
    return { code: NOT_EXECUTABLE, why: 'it is not a file' };
  }
  return files.length === 0
    ? { code: NOT_FOUND, why: 'no such command' }
    : { code: NOT_EXECUTABLE, why: 'it is not executable' };
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // It is not there, or this user may not look into its folder: shells pass over that, too.
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
