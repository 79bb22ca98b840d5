/** The settings of a member: what they may be, what is said of what they may not be, and where. */
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/core/errors.ts';
import { complete, parseSettings, relativeTo } from '../../src/daemon/config.ts';
import { configurationDoc, jsonSchema } from '../support/config-doc.ts';

const read = (text: string) => parseSettings(text, 'latchkey.yaml');
const message = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('nothing was wrong with it');
};

const WHOLE = `
self: a
listen: 10.0.0.1:7101
peers:
  b: 10.0.0.2:7101
  c: unix:/run/c
group: staging
tls: { ca: ca.pem, cert: a.pem, key: keys/a.key, crl: gone.pem, roles: required }
secret: group.secret
insecure: true
hosts: [locks.example.com]
pages:
  b: http://10.0.0.2:7180/
access:
  - { client: 'build-*', locks: ['build/*'], status: true }
maxNameBytes: 2048
maxRequests: 500
shortcut: off
socket: run/a.sock
clients: 0.0.0.0:7201
dashboard: 127.0.0.1:7180
turns: 4
log: warn
locks:
  - { match: 'build/*', algorithm: raymond, options: [greedy], topology: star }
  - match: '*'
    algorithm: naimi-trehel
semaphores:
  - { match: '*', algorithm: raymond-k }
`;

describe('a file', () => {
  test('with everything in it', () => {
    const config = complete(relativeTo('/etc/latchkey/a.yaml', read(WHOLE)));
    expect(config).toEqual({
      self: 'a',
      listen: '10.0.0.1:7101',
      peers: { b: '10.0.0.2:7101', c: 'unix:/run/c' },
      group: 'staging',
      tls: {
        ca: '/etc/latchkey/ca.pem',
        cert: '/etc/latchkey/a.pem',
        key: '/etc/latchkey/keys/a.key',
        crl: '/etc/latchkey/gone.pem',
        requireRoles: true,
      },
      secret: '/etc/latchkey/group.secret',
      insecure: true,
      hosts: ['locks.example.com'],
      pages: { b: 'http://10.0.0.2:7180/' },
      access: [{ client: 'build-*', locks: ['build/*'], steal: false, status: true }],
      limits: { maxNameBytes: 2048, maxRequests: 500 },
      shortcut: false,
      socket: '/etc/latchkey/run/a.sock',
      clients: '0.0.0.0:7201',
      dashboard: '127.0.0.1:7180',
      turns: 4,
      log: 'warn',
      locks: [
        { match: 'build/*', algorithm: 'raymond', options: ['greedy'], topology: 'star' },
        { match: '*', algorithm: 'naimi-trehel' },
      ],
      semaphores: [{ match: '*', algorithm: 'raymond-k' }],
    });
  });
  test('in JSON, and with aliases', () => {
    expect(read('{ "self": "a", "listen": "h:1", "peers": {} }')).toEqual({
      self: 'a',
      listen: 'h:1',
      peers: {},
    });
    expect(read('self: &x a\ngroup: *x')).toEqual({ self: 'a', group: 'a' });
  });
  test('with an engine, the default is any port: of this machine alone, unless others are meant to reach it', () => {
    const listenOf = (more: string) => complete(read(`engine: postgres://h/d${more}`)).listen;
    expect(listenOf('')).toBe('localhost:0');
    expect(listenOf('\ninsecure: true')).toBe('0.0.0.0:0');
    expect(listenOf('\ntls: { ca: ca.pem, cert: a.pem, key: a.key }')).toBe('0.0.0.0:0');
    expect(listenOf('\nlisten: h:1')).toBe('h:1');
  });

  test('with next to nothing in it: the rest goes without saying', () => {
    const config = complete(read('self: a\nlisten: h:1'));
    expect(config).toMatchObject({ peers: {}, group: 'latchkey', log: 'info', locks: [] });
    expect(config.socket).toMatch(/latchkey\/a\.sock$/);
    expect(config.dashboard).toBeUndefined();
    expect(complete(read('self: a\nlisten: h:1\nsocket: off')).socket).toBeUndefined();
  });
});

describe('what is wrong is told with its place, the value, the rule and the nearest right name', () => {
  test.each([
    [
      'self: a\npeer: {}',
      '2:1: there is no setting "peer" (did you mean "peers"?): there are self, ',
    ],
    ['self: 7', '1:7: self takes a name, got 7; write it in quotes: "7"'],
    ['self: -a', '1:7: self: the name of a member has the characters'],
    [
      'listen: 7101',
      '1:9: listen takes host:port or unix:PATH, got 7101; write it in quotes: "7101"',
    ],
    ['listen: here', '1:9: listen: expected an address as host:port or unix:path, got "here"'],
    ['listen:', '1:8: listen takes host:port or unix:PATH, got nothing'],
    ['peers: [b]', '1:8: peers takes a name: host:port or unix:PATH, got a list'],
    ['peers:\n  b c: h:1', '2:3: peers: the name of a member has the characters'],
    ['peers:\n  b: { at: h }', '2:6: peers.b takes host:port or unix:PATH, got settings'],
    ['turns: 0', '1:8: turns takes a whole number from 1 to 1000000, got 0'],
    ['turns: many', '1:8: turns takes a whole number from 1 to 1000000, got "many"'],
    [
      'log: warning',
      '1:6: log takes debug, info, warn, error, silent, got "warning" (did you mean "warn"?)',
    ],
    ['dashboard: on', '1:12: dashboard: expected an address as host:port or unix:path, got "on"'],
    ['dashboard: unix:/x', '1:12: dashboard: expected host:port, got "unix:/x"'],
    ['insecure: maybe', '1:11: insecure takes true or false, got "maybe"'],
    ['access: [{ client: x }]', '1:10: access[0] has no locks: add locks: …'],
    ['tls: { ca: x, cert: y }', '1:6: tls has no key: add key: …'],
    ['locks: raymond', '1:8: locks takes a list, got "raymond"'],
    [
      'locks:\n  - { match: x, algorithm: raymnd }',
      '2:28: locks[0].algorithm: there is no algorithm "raymnd" (did you mean "raymond"?)',
    ],
    [
      'locks:\n  - match: x\n    algorithm: raymond\n    options: [greed]',
      '2:5: locks[0]: raymond has no option "greed"',
    ],
    ['locks:\n  - { algorithm: raymond }', '2:5: locks[0] has no match: add match: …'],
    ['self: a\nself: b', '2:1: this is not YAML: Map keys must be unique'],
    ['self: [', '1:8: this is not YAML: Flow sequence'],
    ['- a', '1:1: the file takes settings: self, listen'],
    ['', '1:1: the file takes settings: self, listen'],
  ])('%j', (text, expected) => {
    const told = message(() => read(text));
    expect(told.startsWith(`latchkey.yaml:${expected}`), told).toBe(true);
    expect(told).not.toContain('\n');
  });

  test.each([
    ['listen: h:1', 'self is missing, the name of this member: give --self a, or a file'],
    ['self: a', 'listen is missing, where the others reach it: give --listen localhost:7101'],
    [
      'self: a\nlisten: h:1\npeers: { a: "h:2" }',
      'peers are the other members, and "a" is this one',
    ],
    ['self: a\nlisten: h:1\naccess: []', 'access is for clients of other machines'],
    ['self: a\nlisten: h:1\nclients: h:2', 'clients of other machines need tls'],
    [
      'self: a\nlisten: h:1\nlocks: [{ match: x, algorithm: ricart-agrawala, options: [implicit-reply] }]',
      'ricart-agrawala with implicit-reply cannot run here',
    ],
    [
      'self: a\nlisten: h:1\nlocks: [{ match: x, algorithm: ricart-agrawala, options: [sponsor] }]',
      'ricart-agrawala with sponsor cannot run here: it needs a bound on how long a message takes',
    ],
    [
      'self: a\nlisten: h:1\nsemaphores: [{ match: x, algorithm: raymond }]',
      'raymond has no permits',
    ],
  ])('together: %j', (text, expected) => {
    expect(message(() => complete(read(text)))).toContain(expected);
  });
});

describe('a hostile file', () => {
  test('is refused if aliases make it stand for too many values', () => {
    const many = `locks:\n${Array.from({ length: 400 }, () => '  - *rule').join('\n')}`;
    const options = Array.from({ length: 400 }, () => 'greedy').join(', ');
    const rule = `semaphores:\n  - &rule { match: x, algorithm: raymond, options: [${options}] }`;
    expect(message(() => read(`${rule}\n${many}`))).toContain('at most 100000 values');
  });
  test('is refused if it is longer than any configuration', () => {
    expect(message(() => read(`self: a # ${'x'.repeat(1_100_000)}`))).toContain(
      'at most 1048576 characters',
    );
  });
});

describe('written down (npx vitest run test/daemon/config.test.ts -u)', () => {
  test('docs/configuration.md', async () => {
    await expect(configurationDoc()).toMatchFileSnapshot('../../docs/configuration.md');
  });
  test('docs/latchkey.schema.json', async () => {
    await expect(jsonSchema()).toMatchFileSnapshot('../../docs/latchkey.schema.json');
  });
  test('the example in it is one', () => {
    const [, example] = /```yaml\n([\s\S]*?)```/.exec(configurationDoc())!;
    expect(complete(read(example!)).self).toBe('a');
  });
});
