/** What is written about the settings, made from their declaration. */
import { type Fields, type Setting, settings } from '../../src/daemon/settings.ts';

const formOf = (setting: Setting): string => {
  switch (setting.kind) {
    case 'text':
      return setting.form;
    case 'whole':
      return `a whole number from ${setting.min} to ${setting.max}`;
    case 'flag':
      return '`true`, `false`';
    case 'choice':
      return setting.values.map((value) => `\`${value}\``).join(', ');
    case 'list':
      return setting.of.kind === 'fields'
        ? 'a list of rules, below'
        : `a list of ${formOf(setting.of)}`;
    case 'table':
      return `${setting.key}: ${setting.of.form}`;
    case 'fields':
      return 'settings of its own, below';
  }
};

const table = ({ fields, required }: Fields, prefix = ''): string =>
  [
    '| setting | takes | |',
    '|---|---|---|',
    ...Object.entries(fields).map(([name, setting]) => {
      const must = required.includes(name) ? ' **Required.**' : '';
      const about = setting.about[0]!.toUpperCase() + setting.about.slice(1);
      return `| \`${prefix}${name}\` | ${formOf(setting)} | ${about}.${must} |`;
    }),
  ].join('\n');

export function configurationDoc(): string {
  const { tls, locks, access } = settings.fields;
  return `# Settings of a member

\`latchkey node --config FILE\` reads the settings of a member from a file, in YAML or JSON. An error in the file is
reported with its line and column, the rule, and the nearest right name. Editors that know JSON Schema complete and
check the file with [latchkey.schema.json](latchkey.schema.json): put this into the first line.

\`\`\`yaml
# yaml-language-server: $schema=node_modules/latchkey/docs/latchkey.schema.json
self: a
listen: 10.0.0.1:7101
peers:
  b: 10.0.0.2:7101
  c: 10.0.0.3:7101
tls: { ca: ca.pem, cert: a.pem, key: a.key }
dashboard: 127.0.0.1:7180
locks:
  - { match: 'build/*', algorithm: raymond, topology: star }
\`\`\`

All members must agree on the names of the members, the rules for locks and semaphores, and the engine. A member
that does not agree is refused, and the other members log it.

With \`engine\` there are no names and no peers: the members find each other in a store, and the group goes on when one of
them dies. The file may hold a password of the store, so let only this user read it.

\`\`\`yaml
engine: postgres://app:password@db.internal/app
tls: { ca: ca.pem, cert: a.pem, key: a.key }
\`\`\`

Some settings have flags, which override the file. \`--self\`, \`--listen\`, \`--group\`, \`--secret\`, \`--insecure\`,
\`--socket\`, \`--clients\`, \`--dashboard\`, \`--engine\`, \`--advertise\`, \`--lease-ms\` and \`--turns\` set the setting of that name. \`--ca\`, \`--cert\` and \`--key\`
together replace \`tls\`. \`--peer NAME=ADDRESS\`, repeated, replaces \`peers\`. \`--lock PATTERN=ALGORITHM\` and
\`--semaphore PATTERN=ALGORITHM\`, repeated, replace \`locks\` and \`semaphores\`. \`--log-level\` sets \`log\`. The other
settings have no flag. With \`tls\`, SIGHUP makes \`latchkey node\` read the certificates and the access rules again.

${table(settings)}

## tls

${table(tls, 'tls.')}

## A rule of access

${table(access.of)}

## A rule of locks or semaphores

${table(locks.of)}
`;
}

function schemaOf(setting: Setting): object {
  const description = setting.about.replaceAll('`', '');
  switch (setting.kind) {
    case 'text':
      return { description, type: 'string', pattern: setting.pattern, examples: [setting.example] };
    case 'whole':
      return { description, type: 'integer', minimum: setting.min, maximum: setting.max };
    case 'flag':
      return { description, type: 'boolean' };
    case 'choice':
      return { description, enum: setting.values };
    case 'list':
      return { description, type: 'array', items: schemaOf(setting.of) };
    case 'table':
      return { description, type: 'object', additionalProperties: schemaOf(setting.of) };
    case 'fields':
      return {
        description,
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(setting.fields).map(([name, field]) => [name, schemaOf(field)]),
        ),
        required: setting.required,
        additionalProperties: false,
      };
  }
}

export const jsonSchema = (): string =>
  `${JSON.stringify(
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'Settings of a member of a Latchkey group',
      ...schemaOf(settings),
    },
    null,
    2,
  )}\n`;
