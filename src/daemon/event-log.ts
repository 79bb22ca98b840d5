/** Recent events of a daemon: for the log, for the page, and for the process that started it. */
import type { Logger } from 'pino';
import type { JoinLog } from '../member/join-settings.ts';
import { LogLimiter, withheldNote } from '../net/log-limiter.ts';

export interface LoggedEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly level: 'info' | 'warn' | 'error';
  /** One word, for programs. */
  readonly event: string;
  /** One line, for people. */
  readonly text: string;
}

/** How many events are kept for the page, and how much of each. */
const KEPT_EVENTS = 100;
const KEPT_LENGTH = 500;

export class EventLog {
  readonly #log: Logger;
  readonly #recent: LoggedEvent[] = [];
  readonly #subscribers = new Set<(event: LoggedEvent) => void>();
  readonly #limiter = new LogLimiter(() => performance.now());

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Oldest first. */
  get recent(): readonly LoggedEvent[] {
    return this.#recent;
  }

  add(level: LoggedEvent['level'], event: string, text: string, details: object = {}): void {
    this.#log[level]({ event, ...details }, text);
    const entry = { at: Date.now(), level, event, text: text.slice(0, KEPT_LENGTH) };
    this.#recent.push(entry);
    if (this.#recent.length > KEPT_EVENTS) this.#recent.shift();
    for (const subscriber of this.#subscribers) subscriber(entry);
  }

  /** As `add`, but at most ten lines a minute with the same key: a flood of causes is no flood of lines. */
  addLimited(key: string, level: LoggedEvent['level'], event: string, text: string): void {
    const withheld = this.#limiter.admit(key);
    if (withheld === undefined) return;
    this.add(level, event, `${text}${withheldNote(withheld)}`, { reason: key });
  }

  /** For events that are too frequent for the page. */
  debug(event: string, text: string, details: object = {}): void {
    this.#log.debug({ event, ...details }, text);
  }

  /** An event that the group reports. */
  addGroupEvent({ level, message, peer, remote, reason, details }: JoinLog): void {
    const about = { peer, remote, reason, ...details };
    const subject = peer === undefined ? (remote ?? 'a connection') : `member ${peer}`;
    if (reason !== undefined) {
      this.add(
        level,
        'peer-refused',
        `${subject} was refused or cut (${reason}): ${message}`,
        about,
      );
    } else if (message === 'connected' || message === 'disconnected') {
      this.add(level, message, `${subject} is ${message}`, about);
    } else if (message === 'view') {
      const { epoch, members } = details as { epoch: number; members: readonly string[] };
      this.add(level, 'view', `a new view, number ${epoch}: ${members.join(', ')}`, about);
    } else if (message === 'begun') {
      this.add(level, 'view-begun', 'all members of the view answer: locks are granted', about);
    } else {
      this.add(level, 'group', peer === undefined ? message : `${subject}: ${message}`, about);
    }
  }

  subscribe(subscriber: (event: LoggedEvent) => void): void {
    this.#subscribers.add(subscriber);
  }
}
