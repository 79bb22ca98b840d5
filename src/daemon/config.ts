/** The settings of a member, from a file, the command line and what goes without saying. */
import { dirname, resolve } from 'node:path';
import { DEFAULT_GROUP, socketOf } from '../client/socket-paths.ts';
import { UsageError } from '../core/errors.ts';
import { Kinds, type Rule } from '../group/kind.ts';
import type { TlsPaths } from './listen.ts';
import type { LEVELS, RuleSetting, Settings } from './settings.ts';

export { parseSettings } from './settings-file.ts';

/** All that a daemon needs to know. */
export interface Config {
  readonly self: string;
  readonly listen: string;
  readonly peers: { readonly [id: string]: string };
  readonly group: string;
  readonly tls: TlsPaths | undefined;
  readonly shortcut: boolean;
  readonly socket: string | undefined;
  readonly clients: string | undefined;
  readonly dashboard: string | undefined;
  readonly locks: readonly Rule[];
  readonly semaphores: readonly Rule[];
  readonly turns: number | undefined;
  readonly log: (typeof LEVELS)[number];
}

/** What a file says, with its paths counted from its folder. */
export function relativeTo(file: string, settings: Settings): Settings {
  const { tls, socket } = settings;
  const from = (path: string | undefined) => path && resolve(dirname(file), path);
  return {
    ...settings,
    ...(tls && { tls: { ca: from(tls.ca), cert: from(tls.cert), key: from(tls.key) } }),
    ...(socket !== undefined && { socket: socket === 'off' ? socket : from(socket) }),
  };
}

/** Fills in the rest, and refuses what cannot be together. */
export function complete(settings: Settings): Config {
  const { self, listen, peers = {}, group = DEFAULT_GROUP, tls, shortcut = 'on' } = settings;
  const {
    socket,
    clients,
    dashboard = 'off',
    locks = [],
    semaphores = [],
    turns,
    log = 'info',
  } = settings;
  if (self === undefined) throw missing('self', 'the name of this member', 'a');
  if (listen === undefined) throw missing('listen', 'where the others reach it', 'localhost:7101');
  if (Object.hasOwn(peers, self)) {
    throw new UsageError(`peers are the others, and "${self}" is this member: leave it out`);
  }
  if (clients !== undefined && tls === undefined) {
    throw new UsageError('clients of other machines need tls: give ca, cert and key');
  }
  const rules = { locks: locks.map(asRule), semaphores: semaphores.map(asRule) };
  // Refuses what the algorithms cannot do in a group of this size.
  new Kinds(rules, Object.keys(peers).length + 1, 1);
  return {
    self,
    listen,
    peers,
    group,
    tls: tls && { ca: tls.ca!, cert: tls.cert!, key: tls.key! },
    shortcut: shortcut === 'on',
    socket: socket === 'off' ? undefined : (socket ?? socketOf(group, self)),
    clients,
    dashboard: dashboard === 'off' ? undefined : dashboard,
    ...rules,
    turns,
    log,
  };
}

const asRule = ({ match, algorithm, ...rest }: RuleSetting): Rule => ({
  match: match!,
  algorithm: algorithm!,
  ...rest,
});

const missing = (name: string, about: string, example: string): UsageError =>
  new UsageError(
    `${name} is missing, ${about}: give --${name} ${example}, or a file that has it with --config`,
  );
