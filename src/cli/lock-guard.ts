/**
 * If this process is killed, the command must not run on without its lock. The guard is a shell that waits
 * for a word from us; if the pipe closes without one, we were killed, and it stops the command. It also holds
 * a copy of the session's socket, so that the daemon keeps the lock until that is done.
 *
 * A shell, because it starts in a millisecond; where there is none, there is no guard.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

const SCRIPT = `
read -r target <&3 || exit 0
read -r word <&3 && exit 0
kill -s TERM -- "$target" 2>/dev/null
for moment in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
  kill -s 0 -- "$target" 2>/dev/null || exit 0
  sleep 0.2
done
kill -s KILL -- "$target" 2>/dev/null
`;

export class Guard {
  readonly #shell: ChildProcess;

  /** Stands by. Begin early: from when the command runs there must be no moment without a guard. */
  constructor(session: Socket | undefined) {
    this.#shell = spawn('sh', ['-c', SCRIPT], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', session ?? 'ignore'],
      // What is meant for us, as Ctrl-C, is not meant for it.
      detached: true,
    });
    // Node stops reading from a stream that it hands on; we still want to hear from the daemon.
    session?.resume();
    this.#shell.on('error', () => {});
    this.pipe?.on('error', () => {});
    this.pipe?.unref();
    this.#shell.unref();
  }

  /**
   * What to run instead of the command: a shell that tells the guard which process it is, and then becomes
   * the command. We could tell it ourselves, but might be killed before we do.
   */
  announced(command: readonly string[], isGroup: boolean): readonly string[] {
    return ['sh', '-c', 'echo "$0$$" >&3; exec "$@" 3>&-', isGroup ? '-' : '', ...command];
  }

  /** The third stream of what `announced` says; none if there is no guard. */
  get pipe(): Socket | undefined {
    return this.#shell.pid === undefined ? undefined : (this.#shell.stdio[3] as Socket);
  }

  /** All went well. */
  dismiss(): void {
    this.pipe?.end('over\n');
  }
}
