/** What happened lately: to the log, to the page, and to whoever started us. */
import type { Logger } from 'pino';
import type { JoinLog } from '../member/join.ts';

export interface LoggedEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly level: 'info' | 'warn' | 'error';
  /** One word, for programs. */
  readonly event: string;
  /** One line, for people. */
  readonly text: string;
}

/** So many are kept for the page. */
const KEPT = 100;

export class EventLog {
  readonly #log: Logger;
  readonly #recent: LoggedEvent[] = [];
  readonly #readers = new Set<(loggedEvent: LoggedEvent) => void>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Oldest first. */
  get recent(): readonly LoggedEvent[] {
    return this.#recent;
  }

  note(level: LoggedEvent['level'], event: string, text: string, details: object = {}): void {
    this.#log[level]({ event, ...details }, text);
    const loggedEvent = { at: Date.now(), level, event, text };
    this.#recent.push(loggedEvent);
    if (this.#recent.length > KEPT) this.#recent.shift();
    for (const reader of this.#readers) reader(loggedEvent);
  }

  /** For what is too common for the page. */
  detail(event: string, text: string, details: object = {}): void {
    this.#log.debug({ event, ...details }, text);
  }

  /** What the group has to say. */
  hear({ level, message, peer, remote, reason, details }: JoinLog): void {
    const about = { peer, remote, reason, ...details };
    const who = peer === undefined ? (remote ?? 'someone') : `member ${peer}`;
    if (reason !== undefined) {
      this.note(level, 'peer-refused', `${who} was refused or cut (${reason}): ${message}`, about);
    } else if (message === 'connected' || message === 'disconnected') {
      this.note(level, message, `${who} is ${message}`, about);
    } else if (message === 'view') {
      const { epoch, members } = details as { epoch: number; members: readonly string[] };
      this.note(level, 'view', `a new view, number ${epoch}: ${members.join(', ')}`, about);
    } else if (message === 'begun') {
      this.note(level, 'view-begun', 'all of the view are there: locks are granted', about);
    } else this.note(level, 'group', peer === undefined ? message : `${who}: ${message}`, about);
  }

  read(reader: (loggedEvent: LoggedEvent) => void): void {
    this.#readers.add(reader);
  }
}
