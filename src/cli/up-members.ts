/** The members that `latchkey up` has started: watched while they live, ended when it ends. */
import { type ChildProcess, fork } from 'node:child_process';
import type { Report } from './node.ts';

export interface Seat {
  readonly self: string;
  /** Its settings. */
  readonly path: string;
}
type Say = (member: string, text: string, isBad: boolean) => void;

/** How long members may take to leave. */
const FAREWELL_MS = 5_000;

export class UpMembers {
  readonly #seats: readonly Seat[];
  readonly #say: Say;
  readonly #children = new Map<string, ChildProcess>();
  /** 0 if they were told to end, 1 if all of them died, or why one could not start. */
  readonly ended: Promise<number>;
  #end!: (code: number) => void;
  #isUp = false;
  #isStopping = false;
  #code = 0;

  constructor(seats: readonly Seat[], say: Say) {
    this.#seats = seats;
    this.#say = say;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** The pages of all, once all are up; undefined if one cannot start, and then all are stopped. */
  async start(): Promise<readonly (string | undefined)[] | undefined> {
    const pages = await Promise.all(this.#seats.map((seat) => this.#start(seat)));
    if (this.#isStopping) return undefined;
    this.#isUp = true;
    return pages;
  }

  #start({ self, path }: Seat): Promise<string | undefined> {
    const child = fork(process.argv[1]!, ['node', '--config', path], { execArgv: [] });
    this.#children.set(self, child);
    return new Promise((resolve) => {
      child.on('message', (report: Report) => {
        if (report.type === 'ready') resolve(report.page);
        else this.#hear(self, report.loggedEvent);
      });
      child.on('exit', (code, signal) => {
        this.#gone(self, path, code, signal);
        resolve(undefined);
      });
    });
  }

  /** Told once, not by each: who is connected with whom is on the page. */
  #hear(self: string, { level, text }: (Report & { type: 'loggedEvent' })['loggedEvent']): void {
    if (level !== 'info' && !this.#isStopping) this.#say(self, text, true);
  }

  #gone(self: string, path: string, code: number | null, signal: NodeJS.Signals | null): void {
    this.#children.delete(self);
    if (!this.#isStopping) {
      const how = signal === null ? `ended with code ${code}` : `was killed by ${signal}`;
      const rest = this.#children.size === 0 ? '' : '; locks that need it wait until it is back';
      // Who cannot even start has said why, and the others are of no use without it.
      if (this.#isUp) this.#say(self, `${how}${rest}: latchkey node --config ${path}`, true);
      else this.stop(code ?? 1);
    }
    if (this.#children.size === 0) this.#end(this.#isStopping ? this.#code : 1);
  }

  /** The first time politely; the second time at once. */
  stop(code = 0): void {
    if (this.#isStopping) {
      this.#kill();
      return;
    }
    this.#isStopping = true;
    this.#code = code;
    if (this.#children.size === 0) this.#end(code);
    for (const child of this.#children.values()) if (child.connected) child.disconnect();
    setTimeout(() => this.#kill(), FAREWELL_MS).unref();
  }

  #kill(): void {
    for (const child of this.#children.values()) child.kill('SIGKILL');
  }
}
