/**
 * If `latchkey lock` is killed, its command must not run on without the lock. The guard is a shell that waits for
 * a line from `latchkey lock`. If the pipe closes without one, `latchkey lock` was killed, and the guard stops the
 * command. It also holds a copy of the session's socket. So the daemon keeps the lock until the command and all
 * that it started are dead.
 *
 * A shell, because it starts in a millisecond. Where there is no shell, there is no guard.
 */
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { RUN_VARIABLE } from './lock-processes.ts';
import { NOT_EXECUTABLE, pathOf, StartError, start } from './lock-program.ts';

/**
 * `live` lists the processes of the command: those of its process group, and those with the token of this run in
 * their environment, which a process that calls setsid keeps. Zombies are dead. The last loop ends only when none
 * is left: a process that cannot be killed keeps the lock.
 */
const SCRIPT = `
token=$1
read -r target <&3 || exit 0
[ "$target" = over ] && exit 0
read -r word <&3 && exit 0
group=none
case $target in -*) group=\${target#-} ;; esac
live() {
  if [ ! -r /proc/self/stat ]; then
    kill -s 0 -- "$target" && echo "$target"
    return 0
  fi
  for stat in /proc/[0-9]*/stat; do
    read -r line < "$stat" || continue
    pid=\${stat#/proc/}
    pid=\${pid%/stat}
    set -- \${line##*) }
    case $1 in Z | X) continue ;; esac
    if [ "$3" = "$group" ] || [ "$pid" = "$target" ]; then echo "$pid"; fi
  done
  grep -lF "$token" /proc/[0-9]*/environ | while read -r path; do
    pid=\${path#/proc/}
    echo "\${pid%/environ}"
  done
}
send() {
  for pid in $(live); do kill -s "$1" -- "$pid"; done
}
send TERM
moment=0
while [ $moment -lt 25 ]; do
  [ -z "$(live)" ] && exit 0
  sleep 0.2
  moment=$((moment + 1))
done
while [ -n "$(live)" ]; do
  send KILL
  sleep 0.1
done
`;

export class Guard {
  /** The path of the shell. */
  readonly shell: string;
  readonly #process: ChildProcess;

  private constructor(shell: string, running: ChildProcess) {
    this.shell = shell;
    this.#process = running;
    this.pipe.on('error', () => {});
    this.pipe.unref();
    running.unref();
  }

  /**
   * Starts the guard, before the command: the command must never run without one. Undefined where there is no shell;
   * rejects with a `StartError` if the system does not start it.
   */
  static async start(session: Socket, token: string): Promise<Guard | undefined> {
    const shell = pathOf('sh');
    if (shell === undefined) return undefined;
    const { [RUN_VARIABLE]: _, ...env } = process.env;
    const starting = start('its guard does not start', shell, ['-c', SCRIPT, 'sh', token], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', session],
      // Signals to our process group, as Ctrl-C, are not for the guard; nor is the end of an outer run.
      detached: true,
      env,
    });
    // Node stops reading from a socket that it passes to a child; this process still reads from the daemon.
    session.resume();
    return new Guard(shell, await starting);
  }

  /**
   * The arguments of a shell that tells the guard its process number, and then becomes the command. If this process
   * told the guard, it could be killed before that. If the shell cannot become the command, it says so as `latchkey`.
   */
  announced(command: readonly string[], isGroup: boolean): readonly string[] {
    const script = 'echo "$1$$" >&3; shift; exec "$@" 3>&-';
    return ['-c', script, 'latchkey', isGroup ? '-' : '', ...command];
  }

  /** The third stream of the shell that `announced` describes. Throws a `StartError` if the guard was killed. */
  get pipe(): Socket {
    const { exitCode, signalCode, stdio } = this.#process;
    const pipe = stdio[3] as Socket;
    if (exitCode === null && signalCode === null && !pipe.destroyed) return pipe;
    const why = 'its guard has ended before it: call it again';
    throw new StartError({ code: NOT_EXECUTABLE, why });
  }

  /** The command has ended: the guard has nothing to do. */
  dismiss(): void {
    (this.#process.stdio[3] as Socket).end('over\n');
  }
}
