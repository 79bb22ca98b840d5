/** The member processes of `latchkey up`: watched while they live, ended when it ends. */
import { type ChildProcess, fork } from 'node:child_process';
import { myself } from './myself.ts';
import type { Report } from './node.ts';

export interface MemberFile {
  readonly self: string;
  /** The file with its settings. */
  readonly path: string;
}
type Print = (member: string, text: string, isBad: boolean) => void;

/** How long members may take to leave. */
const LEAVE_MS = 5_000;

export class UpMembers {
  readonly #files: readonly MemberFile[];
  readonly #print: Print;
  /** The others go on without a member that died. */
  readonly #goOn: boolean;
  readonly #children = new Map<string, ChildProcess>();
  /** 0 if they were told to end, 1 if all of them died, or the exit code of one that could not start. */
  readonly ended: Promise<number>;
  #end!: (code: number) => void;
  #isUp = false;
  #isStopping = false;
  #code = 0;

  constructor(files: readonly MemberFile[], print: Print, goOn: boolean) {
    this.#goOn = goOn;
    this.#files = files;
    this.#print = print;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** The pages of all members, once all are up; undefined if one cannot start, and then all are stopped. */
  async start(): Promise<readonly (string | undefined)[] | undefined> {
    const pages = await Promise.all(this.#files.map((file) => this.#start(file)));
    if (this.#isStopping) return undefined;
    this.#isUp = true;
    return pages;
  }

  #start({ self, path }: MemberFile): Promise<string | undefined> {
    const child = fork(process.argv[1]!, ['node', '--config', path], { execArgv: [] });
    this.#children.set(self, child);
    return new Promise((resolve) => {
      child.on('message', (report: Report) => {
        if (report.type === 'ready') resolve(report.page);
        else if (report.event.level !== 'info' && !this.#isStopping) {
          this.#print(self, report.event.text, true);
        }
      });
      child.on('exit', (code, signal) => {
        this.#exited(self, path, code, signal);
        resolve(undefined);
      });
    });
  }

  #exited(self: string, path: string, code: number | null, signal: NodeJS.Signals | null): void {
    this.#children.delete(self);
    if (!this.#isStopping) {
      const how = signal === null ? `ended with code ${code}` : `was killed by ${signal}`;
      const fate = this.#goOn
        ? 'the others go on without it'
        : 'locks that need it wait until it is back';
      const rest = this.#children.size === 0 ? '' : `; ${fate}`;
      // A member that cannot start has printed why, and the group is incomplete without it.
      if (this.#isUp) this.#print(self, `${how}${rest}: ${myself()} node --config ${path}`, true);
      else this.stop(code ?? 1);
    }
    if (this.#children.size === 0) this.#end(this.#isStopping ? this.#code : 1);
  }

  /** The first call lets members leave the group; the second kills them. */
  stop(code = 0): void {
    if (this.#isStopping) {
      this.#kill();
      return;
    }
    this.#isStopping = true;
    this.#code = code;
    if (this.#children.size === 0) this.#end(code);
    for (const child of this.#children.values()) if (child.connected) child.disconnect();
    setTimeout(() => this.#kill(), LEAVE_MS).unref();
  }

  #kill(): void {
    for (const child of this.#children.values()) child.kill('SIGKILL');
  }
}
