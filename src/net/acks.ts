import { ackFrame } from './frames.ts';
import type { Host } from './host.ts';
import type { Line } from './line.ts';
import type { Session } from './session.ts';

/** Acknowledges what a peer sends when no message of ours does so anyway. */
export class Acks {
  readonly #host: Host;
  #cancel: (() => void) | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Something may have been received: acknowledges much of it now, a little of it soon. */
  settle(session: Session, line: Line): void {
    const { owedMessages, owedBytes } = session;
    if (owedMessages === 0) return;
    const { ackAfterMessages, ackAfterBytes, ackAfterMs } = this.#host.limits;
    if (owedMessages >= ackAfterMessages || owedBytes >= ackAfterBytes) acknowledge(session, line);
    else {
      this.#cancel ??= this.#host.clock.later(ackAfterMs, () => {
        this.#cancel = undefined;
        if (session.owedMessages > 0) acknowledge(session, line);
      });
    }
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

function acknowledge(session: Session, line: Line): void {
  // Where the peer does not even read, what it has sent is acknowledged when it does.
  if (!line.writable) return;
  line.write(ackFrame(session.received));
  session.acknowledges();
}
