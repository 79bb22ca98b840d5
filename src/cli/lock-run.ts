/** A command run under a lock: its exit code is ours, signals reach all of it, and all of it can be stopped. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Guard } from './lock-guard.ts';
import { codeOf, type Signals } from './lock-signals.ts';

/** How long a command may take to stop when its lock is lost. */
const GRACE_MS = 5_000;

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

export class Running {
  /** The command's exit code, as a shell would say it. */
  readonly exit: Promise<number>;
  readonly #child: ChildProcess;
  /**
   * At a terminal the command stays in our process group: it must be in the foreground to read keys, and
   * the terminal itself sends it Ctrl-C. Elsewhere it gets a group of its own, so that all of it can be
   * stopped, whatever it has started.
   */
  readonly #grouped = !process.stdin.isTTY;

  constructor(
    command: readonly string[],
    extra: NodeJS.ProcessEnv,
    signals: Signals,
    guard: Guard,
  ) {
    // Before the command begins: it may be heard of, and we be sent a signal for it, at once.
    signals.mind((signal) => this.#forward(signal));
    const detached = this.#grouped;
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
    if (this.#grouped && signal === 'SIGTSTP') {
      // A group without a terminal ignores the polite form.
      this.signal('SIGSTOP');
      process.kill(process.pid, 'SIGSTOP');
      return;
    }
    // The terminal has sent these to the command already: twice means something else to many programs.
    const isFromTerminal = signal === 'SIGINT' || signal === 'SIGQUIT' || signal === 'SIGTSTP';
    if (!this.#grouped && isFromTerminal) {
      if (signal === 'SIGTSTP') process.kill(process.pid, 'SIGSTOP');
      return;
    }
    this.signal(signal);
  }

  /** To the command and whatever it has started. */
  signal(signal: NodeJS.Signals): void {
    for (const target of this.#targets()) send(target, signal);
  }

  #targets(): readonly number[] {
    const { pid } = this.#child;
    if (pid === undefined) return [];
    return this.#grouped ? [-pid] : [pid, ...descendants(pid)];
  }

  /** Stops it: politely, and after a while for good. Resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    const targets = this.#targets();
    for (const target of targets) send(target, 'SIGTERM');
    const end = performance.now() + GRACE_MS;
    while (targets.some(isAlive) && performance.now() < end) await pause(20);
    for (const target of targets) send(target, 'SIGKILL');
    await this.exit;
  }
}

/** All processes that it has started, and those that these have. */
function descendants(pid: number): readonly number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const pairs = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const found = [pid];
  for (const parent of found) {
    for (const [child, its] of pairs) if (its === parent && child !== undefined) found.push(child);
  }
  return found.slice(1);
}

function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false; // It has gone already.
  }
}
const isAlive = (target: number): boolean => send(target, 0);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Why a command cannot be run, and the exit code of every shell for that; undefined if it can. */
export function unfit(
  command: string,
): { readonly code: number; readonly why: string } | undefined {
  const folders = command.includes('/') ? [''] : (process.env['PATH'] ?? '').split(delimiter);
  const files = folders.map((folder) => join(folder, command)).filter(isFile);
  if (files.some(isExecutable)) return undefined;
  return files.length === 0
    ? { code: NOT_FOUND, why: 'no such command' }
    : { code: NOT_EXECUTABLE, why: 'it is not executable' };
}

const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
