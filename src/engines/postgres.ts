/**
 * A register in Postgres: one table, a row for each key. Revisions come from a sequence, so that none is used twice.
 *
 * Each statement checks in itself that it runs on a primary, and on the cluster and timeline that this client knows: a
 * standby that was promoted is another store, since it may lack what the old primary had acknowledged.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../core/errors.ts';
import type { ReadResult, RegisterRecord, SetResult } from '../group/register.ts';
import { wrongAddress } from './address.ts';
import { type EngineFactory, type EngineSettings, engineOn } from './factory.ts';
import { PostgresConnection, type PostgresTarget } from './postgres-connection.ts';
import type { Register } from './register.ts';

export interface PostgresSettings extends EngineSettings {
  /** The table, created on demand; with a schema if wanted: `ops.latchkey`. Default `latchkey`. */
  readonly table?: string | undefined;
  /** Settings of `pg`, such as `ssl` and `password`, for what the URL does not say. */
  readonly pg?: object | undefined;
  /** Accepts a server that runs with `fsync=off`, and so may forget after a crash of its machine. */
  readonly allowUnsafe?: boolean | undefined;
}

/**
 * The engine for groups that have a Postgres database.
 *
 * @example
 * ```ts
 * import { postgres } from 'latchkey/engines/postgres';
 *
 * const engine = postgres('postgres://app:secret@db.internal/app', { leaseMs: 5000 });
 * console.log(engine.name);
 * ```
 */
export function postgres(url: string, settings: PostgresSettings = {}): EngineFactory {
  const { table = 'latchkey', pg: config = {}, allowUnsafe = false } = settings;
  if (!isAddress(url)) throw wrongAddress('postgres://app@db.internal/app', url);
  if (!/^([a-z_][a-z0-9_]*\.)?[a-z_][a-z0-9_]{0,40}$/.test(table)) {
    const given = JSON.stringify(table);
    throw new UsageError(`expected \`table\` to be a name in lower case, got ${given}`);
  }
  return engineOn('postgres', settings, async ({ timeoutMs, openMs }) => {
    // A register of its own, because its calls may take longer than the renewals of a lease.
    const opening = new PostgresRegister({ url, config, timeoutMs: openMs }, table);
    try {
      await opening.prepare(allowUnsafe);
    } finally {
      await opening.close();
    }
    return new PostgresRegister({ url, config, timeoutMs }, table);
  });
}

/** The host may be missing: `pg` then takes it from a parameter, or from its environment. */
const isAddress = (url: string): boolean =>
  /^postgres(ql)?:\/\//.test(url) && URL.canParse(url.replace('@/', '@host/'));

const OLDEST_VERSION = 100_000;
const RECONNECT_MS = 250;
/** A commit that is acknowledged is on disk, whatever the defaults of this role or database are. */
const DURABLE = `SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') IN ('off', 'local')`;
/** The cluster and its timeline, which an ordinary role may read; nothing on a standby. */
const STORE = `store AS (SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE
  (SELECT system_identifier::text FROM pg_control_system()) || '/' ||
  substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) END AS identity)`;

/** Errors of these classes say that nothing was written, and that a second try fails as well. */
const REFUSALS = /^(22|25006|28|3D|3F|42|53100)/;

export class PostgresRegister implements Register {
  readonly #target: PostgresTarget;
  readonly #connection: PostgresConnection;
  readonly #table: string;
  readonly #channel: string;
  readonly #watches = new Set<() => void>();
  /** The store that we know: a compare-and-set on any other fails. */
  #identity: string | null = null;

  constructor(target: PostgresTarget, table = 'latchkey') {
    this.#target = target;
    this.#table = table;
    this.#channel = table.replace('.', '_');
    this.#connection = new PostgresConnection(target, DURABLE);
  }

  /** Checks the server, and creates the table if it is not there. */
  async prepare(allowUnsafe = false): Promise<void> {
    const [server] = await this.#connection.query<{
      number: number;
      version: string;
      standby: boolean;
      readonly: string;
      fsync: string;
    }>(`SELECT current_setting('server_version_num')::int AS number,
          current_setting('server_version') AS version,
          pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS readonly,
          current_setting('fsync') AS fsync`);
    const { number, version, standby, readonly, fsync } = server!;
    if (number < OLDEST_VERSION) {
      throw new UsageError(`Postgres ${version} is too old: use version 10 or later`);
    }
    if (standby) throw new UsageError('this Postgres server is a standby: name the primary');
    if (readonly === 'on') {
      throw new UsageError('this Postgres database is read-only: name one that can be written to');
    }
    if (fsync === 'off' && !allowUnsafe) {
      throw new UsageError(
        'this Postgres server has fsync=off and may forget what it stored: set fsync=on, or allowUnsafe',
      );
    }
    if (await this.#hasTable()) return this.#refuseUnlogged();
    try {
      await this.#connection.query(`CREATE TABLE ${this.#table}
        (key text COLLATE "C" PRIMARY KEY, value text NOT NULL, revision bigserial NOT NULL)`);
    } catch (error) {
      // Two members that start together may both get here: the second finds the table of the first.
      if (!(await this.#hasTable())) throw error;
    }
  }

  /** A table that was there before may be one that Postgres empties after a crash. */
  async #refuseUnlogged(): Promise<void> {
    const [row] = await this.#connection.query<{ persistence: string }>(
      'SELECT relpersistence AS persistence FROM pg_class WHERE oid = to_regclass($1)',
      [this.#table],
    );
    if (row?.persistence !== 'u') return;
    const mend = `ALTER TABLE ${this.#table} SET LOGGED`;
    throw new UsageError(
      `the table ${this.#table} is unlogged, and Postgres empties it after a crash: ${mend}`,
    );
  }

  async read(keys: string): Promise<ReadResult> {
    const rows = await this.#connection.query<{ identity: string | null } & RegisterRecord>(
      `WITH ${STORE} SELECT identity, key, value, revision::text AS revision
         FROM store LEFT JOIN ${this.#table} ON key >= $1 AND left(key, length($1)) = $1`,
      [keys],
    );
    const identity = this.#know(rows[0]!.identity);
    const records = rows
      .filter(({ key }) => key !== null)
      .map(({ key, value, revision }) => ({ key, value, revision }));
    return { identity, records };
  }

  async compareAndSet(
    key: string,
    revision: string | null,
    value: string | null,
  ): Promise<SetResult> {
    // A revision of another store, or of another form, was never in this table.
    const from = revision !== null && !/^[0-9]{1,18}$/.test(revision) ? '0' : revision;
    try {
      this.#identity ??= await this.identity();
      const [row] = await this.#connection.query<{
        identity: string | null;
        revision: string | null;
      }>(this.#statement(from, value), [
        ...[key, this.#identity, this.#channel],
        ...[from, value].filter((one) => one !== null),
      ]);
      const identity = this.#know(row!.identity);
      return row!.revision === null
        ? { outcome: 'conflict', identity }
        : { outcome: 'done', revision: row!.revision, identity };
    } catch (error) {
      if (REFUSALS.test((error as { code?: string }).code ?? '')) throw error;
      return { outcome: 'unknown' };
    }
  }

  watch(keys: string, onHint: () => void): () => void {
    const hear = (key: string) => {
      if (key.startsWith(keys)) onHint();
    };
    const connection = new PostgresConnection(this.#target, `LISTEN ${this.#channel}`, hear);
    let isStopped = false;
    const stop = () => {
      isStopped = true;
      this.#watches.delete(stop);
      void connection.close();
    };
    const keepOpen = async () => {
      while (!isStopped) {
        const wasOpen = connection.isOpen;
        await connection.open().catch(() => {});
        // What was missed in between is worth a look.
        if (!wasOpen && connection.isOpen && !isStopped) onHint();
        await sleep(RECONNECT_MS, undefined, { ref: false });
      }
    };
    void keepOpen();
    this.#watches.add(stop);
    return stop;
  }

  async identity(): Promise<string> {
    const [row] = await this.#connection.query<{ identity: string | null }>(
      `WITH ${STORE} SELECT identity FROM store`,
    );
    return this.#know(row!.identity);
  }

  async close(): Promise<void> {
    for (const stop of this.#watches) stop();
    await this.#connection.close();
  }

  /** $1 is the key, $2 the identity, $3 the channel; then the revision and the value, where there are such. */
  #statement(from: string | null, value: string | null): string {
    const isStore = '(SELECT identity FROM store) = $2';
    const table = this.#table;
    const where = `WHERE key = $1 AND revision = $4 AND ${isStore} RETURNING revision`;
    const change =
      from === null
        ? `INSERT INTO ${table} (key, value) SELECT $1, $4 WHERE ${isStore}
             ON CONFLICT DO NOTHING RETURNING revision`
        : value === null
          ? `DELETE FROM ${table} ${where}`
          : `UPDATE ${table} SET value = $5, revision = DEFAULT ${where}`;
    return `WITH ${STORE}, changed AS (${change}),
      told AS (SELECT pg_notify($3, $1) FROM changed)
      SELECT identity, (SELECT revision::text FROM changed) AS revision,
        (SELECT count(*) FROM told) AS told FROM store`;
  }

  async #hasTable(): Promise<boolean> {
    const [row] = await this.#connection.query<{ name: string | null }>(
      'SELECT to_regclass($1)::text AS name',
      [this.#table],
    );
    return row!.name !== null;
  }

  #know(identity: string | null): string {
    if (identity === null) throw new Error('this Postgres server is a standby: name the primary');
    this.#identity = identity;
    return identity;
  }
}
