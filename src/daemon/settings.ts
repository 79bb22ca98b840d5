/**
 * The settings of a member, declared once as data. The types, the errors, the reference in
 * docs/configuration.md and the JSON Schema for editors all derive from this.
 */
import { find } from '../algorithms/catalogue.ts';
import { checkName } from '../client/socket-paths.ts';
import { UsageError } from '../core/errors.ts';
import { parseOptions } from '../core/option.ts';
import { parseAddress } from '../net/address.ts';
import { engineOf } from './engine-url.ts';

export type Setting = Text | Whole | Flag | Choice | List | Table | Fields;

interface About {
  readonly about: string;
}
export interface Text extends About {
  readonly kind: 'text';
  /** What it takes, in a few words: "host:port". */
  readonly form: string;
  readonly example: string;
  /** Throws a UsageError that says the rule. */
  readonly check?: (value: string) => unknown;
  /** For editors. */
  readonly pattern?: string;
}
export interface Whole extends About {
  readonly kind: 'whole';
  readonly min: number;
  readonly max: number;
}
export interface Flag extends About {
  readonly kind: 'flag';
}
export interface Choice<V extends string = string> extends About {
  readonly kind: 'choice';
  readonly values: readonly V[];
}
export interface List<S extends Setting = Setting> extends About {
  readonly kind: 'list';
  readonly of: S;
}
/** Any names, each with a value. */
export interface Table<S extends Text = Text> extends About {
  readonly kind: 'table';
  readonly key: string;
  readonly checkKey: (key: string) => unknown;
  readonly of: S;
}
export interface Fields<F extends FieldMap = FieldMap> extends About {
  readonly kind: 'fields';
  readonly fields: F;
  readonly required: readonly (keyof F & string)[];
}
type FieldMap = { readonly [name: string]: Setting };

export type ValueOf<S extends Setting> = S extends Text
  ? string
  : S extends Whole
    ? number
    : S extends Flag
      ? boolean
      : S extends Choice<infer V>
        ? V
        : S extends List<infer E>
          ? readonly ValueOf<E>[]
          : S extends Table
            ? { readonly [name: string]: string }
            : S extends Fields<infer F>
              ? { readonly [N in keyof F]?: ValueOf<F[N]> | undefined }
              : never;

const isHostAndPort = (text: string): void => {
  if (parseAddress(text).kind !== 'host') throw new UsageError(`expected host:port, got "${text}"`);
};
const isPage = (text: string): void => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' || !text.endsWith('/')) {
    throw new UsageError(
      `expected the address of a page, as in http://10.0.0.2:7180/, got "${text}"`,
    );
  }
};
const unless = (word: string, check: (text: string) => unknown) => (text: string) =>
  text === word ? undefined : check(text);

const address = {
  kind: 'text',
  form: 'host:port or unix:PATH',
  check: parseAddress,
  pattern: '^(unix:.+|.+:[0-9]{1,5})$',
} as const;

const fileSetting = (about: string, example: string) =>
  ({ kind: 'text', about, form: 'a file in PEM', example }) as const;

const ruleFields = {
  match: {
    kind: 'text',
    about: 'the name of a lock, or a pattern in which `*` stands for any characters',
    form: 'a name or a pattern',
    example: 'build/*',
  },
  algorithm: {
    kind: 'text',
    about: 'what serves these locks: an id of `latchkey algorithms`',
    form: 'an algorithm',
    example: 'raymond',
    check: find,
  },
  options: {
    kind: 'list',
    about: 'its variants, `NAME` or `NAME=VALUE`',
    of: { kind: 'text', about: 'a variant', form: 'NAME or NAME=VALUE', example: 'greedy' },
  },
  topology: {
    kind: 'text',
    about: 'its tree, ring or graph, where it has one',
    form: 'the name of a topology',
    example: 'star',
  },
} as const satisfies FieldMap;

const accessFields = {
  client: {
    kind: 'text',
    about:
      'the name (CN) in the certificate of a client, or a pattern in which `*` stands for any characters',
    form: 'a name or a pattern',
    example: 'build-*',
  },
  locks: {
    kind: 'list',
    about: 'the locks and semaphores that it may ask for, by name or pattern',
    of: { kind: 'text', about: 'a lock', form: 'names or patterns', example: 'build/*' },
  },
  steal: { kind: 'flag', about: 'whether it may steal a lock from its holder. Default `false`' },
  status: {
    kind: 'flag',
    about: 'whether it may see members, holders and waiting requests. Default `false`',
  },
} as const satisfies FieldMap;

const rules = (what: string) =>
  ({
    kind: 'list',
    about: `which algorithm serves which ${what}; the first rule that matches a name counts. All members must have the same`,
    of: {
      kind: 'fields',
      about: 'a rule',
      fields: ruleFields,
      required: ['match', 'algorithm'],
    },
  }) as const;

export const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export const settings = {
  kind: 'fields',
  about: 'a member of a group',
  required: [],
  fields: {
    self: {
      kind: 'text',
      about:
        'the name of this member; the other members list it among their peers. Required without `engine`; with it the default is the host name and some random characters',
      form: 'a name',
      example: 'a',
      check: (name: string) => checkName('a member', name),
    },
    listen: {
      ...address,
      about:
        'where the other members reach this one. Required without `engine`; with it the default is any free port, at all addresses with `tls` or `insecure`, and else of this machine alone',
      example: '10.0.0.1:7101',
    },
    peers: {
      kind: 'table',
      about:
        'the other members, and where they listen. All members must list the same names. None with `engine`',
      key: 'a name',
      checkKey: (name: string) => checkName('a member', name),
      of: { ...address, about: 'where it listens', example: '10.0.0.2:7101' },
    },
    engine: {
      kind: 'text',
      about:
        'the store that decides which processes are members, so that the group goes on when one dies (docs/safety.md); all members need the same. Options follow `?`: `table` and `allowUnsafe` for Postgres, `prefix` and `protocol` for etcd, `bucket`, `replicas`, `syncAlways` and `allowUnsafe` for NATS. etcd and NATS also take `ca`, `cert` and `key`, files for TLS. Default: the members are `self` and `peers`',
      form: 'postgres://…, etcd://… or nats://…',
      example: 'postgres://app@db.internal/app',
      check: (url: string) => engineOf(url, undefined),
    },
    advertise: {
      ...address,
      about:
        'with `engine`: where the other members reach this one, if that is not `listen`, as in a container or behind NAT',
      example: '203.0.113.5:7101',
    },
    leaseMs: {
      kind: 'whole',
      about:
        'with `engine`: after so many milliseconds a member that is dead or cut off is left out. All members must have the same. Default 10000',
      min: 500,
      max: 3_600_000,
    },
    group: {
      kind: 'text',
      about: 'members of groups with other names do not talk to each other. Default `latchkey`',
      form: 'a name',
      example: 'staging',
      check: (name: string) => checkName('a group', name),
    },
    tls: {
      kind: 'fields',
      about:
        'encrypts all connections between machines; members and clients prove their names by certificates of one authority. Paths count from the folder of this file. SIGHUP reads the files again',
      required: ['ca', 'cert', 'key'],
      fields: {
        ca: fileSetting('the certificate authority of the group', 'ca.pem'),
        cert: fileSetting('the certificate of this member, in its name', 'a.pem'),
        key: fileSetting('its key', 'a.key'),
        crl: fileSetting(
          'a list of revoked certificates of the authority. Clients and members with one of them are refused',
          'revoked.pem',
        ),
        roles: {
          kind: 'choice',
          about:
            'whether every certificate must name its role and group, as the DNS name `member.GROUP.latchkey` or `client.GROUP.latchkey`. A certificate that names roles is always held to them. Default `optional`',
          values: ['optional', 'required'],
        },
      },
    },
    secret: {
      kind: 'text',
      about:
        'a file with a secret that all members share, by which they recognise each other without `tls`',
      form: 'a file',
      example: 'group.secret',
    },
    insecure: {
      kind: 'flag',
      about:
        'allows `listen` at an address that other machines can reach without `tls`. Default `false`',
    },
    shortcut: {
      kind: 'choice',
      about:
        'whether members of one user on one machine may talk over a Unix socket beside the TCP port, which is faster; only on Linux, and not with `tls`. Default `on`',
      values: ['on', 'off'],
    },
    socket: {
      kind: 'text',
      about:
        'the Unix socket for clients on this machine, as `latchkey lock`; `off` for none. Default `$XDG_RUNTIME_DIR/latchkey/GROUP/SELF.sock`, where clients look for it. All daemons in one folder must be of one group',
      form: 'a path, or off',
      example: '/run/latchkey/a.sock',
    },
    clients: {
      kind: 'text',
      about: 'where clients of other machines connect, with `tls`. Default: nowhere',
      form: 'host:port',
      example: '10.0.0.1:7201',
      check: isHostAndPort,
      pattern: '^.+:[0-9]{1,5}$',
    },
    dashboard: {
      kind: 'text',
      about:
        'the live page, /status.json, /metrics and /healthz; `off` for none, which is the default. All users who can reach it see the names of all locks',
      form: 'host:port, or off',
      example: '127.0.0.1:7180',
      check: unless('off', isHostAndPort),
      pattern: '^(off|.+:[0-9]{1,5})$',
    },
    hosts: {
      kind: 'list',
      about:
        'names under which browsers may ask for the page, beside `localhost`, addresses and the host of `dashboard`',
      of: { kind: 'text', about: 'a name', form: 'host names', example: 'locks.example.com' },
    },
    pages: {
      kind: 'table',
      about:
        'the pages of the other members, by their names: the live view of the lab then shows the messages among them too. `latchkey up` sets it',
      key: 'a name',
      checkKey: (name: string) => checkName('a member', name),
      of: {
        kind: 'text',
        about: 'its page',
        form: 'http://HOST:PORT/',
        example: 'http://10.0.0.2:7180/',
        check: isPage,
        pattern: '^http://.+/$',
      },
    },
    access: {
      kind: 'list',
      about:
        'what clients of other machines may do, by the name in their certificate; the first rule that matches counts, and a client that none matches is refused. Default: everything',
      of: {
        kind: 'fields',
        about: 'an access rule',
        fields: accessFields,
        required: ['client', 'locks'],
      },
    },
    maxNameBytes: {
      kind: 'whole',
      about: 'the longest name of a lock that a client may ask for, in bytes. Default 1024',
      min: 1,
      max: 65_000,
    },
    maxRequestsPerClient: {
      kind: 'whole',
      about: 'how many locks one client may hold and wait for. Default 10000',
      min: 1,
      max: 1_000_000,
    },
    maxRequests: {
      kind: 'whole',
      about:
        'how many locks all clients of this member together may hold and wait for. Default 100000',
      min: 1,
      max: 10_000_000,
    },
    locks: rules('locks'),
    semaphores: rules('semaphores'),
    turns: {
      kind: 'whole',
      about:
        'how many callers of this member may follow one another before the other members get their turn. Default 16',
      min: 1,
      max: 1_000_000,
    },
    log: {
      kind: 'choice',
      about: 'what is logged, as JSON lines on stderr. Default `info`',
      values: LEVELS,
    },
  },
} as const satisfies Fields;

/** What a file or a command line may set. */
export type Settings = ValueOf<typeof settings>;
export type AccessSetting = ValueOf<(typeof settings)['fields']['access']['of']>;
export type RuleSetting = ValueOf<(typeof settings)['fields']['locks']['of']>;

/** Refuses options that the rule's algorithm does not have, and values that they do not take. */
export function checkRule({ algorithm, options = [] }: RuleSetting): void {
  parseOptions(algorithm!, find(algorithm!).options, options);
}

/** Flags are held to the same rules as a file. */
export function checkFlags(given: Settings): void {
  for (const [name, setting] of Object.entries(settings.fields as FieldMap)) {
    const value = given[name as keyof Settings];
    if (value === undefined) continue;
    if (setting.kind === 'text') checkText(`--${name}`, setting, value as string);
    if (setting.kind === 'table') {
      for (const [key, text] of Object.entries(value as Record<string, string>)) {
        checkText('--peer', { check: setting.checkKey }, key);
        checkText('--peer', setting.of, text);
      }
    }
  }
}

function checkText(flag: string, { check }: Pick<Text, 'check'>, value: string): void {
  try {
    check?.(value);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${flag}: ${error.message}`, { cause: error });
  }
}
