/** The engine that a URL names: what `latchkey node --engine` and the setting `engine` take. */
import { UsageError } from '../core/errors.ts';
import { withoutPassword } from '../engines/address.ts';
import { etcd } from '../engines/etcd.ts';
import type { EngineFactory } from '../engines/factory.ts';
import { nats } from '../engines/nats.ts';
import { postgres } from '../engines/postgres.ts';
import { readSecretFile } from './certificates.ts';

/** Files in PEM, for TLS with the store. */
const FILES = ['ca', 'cert', 'key'];
/** What each engine takes after `?`. Postgres has parameters of its own, which go to its client. */
const OPTIONS: { readonly [scheme: string]: readonly string[] } = {
  postgres: ['table', 'allowUnsafe'],
  etcd: ['prefix', 'protocol', ...FILES],
  nats: ['bucket', 'replicas', 'syncAlways', 'allowUnsafe', ...FILES],
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
  /** What stands before `@` without a colon. */
  readonly token: string | undefined;
}

/** Throws a UsageError for what is no such URL. */
export function engineOf(text: string, leaseMs: number | undefined): EngineFactory {
  const { kind, url, options, user, token } = partsOf(text);
  const isSet = (name: string): boolean => {
    const { [name]: value = 'false' } = options;
    if (['', 'true', 'false'].includes(value)) return value !== 'false';
    throw new UsageError(`${name} takes true or false, got "${value}"`);
  };
  if (kind === 'postgres') {
    const { table } = options;
    return postgres(url, { leaseMs, table, allowUnsafe: isSet('allowUnsafe') });
  }
  if (kind === 'etcd') {
    const { prefix, protocol } = options;
    if (protocol !== undefined && protocol !== 'grpc' && protocol !== 'json') {
      throw new UsageError(`protocol takes grpc or json, got "${protocol}"`);
    }
    if (token !== undefined) {
      throw new UsageError('etcd takes USER:PASSWORD before "@", got no colon there');
    }
    return etcd(url, { leaseMs, prefix, protocol, user, tls: tlsOf(options) });
  }
  const { bucket, replicas = '1' } = options;
  if (!/^[1-5]$/.test(replicas)) {
    throw new UsageError(`replicas takes a number from 1 to 5, got "${replicas}"`);
  }
  return nats(url, {
    ...{ leaseMs, bucket, replicas: Number(replicas) },
    ...{ syncAlways: isSet('syncAlways'), allowUnsafe: isSet('allowUnsafe') },
    nats: {
      ...(user && { user: user.name, pass: user.password }),
      ...(token !== undefined && { token }),
      ...given('tls', tlsOf(options)),
    },
  });
}

const given = <T>(name: string, value: T | undefined) =>
  value === undefined ? {} : { [name]: value };

/** The certificates that the options name, or nothing if they name none. */
function tlsOf(options: Parts['options']): { readonly [name: string]: string } | undefined {
  const named = FILES.filter((name) => options[name] !== undefined);
  if (named.length === 0) return undefined;
  if (named.includes('cert') !== named.includes('key')) {
    throw new UsageError('a certificate takes both cert and key after "?"');
  }
  return Object.fromEntries(named.map((name) => [name, readSecretFile(name, options[name]!)]));
}

/** Of a part of a URL: `%41` stands for `A`. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new UsageError('a part of the URL has a "%" without two digits: write it as %25');
  }
}

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
    if (ours.includes(name)) options[name] = decoded(value);
    else if (kind === 'postgres') theirs.push(pair);
    else throw new UsageError(`${kind} takes ${ours.join(', ')} after "?", got "${name}"`);
  }
  if (kind === 'postgres') {
    const url = theirs.length === 0 ? whole : `${whole}?${theirs.join('&')}`;
    return { kind, url, options, user: undefined, token: undefined };
  }
  return { kind, options, ...userOf(whole) };
}

/** Passwords may have an `@`: the last one counts. */
function userOf(whole: string): Pick<Parts, 'url' | 'user' | 'token'> {
  const [, start = '', before, rest = ''] = /^([a-z]+:\/\/)(?:(.*)@)?(.*)$/s.exec(whole)!;
  const url = `${start}${rest}`;
  if (before === undefined) return { url, user: undefined, token: undefined };
  const [name = '', password] = before.split(/:(.*)/s);
  if (password === undefined) return { url, user: undefined, token: decoded(name) };
  return { url, user: { name: decoded(name), password: decoded(password) }, token: undefined };
}
