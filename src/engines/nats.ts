/**
 * A register in NATS JetStream: a key-value bucket. A revision is a message's sequence number in the bucket's stream,
 * which is never used twice. docs/safety.md says which servers keep what they acknowledged, and why.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KV } from '@nats-io/kv';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import { UsageError } from '../core/errors.ts';
import type { ReadResult, RegisterRecord, SetResult } from '../group/register.ts';
import { wrongAddress } from './address.ts';
import { type EngineFactory, type EngineSettings, engineOn } from './factory.ts';
import { findServer } from './nats-greeting.ts';
import { optionalPackage } from './optional-package.ts';
import type { Register } from './register.ts';

export interface NatsSettings extends EngineSettings {
  /** The bucket, created on demand. Default `latchkey`. */
  readonly bucket?: string | undefined;
  /** Copies of the bucket, on as many servers: 1, 3 or 5. A bucket with fewer is refused. Default 1. */
  readonly replicas?: number | undefined;
  /** Settings of `@nats-io/transport-node`, such as `tls`, `user` and `authenticator`. */
  readonly nats?: NodeConnectionOptions | undefined;
  /** Says that the servers have `sync_interval: always`, which a client cannot see. */
  readonly syncAlways?: boolean | undefined;
  /** Accepts servers that may forget what they acknowledged. Then two members may hold one lock. */
  readonly allowUnsafe?: boolean | undefined;
}

/**
 * The engine for groups that have NATS with JetStream.
 *
 * @example
 * ```ts
 * import { nats } from 'latchkey/engines/nats';
 *
 * const engine = nats('nats://10.0.0.1:4222,10.0.0.2:4222', { replicas: 3, syncAlways: true });
 * console.log(engine.name);
 * ```
 */
export function nats(url: string, settings: NatsSettings = {}): EngineFactory {
  const servers = url.split(',').map((server) => server.replace(/^nats:\/\//, ''));
  const isServer = (text: string) => /^[^\s/@]+$/.test(text) && URL.canParse(`tcp://${text}`);
  if (!/^nats:\/\//.test(url) || !servers.every(isServer)) {
    throw wrongAddress('nats://10.0.0.1:4222', url);
  }
  return engineOn('nats', settings, async ({ timeoutMs, log }) => {
    const register = await NatsRegister.open({ ...settings, servers, timeoutMs });
    try {
      const doubt = doubtAbout(register.version, settings.syncAlways === true);
      if (doubt !== null && !settings.allowUnsafe) {
        throw new UsageError(`${doubt}; or accept two holders after a crash with allowUnsafe`);
      }
      if (doubt !== null) log(`unsafe: ${doubt}`);
      return register;
    } catch (error) {
      await register.close();
      throw error;
    }
  });
}

/** The first version without the known losses of acknowledged writes. */
const OLDEST = [2, 10, 23];

/** Why this server may lose acknowledged writes, with the way out; null if it does not. */
export function doubtAbout(version: string, isSyncAlways: boolean): string | null {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10));
  const first = OLDEST.findIndex((part, i) => parts[i] !== part);
  if (first !== -1 && !(parts[first]! > OLDEST[first]!)) {
    return `NATS ${version} may lose acknowledged writes: use ${OLDEST.join('.')} or later`;
  }
  return isSyncAlways
    ? null
    : 'by default NATS acknowledges writes up to two minutes before they are on disk: set sync_interval: always ' +
        'in its configuration, and say so with syncAlways';
}

/** What the stream of a bucket is configured with; a limit of 0 or less is none. */
interface BucketConfig {
  readonly storage?: string;
  readonly max_age?: number;
  readonly discard?: string;
  readonly max_msgs?: number;
  readonly max_bytes?: number;
  readonly mirror?: object;
  readonly sources?: readonly object[];
  readonly num_replicas?: number;
}

/** Why an existing bucket cannot keep the records; null if it can. New buckets are made with the right settings. */
function flawOf(config: BucketConfig, replicas: number): string | null {
  const { storage, max_age = 0, max_msgs = 0, max_bytes = 0, discard } = config;
  const { mirror, sources = [], num_replicas = 1 } = config;
  const isLimited = max_msgs > 0 || max_bytes > 0;
  if (storage === 'memory') return 'keeps its records in memory, and loses them with its server';
  if (max_age > 0) return 'deletes records after a time (TTL)';
  if (isLimited && discard !== 'new') return 'deletes old records when it is full';
  if (mirror !== undefined || sources.length > 0) return 'is a copy of another one';
  return num_replicas < replicas ? `has replicas: ${num_replicas}, and not ${replicas}` : null;
}

export interface NatsTarget {
  readonly servers: readonly string[];
  readonly bucket?: string | undefined;
  readonly replicas?: number | undefined;
  readonly nats?: NodeConnectionOptions | undefined;
  readonly timeoutMs: number;
}

const PACKAGES = '@nats-io/transport-node @nats-io/kv';
const RECONNECT_MS = 250;
/** Errors of the server: the key has another revision than was expected; the bucket has no such message. */
const CONFLICTS = [10071, 10164];
/** The server answered, and stored nothing: a bucket that is full, or a right that is missing. */
const REFUSALS = ['JetStreamApiError', 'PermissionViolationError'];

interface StreamInfo {
  readonly created: string;
  readonly config: BucketConfig;
  readonly state: { readonly subjects?: { readonly [subject: string]: number } };
  readonly error?: { readonly description: string };
}

export class NatsRegister implements Register {
  readonly #connection: NatsConnection;
  readonly #kv: KV;
  readonly #bucket: string;
  readonly #timeoutMs: number;
  readonly #watches = new Set<() => void>();
  #isClosed = false;

  private constructor(connection: NatsConnection, kv: KV, bucket: string, timeoutMs: number) {
    this.#connection = connection;
    this.#kv = kv;
    this.#bucket = bucket;
    this.#timeoutMs = timeoutMs;
  }

  static async open(target: NatsTarget): Promise<NatsRegister> {
    const { servers, bucket = 'latchkey', replicas = 1, timeoutMs } = target;
    const transport = await optionalPackage(
      '@nats-io/transport-node',
      () => import('@nats-io/transport-node'),
      PACKAGES,
    );
    const { Kvm } = await optionalPackage('@nats-io/kv', () => import('@nats-io/kv'), PACKAGES);
    if (!target.nats?.tls?.handshakeFirst) await findServer(servers, timeoutMs);
    const connection = await transport.connect({
      ...{ servers: [...servers], name: 'latchkey', timeout: timeoutMs },
      ...{ maxReconnectAttempts: -1, reconnectTimeWait: RECONNECT_MS, reconnectJitter: 0 },
      // A half-open connection shows by two pings without an answer.
      ...{ pingInterval: timeoutMs, maxPingOut: 2 },
      ...target.nats,
    });
    try {
      const options = { history: 1, replicas, allow_direct: false, timeout: timeoutMs };
      const kv = await new Kvm(connection).create(bucket, options);
      const register = new NatsRegister(connection, kv, bucket, timeoutMs);
      const flaw = flawOf((await register.#info('none')).config, replicas);
      if (flaw !== null) {
        throw new UsageError(`the bucket "${bucket}" ${flaw}: delete it, or name another one`);
      }
      return register;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Of the server. */
  get version(): string {
    return this.#connection.info?.version ?? '0';
  }

  async read(keys: string): Promise<ReadResult> {
    return this.#inTime(async () => {
      const { created, state } = await this.#info(filterOf(keys));
      const subjects = Object.keys(state.subjects ?? {});
      const names = subjects.map((subject) => subject.slice(`$KV.${this.#bucket}.`.length));
      const wanted = names.filter((name) => decode(name).startsWith(keys));
      const entries = await Promise.all(wanted.map((name) => this.#kv.get(name)));
      const records = entries.flatMap((entry): RegisterRecord[] => {
        if (entry === null || entry.operation !== 'PUT') return [];
        const { key, revision } = entry;
        return [{ key: decode(key), value: entry.string(), revision: `${revision}` }];
      });
      return { identity: created, records };
    });
  }

  async compareAndSet(
    key: string,
    revision: string | null,
    value: string | null,
  ): Promise<SetResult> {
    // No message has the number 2⁵³ − 1, so a text that is no revision of ours always conflicts.
    const known = revision !== null && /^[1-9][0-9]{0,14}$/.test(revision);
    const from = revision === null ? 0 : known ? Number(revision) : Number.MAX_SAFE_INTEGER;
    try {
      return await this.#inTime(async () => {
        const written = await this.#write(encode(key), from, value);
        // The acknowledgement does not name the stream's life: ask for it afterwards, never before.
        const { created: identity } = await this.#info('none');
        return written === null
          ? { outcome: 'conflict', identity }
          : { outcome: 'done', revision: `${written}`, identity };
      });
    } catch (error) {
      if (REFUSALS.includes((error as Error).name)) throw error;
      return { outcome: 'unknown' };
    }
  }

  watch(keys: string, onHint: () => void): () => void {
    let isStopped = false;
    let stopIterator = () => {};
    const stop = () => {
      isStopped = true;
      this.#watches.delete(stop);
      stopIterator();
    };
    const hint = () => {
      if (!isStopped) onHint();
    };
    const run = async () => {
      while (!isStopped && !this.#isClosed) {
        try {
          const updates = await this.#kv.watch({ key: filterOf(keys), include: 'updates' });
          stopIterator = () => updates.stop();
          if (isStopped) updates.stop();
          // What was missed in between is worth a look.
          hint();
          for await (const { key } of updates) if (decode(key).startsWith(keys)) hint();
        } catch {
          // The server is away: the loop tries again.
        }
        await sleep(RECONNECT_MS, undefined, { ref: false });
      }
    };
    void run();
    this.#watches.add(stop);
    return stop;
  }

  async identity(): Promise<string> {
    return this.#inTime(async () => (await this.#info('none')).created);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#watches) stop();
    await this.#connection.close();
  }

  /** The sequence number of what was written, or null if the key had another revision. */
  async #write(key: string, from: number, value: string | null): Promise<number | null> {
    try {
      if (value === null) {
        await this.#kv.delete(key, { previousSeq: from });
        return from;
      }
      if (from === 0) return await this.#kv.create(key, value);
      return await this.#kv.update(key, value, from, this.#timeoutMs);
    } catch (error) {
      if (CONFLICTS.includes((error as { code?: number }).code ?? 0)) return null;
      throw error;
    }
  }

  async #info(filter: string): Promise<StreamInfo> {
    const subjects = { subjects_filter: `$KV.${this.#bucket}.${filter}` };
    const answer = await this.#connection.request(
      `$JS.API.STREAM.INFO.KV_${this.#bucket}`,
      JSON.stringify(subjects),
      { timeout: this.#timeoutMs },
    );
    const info = answer.json<StreamInfo>();
    if (info.error !== undefined) throw new Error(`NATS answered: ${info.error.description}`);
    return info;
  }

  async #inTime<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error('the register is closed');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new Error(`no answer from NATS in ${this.#timeoutMs} ms`);
      timer = setTimeout(() => reject(error), this.#timeoutMs);
    });
    const answer = work();
    answer.catch(() => {});
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Keys are subjects: parts between slashes become tokens, and what a token cannot have is escaped by `=XX`. */
const encode = (key: string): string =>
  key
    .split('/')
    .map((part) => (part === '' ? '=' : part.replace(/[^A-Za-z0-9_-]/g, escaped)))
    .join('.');
const escaped = (character: string): string =>
  `=${character.charCodeAt(0).toString(16).padStart(2, '0')}`;

const decode = (name: string): string =>
  name
    .split('.')
    .map((token) =>
      token === '='
        ? ''
        : token.replace(/=([0-9a-f]{2})/g, (_, code) =>
            String.fromCharCode(Number.parseInt(code, 16)),
          ),
    )
    .join('/');

/** The subjects of all keys that begin alike: the last part may be incomplete. */
function filterOf(keys: string): string {
  const whole = keys.split('/').slice(0, -1).join('/');
  return keys.includes('/') ? `${encode(whole)}.>` : '>';
}
