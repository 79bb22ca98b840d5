/** The configuration of a daemon: the settings of a file and of flags, completed with defaults. */
import { dirname, resolve } from 'node:path';
import { DEFAULT_GROUP, socketOf } from '../client/socket-paths.ts';
import { UsageError } from '../core/errors.ts';
import type { EngineFactory } from '../engines/factory.ts';
import { LockAlgorithms, type Rule } from '../group/lock-algorithm.ts';
import { uniqueName } from '../member/advertise.ts';
import { MOST_MEMBERS } from '../member/join-settings.ts';
import { checkSocketPath } from '../net/unix-sockets.ts';
import type { AccessRule } from './access.ts';
import type { TlsPaths } from './certificates.ts';
import { engineOf } from './engine-url.ts';
import type { DaemonLimits } from './limits.ts';
import type { AccessSetting, LEVELS, RuleSetting, Settings } from './settings.ts';

export { parseSettings } from './settings-file.ts';

/** Everything that a daemon is configured with. */
export interface Config {
  readonly self: string;
  readonly listen: string;
  readonly advertise: string | undefined;
  /** On a store; none for the configured members. */
  readonly engine: EngineFactory | undefined;
  readonly peers: { readonly [id: string]: string };
  readonly group: string;
  readonly tls: TlsPaths | undefined;
  /** A file with the secret of the group. */
  readonly secret: string | undefined;
  readonly insecure: boolean;
  readonly shortcut: boolean;
  readonly socket: string | undefined;
  readonly clients: string | undefined;
  readonly dashboard: string | undefined;
  readonly hosts: readonly string[];
  readonly pages: { readonly [member: string]: string };
  readonly access: readonly AccessRule[] | undefined;
  readonly limits: Partial<DaemonLimits>;
  readonly locks: readonly Rule[];
  readonly semaphores: readonly Rule[];
  readonly turns: number | undefined;
  readonly log: (typeof LEVELS)[number];
}

/** The settings of a file, with relative paths resolved from its folder. */
export function relativeTo(file: string, settings: Settings): Settings {
  const { tls, socket, secret } = settings;
  const from = (path: string | undefined) => path && resolve(dirname(file), path);
  return {
    ...settings,
    ...(tls && {
      tls: {
        ...tls,
        ca: from(tls.ca),
        cert: from(tls.cert),
        key: from(tls.key),
        ...(tls.crl !== undefined && { crl: from(tls.crl) }),
      },
    }),
    ...(secret !== undefined && { secret: from(secret) }),
    ...(socket !== undefined && { socket: socket === 'off' ? socket : from(socket) }),
  };
}

/** Fills in the defaults, and refuses settings that contradict each other. */
export function complete(settings: Settings): Config {
  const { group = DEFAULT_GROUP, tls, insecure = false, shortcut = 'on' } = settings;
  const { self, peers, engine } = membersOf(settings);
  // In a store the others find the address, whatever it is.
  const anywhere = tls === undefined && !insecure ? 'localhost:0' : '0.0.0.0:0';
  const { listen = engine === undefined ? undefined : anywhere } = settings;
  const { socket, clients, dashboard = 'off', locks = [], semaphores = [], access } = settings;
  if (listen === undefined) throw missing('listen', 'where the others reach it', 'localhost:7101');
  if (clients !== undefined && tls === undefined) {
    throw new UsageError('clients of other machines need tls: give ca, cert and key');
  }
  if (access !== undefined && clients === undefined) {
    throw new UsageError('access is for clients of other machines: give clients, or leave it out');
  }
  const rules = { locks: locks.map(asRule), semaphores: semaphores.map(asRule) };
  // Refuses a rule whose algorithm cannot run in a group of this size.
  new LockAlgorithms(rules, engine === undefined ? Object.keys(peers).length + 1 : MOST_MEMBERS, 1);
  const { maxNameBytes, maxRequestsPerClient, maxRequests } = settings;
  return {
    self,
    listen,
    advertise: settings.advertise,
    engine,
    peers,
    group,
    tls: tls && asPaths(tls),
    secret: settings.secret,
    insecure,
    shortcut: shortcut === 'on',
    socket: socket === 'off' ? undefined : checkSocketPath(socket ?? socketOf(group, self)),
    clients,
    dashboard: dashboard === 'off' ? undefined : dashboard,
    hosts: settings.hosts ?? [],
    pages: settings.pages ?? {},
    access: access?.map(asAccessRule),
    limits: given({ maxNameBytes, maxRequestsPerClient, maxRequests }),
    ...rules,
    turns: settings.turns,
    log: settings.log ?? 'info',
  };
}

/** The members: configured, or found in a store. */
function membersOf(settings: Settings): Pick<Config, 'self' | 'peers' | 'engine'> {
  const { self, peers = {}, engine, leaseMs, advertise } = settings;
  if (engine !== undefined) {
    if (Object.keys(peers).length > 0) {
      throw new UsageError('with engine the members find each other: leave peers out');
    }
    return { self: self ?? uniqueName(), peers, engine: engineOf(engine, leaseMs) };
  }
  if (self === undefined) throw missing('self', 'the name of this member', 'a');
  const [alone] = Object.entries(given({ leaseMs, advertise }));
  if (alone !== undefined) {
    const [name, value] = alone;
    throw new UsageError(`${name} is for a group with engine, got ${value}: leave it out`);
  }
  if (Object.hasOwn(peers, self)) {
    throw new UsageError(`peers are the other members, and "${self}" is this one: leave it out`);
  }
  return { self, peers, engine: undefined };
}

/** Leaves out undefined settings, which must not hide a default. */
const given = <T extends object>(
  values: {
    readonly [K in keyof T]: T[K] | undefined;
  },
): Partial<T> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<T>;

const asPaths = ({ ca, cert, key, crl, roles }: NonNullable<Settings['tls']>): TlsPaths => ({
  ca: ca!,
  cert: cert!,
  key: key!,
  ...(crl !== undefined && { crl }),
  ...(roles === 'required' && { requireRoles: true }),
});

const asAccessRule = ({ client, locks, steal, status }: AccessSetting): AccessRule => ({
  client: client!,
  locks: locks!,
  steal: steal ?? false,
  status: status ?? false,
});

const asRule = ({ match, algorithm, ...rest }: RuleSetting): Rule => ({
  match: match!,
  algorithm: algorithm!,
  ...rest,
});

const missing = (name: string, about: string, example: string): UsageError =>
  new UsageError(
    `${name} is missing, ${about}: give --${name} ${example}, or a file that has it with --config`,
  );
