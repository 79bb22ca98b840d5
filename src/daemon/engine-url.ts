/** The engine that a URL names: what `latchkey node --engine` and the setting `engine` take. */
import { UsageError } from '../core/errors.ts';
import { etcd } from '../engines/etcd.ts';
import type { EngineFactory } from '../engines/factory.ts';
import { nats } from '../engines/nats.ts';
import { postgres } from '../engines/postgres.ts';

/** What each engine takes after `?`. Postgres has parameters of its own, which go to its client. */
const OPTIONS: { readonly [scheme: string]: readonly string[] } = {
  postgres: ['table', 'allowUnsafe'],
  etcd: ['prefix', 'protocol'],
  nats: ['bucket', 'replicas', 'syncAlways', 'allowUnsafe'],
};
const SCHEMES: { readonly [scheme: string]: string } = {
  ...{ postgres: 'postgres', postgresql: 'postgres', etcd: 'etcd', etcds: 'etcd', nats: 'nats' },
};

interface Parts {
  readonly kind: string;
  /** Without the options, and for etcd and NATS without the user. */
  readonly url: string;
  readonly options: { readonly [name: string]: string };
  readonly user: { readonly name: string; readonly password: string } | undefined;
}

/** Throws a UsageError for what is no such URL. */
export function engineOf(text: string, leaseMs: number | undefined): EngineFactory {
  const { kind, url, options, user } = partsOf(text);
  const isSet = (name: string) => options[name] === 'true' || options[name] === '';
  if (kind === 'postgres') {
    const { table } = options;
    return postgres(url, { leaseMs, table, allowUnsafe: isSet('allowUnsafe') });
  }
  if (kind === 'etcd') {
    const { prefix, protocol } = options;
    if (protocol !== undefined && protocol !== 'grpc' && protocol !== 'json') {
      throw new UsageError(`protocol takes grpc or json, got "${protocol}"`);
    }
    return etcd(url, { leaseMs, prefix, protocol, user });
  }
  const { bucket, replicas = '1' } = options;
  if (!/^[1-5]$/.test(replicas)) {
    throw new UsageError(`replicas takes a number from 1 to 5, got "${replicas}"`);
  }
  return nats(url, {
    ...{ leaseMs, bucket, replicas: Number(replicas) },
    ...{ syncAlways: isSet('syncAlways'), allowUnsafe: isSet('allowUnsafe') },
    nats: user && { user: user.name, pass: user.password },
  });
}

/** Without the password, for logs. */
const withoutPassword = (url: string): string => url.replace(/:[^:@/]*@/, ':…@');

function partsOf(text: string): Parts {
  const scheme = /^([a-z]+):\/\/[^/?\s]/.exec(text)?.[1] ?? '';
  const kind = SCHEMES[scheme];
  if (kind === undefined) {
    throw new UsageError(
      `an engine is postgres://HOST/DATABASE, etcd://HOST:PORT or nats://HOST:PORT, got "${withoutPassword(text)}"`,
    );
  }
  const [whole = '', query = ''] = text.split(/\?(.*)/s);
  const ours = OPTIONS[kind]!;
  const options: Record<string, string> = {};
  const theirs: string[] = [];
  for (const pair of query.split('&').filter((part) => part !== '')) {
    const [name = '', value = ''] = pair.split('=');
    if (ours.includes(name)) options[name] = decodeURIComponent(value);
    else if (kind === 'postgres') theirs.push(pair);
    else throw new UsageError(`${kind} takes ${ours.join(', ')} after "?", got "${name}"`);
  }
  if (kind === 'postgres') {
    const url = theirs.length === 0 ? whole : `${whole}?${theirs.join('&')}`;
    return { kind, url, options, user: undefined };
  }
  const found = /^([a-z]+:\/\/)([^:@/]+):([^@]*)@(.*)$/.exec(whole);
  if (found === null) return { kind, url: whole, options, user: undefined };
  const [, start, name = '', password = '', rest] = found;
  const user = { name: decodeURIComponent(name), password: decodeURIComponent(password) };
  return { kind, url: `${start}${rest}`, options, user };
}
