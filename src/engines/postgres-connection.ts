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

export class PostgresConnection {
  readonly #target: PostgresTarget;
  /** What each new connection is told first. */
  readonly #greeting: string;
  readonly #onNotice: (payload: string) => void;
  #client: PgClient | null = null;
  #opening: Promise<PgClient> | null = null;
  #isClosed = false;
  /** Settles after the last query of the present connection. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(target: PostgresTarget, greeting: string, onNotice = (_payload: string) => {}) {
    this.#target = target;
    this.#greeting = greeting;
    this.#onNotice = onNotice;
  }

  /** The rows; rejects if there is no answer in time, whatever state the connection is in. */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const rows = this.#open().then((client) => {
      // One at a time: a client of `pg` takes no second query before it has answered the first.
      const answer = this.#last.then(() => client.query(text, values));
      this.#last = answer.catch(() => {});
      return answer;
    });
    return (await this.#inTime(rows)).rows as Row[];
  }

  /** Connects if there is no connection. */
  async open(): Promise<void> {
    await this.#inTime(this.#open());
  }

  get isOpen(): boolean {
    return this.#client !== null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = this.#client;
    this.#client = null;
    if (client === null) this.#drop();
    else await Promise.race([client.end().catch(() => {}), this.#later()]);
    client?.connection.stream.destroy();
  }

  #open(): Promise<PgClient> {
    if (this.#isClosed) return Promise.reject(new Error('the register is closed'));
    if (this.#opening !== null) return this.#opening;
    const opening = this.#connect();
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = null;
    });
    return opening;
  }

  async #connect(): Promise<PgClient> {
    const { url, config, timeoutMs } = this.#target;
    // A variable, because `pg` has no types that the compiler would find.
    const name = 'pg';
    const { Client } = (await optionalPackage<PgModule>(name, () => import(name))).default;
    const client = new Client({
      ...{ connectionString: url, application_name: 'latchkey', keepAlive: true },
      ...config,
      connectionTimeoutMillis: timeoutMs,
    });
    const ended = () => {
      if (this.#client === client) this.#drop();
    };
    client.on('error', ended);
    client.on('end', ended);
    client.on('notification', ({ payload }) => this.#onNotice(payload ?? ''));
    await client.connect();
    if (this.#greeting !== '') await client.query(this.#greeting);
    if (this.#isClosed) {
      client.connection.stream.destroy();
      throw new Error('the register is closed');
    }
    this.#client = client;
    this.#last = Promise.resolve();
    return client;
  }

  /** A half-open connection would keep all later queries waiting: it is destroyed, not ended. */
  #drop(): void {
    const client = this.#client;
    this.#client = null;
    this.#opening = null;
    client?.connection.stream.destroy();
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    const { timeoutMs } = this.#target;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`no answer from Postgres in ${timeoutMs} ms`));
        this.#drop();
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
