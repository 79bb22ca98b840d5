/** Signals to `latchkey lock`: each is handled from the start of the process to its end. */
import { constants } from 'node:os';

/** Signals that mean something to a command, and that a process can handle. */
const HANDLED: readonly NodeJS.Signals[] = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGTSTP',
  'SIGCONT',
];
/** Signals that end a process which does not handle them. */
const ENDING: readonly string[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** The exit code that a shell reports for a process that a signal has ended. */
export const codeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

export class Signals {
  #handler: (signal: NodeJS.Signals) => void = () => {};
  readonly #listeners = HANDLED.map((signal) => {
    const listener = () => this.#handler(signal);
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });

  /** Replaces the handler of all signals. */
  handle(handler: (signal: NodeJS.Signals) => void): void {
    this.#handler = handler;
  }

  /** While this process waits for its lock: calls `end` for a signal that would end it. */
  whileWaiting(end: (signal: NodeJS.Signals) => void): void {
    this.handle((signal) => {
      if (ENDING.includes(signal)) end(signal);
      if (signal === 'SIGTSTP') process.kill(process.pid, 'SIGSTOP');
    });
  }

  close(): void {
    for (const off of this.#listeners) off();
  }
}
