/** Signals to this process, from the first to the last moment: there is never one that nobody minds. */
import { constants } from 'node:os';

/** Those that mean something to a command, and that a process can hear. */
const HEARD: readonly NodeJS.Signals[] = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGTSTP',
  'SIGCONT',
];
/** Those that end a process which does not mind them. */
const ENDING: readonly string[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** What a shell says of a process that a signal has ended. */
export const codeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

export class Signals {
  #mind: (signal: NodeJS.Signals) => void = () => {};
  readonly #listeners = HEARD.map((signal) => {
    const listener = () => this.#mind(signal);
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });

  /** From now on until it is said again. */
  mind(how: (signal: NodeJS.Signals) => void): void {
    this.#mind = how;
  }

  /** As a process that only waits: `end` when one comes that would end it. */
  whileWaiting(end: (signal: NodeJS.Signals) => void): void {
    this.mind((signal) => {
      if (ENDING.includes(signal)) end(signal);
      if (signal === 'SIGTSTP') process.kill(process.pid, 'SIGSTOP');
    });
  }

  close(): void {
    for (const off of this.#listeners) off();
  }
}
