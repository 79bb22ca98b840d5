/** Connections to Postgres that never hang: each query has a time limit, after which the socket is destroyed. */
import { optionalPackage } from './optional-package.ts';

/** What we use of a client of `pg`, which brings no types of its own. */
interface PgClient {
  connect(): Promise<unknown>;
  query(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>;
  end(): Promise<void>;
  on(event: string, listener: (detail: { payload?: string }) => void): unknown;
  readonly connection: { readonly stream: { destroy(): void } };
}
type PgModule = { default: { Client: new (config: object) => PgClient } };

export interface PostgresTarget {
  readonly url: string;
  /** TLS, passwords and the like, as `pg` takes them. */
  readonly config: object;
  readonly timeoutMs: number;
}

/** One connection, from the moment it is asked for until it is dropped. */
class Attempt {
  client: PgClient | null = null;
  isOpen = false;
  readonly ready: Promise<PgClient>;
  /** Settles after the connection's last query. */
  last: Promise<unknown> = Promise.resolve();

  constructor(connect: (attempt: Attempt) => Promise<PgClient>) {
    this.ready = connect(this);
  }
}

export class PostgresConnection {
  readonly #target: PostgresTarget;
  /** The first statement on each new connection. */
  readonly #greeting: string;
  readonly #onNotice: (payload: string) => void;
  /** The connection that is open, or is being opened. */
  #present: Attempt | null = null;
  #isClosed = false;

  constructor(target: PostgresTarget, greeting: string, onNotice = (_payload: string) => {}) {
    this.#target = target;
    this.#greeting = greeting;
    this.#onNotice = onNotice;
  }

  /** The rows; rejects if there is no answer in time, whatever state the connection is in. */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const attempt = this.#open();
    const rows = attempt.ready.then((client) => {
      // One at a time: a client of `pg` takes no second query before it has answered the first.
      const answer = attempt.last.then(() => client.query(text, values));
      attempt.last = answer.catch(() => {});
      return answer;
    });
    return (await this.#inTime(attempt, rows)).rows as Row[];
  }

  /** Connects if there is no connection. */
  async open(): Promise<void> {
    const attempt = this.#open();
    await this.#inTime(attempt, attempt.ready);
  }

  get isOpen(): boolean {
    return this.#present?.isOpen === true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const attempt = this.#present;
    if (attempt === null) return;
    if (attempt.isOpen) {
      await Promise.race([attempt.client!.end().catch(() => {}), this.#later()]);
    }
    this.#drop(attempt);
  }

  #open(): Attempt {
    if (this.#isClosed) throw new Error('the register is closed');
    if (this.#present !== null) return this.#present;
    const attempt = new Attempt((made) => this.#connect(made));
    this.#present = attempt;
    attempt.ready.catch(() => this.#drop(attempt));
    return attempt;
  }

  async #connect(attempt: Attempt): Promise<PgClient> {
    const { url, config, timeoutMs } = this.#target;
    // A variable, because `pg` has no types that the compiler would find.
    const name = 'pg';
    const { Client } = (await optionalPackage<PgModule>(name, () => import(name))).default;
    const client = new Client({
      ...{ connectionString: url, application_name: 'latchkey', keepAlive: true },
      ...config,
      connectionTimeoutMillis: timeoutMs,
    });
    attempt.client = client;
    client.on('error', () => this.#drop(attempt));
    client.on('end', () => this.#drop(attempt));
    client.on('notification', ({ payload }) => this.#onNotice(payload ?? ''));
    await client.connect();
    if (this.#greeting !== '') await client.query(this.#greeting);
    if (this.#present !== attempt || this.#isClosed) {
      client.connection.stream.destroy();
      throw new Error('the connection was given up');
    }
    attempt.isOpen = true;
    return client;
  }

  /**
   * A half-open connection would keep all later queries waiting: it is destroyed, not ended. A connection that was opened
   * since then is another one, and stays.
   */
  #drop(attempt: Attempt): void {
    if (this.#present === attempt) this.#present = null;
    attempt.isOpen = false;
    attempt.client?.connection.stream.destroy();
  }

  async #inTime<T>(attempt: Attempt, work: Promise<T>): Promise<T> {
    const { timeoutMs } = this.#target;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`no answer from Postgres in ${timeoutMs} ms`));
        this.#drop(attempt);
      }, timeoutMs);
    });
    work.catch(() => {});
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #later(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 200).unref());
  }
}
