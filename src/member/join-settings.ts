/** The settings of `join`, and which of them are refused. */
import { UsageError } from '../core/errors.ts';
import type { EngineFactory } from '../engines/factory.ts';
import type { Engine } from '../group/engine.ts';
import type { Rule } from '../group/lock-algorithm.ts';
import { parseAddress } from '../net/address.ts';
import type { LogEntry } from '../net/refusals.ts';
import type { MemberTls } from './transport.ts';

export interface JoinSettings {
  /**
   * The name of this member; the other members list it among their peers. With an engine on a store it may be left out:
   * the default is the host name and some random characters.
   */
  readonly self?: string | undefined;
  /** Where the other members reach this one: `host:port`, or `unix:PATH` for a group on one machine. */
  readonly listen: string;
  /** With an engine on a store: where the other members reach this one, if that is not `listen`, as behind NAT. */
  readonly advertise?: string | undefined;
  /** The other members, and where they listen. All members must list the same names. None with an engine on a store. */
  readonly peers?: { readonly [id: string]: string } | undefined;
  /** Members of groups with other names do not talk to each other. Default `latchkey`. */
  readonly group?: string | undefined;
  /** Encrypts all connections; each member proves its name by its certificate. */
  readonly tls?: MemberTls | undefined;
  /**
   * Known to all members, at least 16 characters: each proves to the others that it knows it. It keeps other processes out
   * of a group without `tls`; it does not encrypt.
   */
  readonly secret?: string | undefined;
  /** Allows to listen at an address of a network without `tls`: see SECURITY.md. Default false. */
  readonly insecure?: boolean | undefined;
  /**
   * Whether members of one user on one machine may talk over a Unix socket beside the TCP port, which is faster; only on
   * Linux, and not with `tls`. Default true.
   */
  readonly shortcut?: boolean | undefined;
  /** Which algorithm serves which locks; the first rule that matches a name counts. */
  readonly locks?: readonly Rule[] | undefined;
  /** The same for semaphores. */
  readonly semaphores?: readonly Rule[] | undefined;
  /**
   * How many callers of this process may follow one another before the other members get their turn.
   * More is faster where many callers of one process want the same lock; fewer is fairer. Default 16.
   */
  readonly turns?: number | undefined;
  /**
   * Decides the membership: `fixed()`, or an engine on a store, such as `postgres(url)`, with which the group goes on
   * when members die. Default `fixed()`.
   */
  readonly engine?: Engine | EngineFactory | undefined;
  /** Hears what happens: members that come and go, views, peers that were refused. */
  readonly log?: ((entry: JoinLog) => void) | undefined;
}

export interface JoinLog extends LogEntry {
  readonly details?: { readonly [name: string]: unknown };
}

/** The names of both members must fit the first frame of a connection. */
const LONGEST_NAME = 255;

/** Lock rules of a group on a store, which may have any number of members, are checked for so many. */
export const MOST_MEMBERS = 64;

/** The engine on a store, if the settings have one. */
export function storeEngineOf({ engine }: JoinSettings): EngineFactory | undefined {
  return engine !== undefined && 'open' in engine ? engine : undefined;
}

/** Refuses wrong settings before any socket is opened. Programs in JavaScript have no types to tell them. */
export function checkJoin(settings: JoinSettings): void {
  if (typeof settings !== 'object' || settings === null) {
    throw new UsageError(`\`join\` takes settings: { self, listen, peers }, got ${settings}`);
  }
  const { self, listen, group, turns, advertise } = settings;
  checkEngine(settings.engine);
  const hasStore = storeEngineOf(settings) !== undefined;
  const names = hasStore && self === undefined ? { listen } : { self, listen };
  for (const [name, value] of Object.entries(names)) {
    if (typeof value === 'string' && value !== '') continue;
    throw new UsageError(
      `\`join\` needs \`${name}\`, a text that is not empty, got ${JSON.stringify(value)}`,
    );
  }
  if (self !== undefined && self.length > LONGEST_NAME) {
    throw new UsageError(
      `\`self\` has at most ${LONGEST_NAME} characters, got ${self.length}: take a shorter name`,
    );
  }
  if (group !== undefined && (typeof group !== 'string' || group === '')) {
    throw new UsageError(
      `\`group\` takes a text that is not empty, got ${JSON.stringify(group)}: leave it out for "latchkey"`,
    );
  }
  const { kind } = parseAddress(listen);
  if (hasStore) checkStore(settings, kind);
  else checkPeers(settings);
  if (!hasStore && advertise !== undefined) {
    throw new UsageError(
      `\`advertise\` is for an engine on a store, got ${JSON.stringify(advertise)}: the peers list this member's address`,
    );
  }
  checkKinds(settings);
  checkRules('locks', settings.locks);
  checkRules('semaphores', settings.semaphores);
  if (turns !== undefined && !(Number.isSafeInteger(turns) && turns >= 1)) {
    throw new UsageError(`\`turns\` takes a whole number from 1 up, got ${turns}`);
  }
}

const KINDS = {
  secret: ['string', 'a text'],
  insecure: ['boolean', 'true or false'],
  shortcut: ['boolean', 'true or false'],
  tls: ['object', '{ ca, cert, key }'],
  log: ['function', 'a function'],
} as const;

function checkKinds(settings: JoinSettings): void {
  for (const [name, [kind, rule]] of Object.entries(KINDS)) {
    const value = settings[name as keyof typeof KINDS];
    if (value === undefined || (typeof value === kind && value !== null)) continue;
    throw new UsageError(`\`${name}\` takes ${rule}, got ${JSON.stringify(value)}`);
  }
}

function checkRules(name: string, rules: unknown): void {
  if (rules === undefined) return;
  const isRule = (rule: unknown): boolean => {
    const { match, algorithm, options = [] } = (rule ?? {}) as Partial<Rule>;
    return typeof match === 'string' && typeof algorithm === 'string' && Array.isArray(options);
  };
  const wrong = Array.isArray(rules) ? rules.find((rule) => !isRule(rule)) : rules;
  if (Array.isArray(rules) && rules.every(isRule)) return;
  throw new UsageError(
    `\`${name}\` takes a list of rules, { match: 'x/*', algorithm: 'raymond', options: [] }, got ${JSON.stringify(wrong)}`,
  );
}

function checkEngine(engine: JoinSettings['engine']): void {
  if (engine === undefined) return;
  const { start, open } = engine as { start?: unknown; open?: unknown };
  if (typeof start === 'function' || typeof open === 'function') return;
  throw new UsageError(
    `\`engine\` takes fixed(), postgres(url), etcd(url) or nats(url), got ${JSON.stringify(engine)}`,
  );
}

function checkStore({ peers = {}, advertise }: JoinSettings, kind: string): void {
  const names = Object.keys(peers);
  if (names.length > 0) {
    throw new UsageError(
      `with an engine on a store the members find each other: leave \`peers\` out, got ${names.join(', ')}`,
    );
  }
  if (advertise === undefined) return;
  const at = parseAddress(advertise);
  if (at.kind !== kind || (at.kind === 'host' && at.port === 0)) {
    throw new UsageError(
      `\`advertise\` takes an address like \`listen\`, with its port, got ${JSON.stringify(advertise)}`,
    );
  }
}

function checkPeers({ self, listen, peers }: JoinSettings): void {
  if (typeof peers !== 'object' || peers === null || Array.isArray(peers)) {
    throw new UsageError(
      `\`join\` needs \`peers\`, the addresses of the others by their names ({} if there are none), got ${JSON.stringify(peers)}`,
    );
  }
  for (const [id, address] of Object.entries(peers)) {
    if (typeof address !== 'string') {
      throw new UsageError(
        `\`peers\` takes an address for each name, got ${JSON.stringify(address)} for ${JSON.stringify(id)}`,
      );
    }
    parseAddress(address);
  }
  if (Object.hasOwn(peers, self!)) {
    throw new UsageError(
      `\`peers\` are the other members, and ${JSON.stringify(self)} is this one: leave it out`,
    );
  }
  checkAddresses({ [self!]: listen, ...peers });
}

/** Two members at one address would be one process, and the group would wait for the other. */
function checkAddresses(addresses: { readonly [id: string]: string }): void {
  const owners = new Map<string, string>();
  for (const [id, address] of Object.entries(addresses)) {
    const owner = owners.get(address);
    if (owner !== undefined) {
      throw new UsageError(
        `${JSON.stringify(owner)} and ${JSON.stringify(id)} have the same address, got ${address} for both: give each member its own`,
      );
    }
    const at = parseAddress(address);
    // The system chooses another port for each member.
    if (at.kind === 'unix' || at.port > 0) owners.set(address, id);
  }
}
