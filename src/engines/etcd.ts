/**
 * A register in etcd, over gRPC or over its JSON gateway; no package is needed. A revision is a key's `mod_revision`, which etcd
 * never uses twice. Leases of etcd are not used: docs/safety.md says why.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../core/errors.ts';
import type { ReadResult, SetResult } from '../group/register.ts';
import { wrongAddress } from './address.ts';
import { EtcdClient, EtcdError, type EtcdTarget } from './etcd-client.ts';
import { EtcdGrpc } from './etcd-grpc.ts';
import { EtcdJson } from './etcd-json.ts';
import { type EngineFactory, type EngineSettings, engineOn } from './factory.ts';
import type { Register } from './register.ts';

export interface EtcdSettings extends EngineSettings {
  /** The prefix of all keys. Default `latchkey/`. */
  readonly prefix?: string | undefined;
  /** Certificate authority, and a client certificate where etcd wants one (PEM); it switches TLS on. */
  readonly tls?: EtcdTarget['tls'] | undefined;
  /** `grpc`, or `json` for etcd's gateway, where only HTTP/1.1 gets through. Default `grpc`. */
  readonly protocol?: 'grpc' | 'json' | undefined;
  /** Where etcd has authentication by password. */
  readonly user?: { readonly name: string; readonly password: string } | undefined;
}

/**
 * The engine for groups that have etcd 3.4 or later.
 *
 * @example
 * ```ts
 * import { etcd } from 'latchkey/engines/etcd';
 *
 * const engine = etcd('etcd://10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379');
 * console.log(engine.name);
 * ```
 */
export function etcd(url: string, settings: EtcdSettings = {}): EngineFactory {
  const endpoints = endpointsOf(url, settings.tls !== undefined);
  const { prefix = 'latchkey/', tls = {}, user, protocol } = settings;
  return engineOn('etcd', settings, async ({ timeoutMs, log }) => {
    const register = new EtcdRegister({ endpoints, tls, user, timeoutMs }, prefix, protocol);
    try {
      await register.prepare(log);
      return register;
    } catch (error) {
      await register.close();
      throw error;
    }
  });
}

/** `etcd://host:port,host:port`; TLS if it begins with `etcds://` or there are certificates. */
function endpointsOf(url: string, hasTls: boolean): string[] {
  const match = /^(etcds?):\/\/([^/@]+)\/?$/.exec(url);
  const hosts = (match?.[2] ?? '').split(',');
  if (match === null || !hosts.every((host) => /^[^\s:]+:\d+$|^\[[0-9a-f:]+\]:\d+$/i.test(host))) {
    throw wrongAddress('etcd://10.0.0.1:2379', url);
  }
  const protocol = match[1] === 'etcds' || hasTls ? 'https' : 'http';
  return hosts.map((host) => `${protocol}://${host}`);
}

/** The header of a response. In JSON 64-bit numbers are text, and zeros are left out. */
interface Header {
  readonly cluster_id: string;
  readonly revision?: string;
}
interface KeyValue {
  readonly key: string;
  readonly value?: string;
  readonly mod_revision: string;
}

const RECONNECT_MS = 250;
const encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const decode = (text: string): string => Buffer.from(text, 'base64').toString('utf8');

/** The first key without that prefix. Keys end in ASCII, so the last byte can be raised. */
const after = (keys: string): string =>
  keys.slice(0, -1) + String.fromCharCode(keys.charCodeAt(keys.length - 1) + 1);

export class EtcdRegister implements Register {
  readonly #client: EtcdClient;
  readonly #prefix: string;
  readonly #watches = new Set<() => void>();
  #isClosed = false;

  constructor(target: EtcdTarget, prefix = 'latchkey/', protocol: 'grpc' | 'json' = 'grpc') {
    const spoken = protocol === 'grpc' ? new EtcdGrpc(target) : new EtcdJson(target);
    this.#client = new EtcdClient(target, spoken);
    this.#prefix = prefix;
  }

  /** Checks that it is etcd, in a version that has the gateway at this path. */
  async prepare(log: (message: string) => void): Promise<void> {
    const { version = '' } = await this.#client.ask<{ version?: string }>(
      '/v3/maintenance/status',
      {},
    );
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major < 3 || (major === 3 && minor < 4)) {
      throw new UsageError(`etcd ${version} is too old: use version 3.4 or later`);
    }
    if (await this.#isCompacted()) return;
    log(
      `etcd ${version} has never been compacted: its auto-compaction must be on, since each renewal adds a revision`,
    );
  }

  /** Whether the first revision was compacted. A client can see that, but not etcd's settings. */
  async #isCompacted(): Promise<boolean> {
    const first = { key: encode(this.#prefix), revision: '1', count_only: true };
    try {
      await this.#client.ask('/v3/kv/range', first);
      return false;
    } catch (error) {
      if (/has been compacted/.test((error as Error).message)) return true;
      throw error;
    }
  }

  async read(keys: string): Promise<ReadResult> {
    const from = this.#prefix + keys;
    const { header, kvs = [] } = await this.#client.ask<{ header: Header; kvs?: KeyValue[] }>(
      '/v3/kv/range',
      { key: encode(from), range_end: encode(after(from)) },
    );
    const records = kvs.map(({ key, value = '', mod_revision }) => ({
      key: decode(key).slice(this.#prefix.length),
      value: decode(value),
      revision: mod_revision,
    }));
    return { identity: header.cluster_id, records };
  }

  async compareAndSet(
    key: string,
    revision: string | null,
    value: string | null,
  ): Promise<SetResult> {
    const at = encode(this.#prefix + key);
    // No key has the revision -1, so a text that is no revision of etcd always conflicts.
    const from = revision === null ? '0' : /^[1-9][0-9]{0,18}$/.test(revision) ? revision : '-1';
    const change =
      value === null
        ? { request_delete_range: { key: at } }
        : { request_put: { key: at, value: encode(value) } };
    try {
      const { header, succeeded } = await this.#client.ask<{ header: Header; succeeded?: boolean }>(
        '/v3/kv/txn',
        {
          compare: [{ key: at, target: 'MOD', result: 'EQUAL', mod_revision: from }],
          success: [change],
        },
      );
      const identity = header.cluster_id;
      return succeeded === true
        ? { outcome: 'done', revision: header.revision!, identity }
        : { outcome: 'conflict', identity };
    } catch (error) {
      if (error instanceof EtcdError) throw error;
      return { outcome: 'unknown' };
    }
  }

  watch(keys: string, onHint: () => void): () => void {
    const from = this.#prefix + keys;
    const body = { create_request: { key: encode(from), range_end: encode(after(from)) } };
    let isStopped = false;
    let stopStream = () => {};
    const stop = () => {
      isStopped = true;
      this.#watches.delete(stop);
      stopStream();
    };
    const open = () => {
      if (isStopped || this.#isClosed) return;
      // Every message is a hint, the first one too: what was missed in between is worth a look.
      const hint = () => {
        if (!isStopped) onHint();
      };
      stopStream = this.#client.listen('/v3/watch', body, hint, () => {
        void sleep(RECONNECT_MS, undefined, { ref: false }).then(open);
      });
    };
    open();
    this.#watches.add(stop);
    return stop;
  }

  async identity(): Promise<string> {
    const { header } = await this.#client.ask<{ header: Header }>('/v3/kv/range', {
      key: encode(this.#prefix),
      count_only: true,
    });
    return header.cluster_id;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#watches) stop();
    this.#client.close();
  }
}
