/**
 * Runs a pure engine against a real register: turns `environment.call` into promises, and their results into `answered`. A
 * call that has no answer in time is answered all the same: a read as failed, a compare-and-set as unknown.
 */
import type { RegisterAnswer, RegisterEvent, RegisterOperation } from '../group/register.ts';
import type { Register } from './register.ts';

export interface DriverSettings {
  readonly register: Register;
  /** A call is given up after so long. */
  readonly timeoutMs: number;
  /** The keys whose changes the engine wants hints of. */
  readonly watch: string;
  /** Each answer and hint is one step of the member. */
  step(event: RegisterEvent): void;
  log(message: string): void;
}

export class RegisterDriver {
  readonly #settings: DriverSettings;
  /** Set with the first call: before that, the engine has not started. */
  #stopWatch: (() => void) | null = null;
  #underWay = 0;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #onIdle: (() => void) | null = null;
  /** By the type of call: an error that repeats is logged once. A store may answer reads, and refuse each write. */
  readonly #lastErrors = new Map<RegisterOperation['type'], string>();

  constructor(settings: DriverSettings) {
    this.#settings = settings;
  }

  /** Carries out `environment.call`. */
  call(number: number, operation: RegisterOperation): void {
    if (this.#isClosed) return;
    const { register, watch, step } = this.#settings;
    this.#stopWatch ??= register.watch(watch, () => {
      if (!this.#isClosed) step({ type: 'hint' });
    });
    this.#underWay++;
    void this.#answer(operation).then((answer) => {
      this.#underWay--;
      if (!this.#isClosed) step({ type: 'answer', call: number, answer });
      // A step may have asked for more.
      if (this.#underWay === 0) this.#onIdle?.();
    });
  }

  /** Resolves when no call is under way, or after this time. The engine has written that its process leaves. */
  async idle(atMostMs: number): Promise<void> {
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, atMostMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWatch?.();
    this.#closing ??= this.#settings.register.close();
    return this.#closing;
  }

  async #answer(operation: RegisterOperation): Promise<RegisterAnswer> {
    const { timeoutMs } = this.#settings;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<RegisterAnswer>((resolve) => {
      timer = setTimeout(() => resolve(noAnswer(operation, `none in ${timeoutMs} ms`)), timeoutMs);
      timer.unref();
    });
    try {
      const answer = await Promise.race([this.#ask(operation), late]);
      const isAnswered = !(answer.type === 'set' && answer.outcome === 'unknown');
      if (answer.type !== 'failed' && isAnswered) this.#lastErrors.delete(operation.type);
      return answer;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.#lastErrors.get(operation.type) && !this.#isClosed) {
        this.#settings.log(`the store failed: ${message}`);
      }
      this.#lastErrors.set(operation.type, message);
      return { type: 'failed', error: message };
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask(operation: RegisterOperation): Promise<RegisterAnswer> {
    const { register } = this.#settings;
    if (operation.type === 'read') {
      return { type: 'records', ...(await register.read(operation.keys)) };
    }
    if (operation.type === 'identity') {
      return { type: 'identity', identity: await register.identity() };
    }
    const { key, revision, value } = operation;
    return { type: 'set', ...(await register.compareAndSet(key, revision, value)) };
  }
}

const noAnswer = (operation: RegisterOperation, error: string): RegisterAnswer =>
  operation.type === 'compareAndSet'
    ? { type: 'set', outcome: 'unknown' }
    : { type: 'failed', error };
