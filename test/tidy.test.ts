/**
 * The shape of the code base, as a test: which folder may import which, which folders are pure, which code is
 * dead, how long files and functions are, and which words are banned.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

// Listed bottom up. A folder may import from those named, and from itself.
const PURE_CORE = ['core', 'topologies'];
const layers: Record<string, { readonly imports: readonly string[]; readonly pure: boolean }> = {
  core: { imports: [], pure: true },
  topologies: { imports: ['core'], pure: true },
  algorithms: { imports: PURE_CORE, pure: true },
  sim: { imports: PURE_CORE, pure: true },
  check: { imports: [...PURE_CORE, 'group'], pure: true },
  papers: { imports: [...PURE_CORE, 'algorithms', 'sim', 'check'], pure: true },
  group: { imports: [...PURE_CORE, 'algorithms'], pure: true },
  net: { imports: ['core'], pure: false },
  engines: { imports: ['core', 'group', 'net'], pure: false },
  locks: { imports: ['core', 'group'], pure: false },
  client: { imports: ['core', 'group', 'locks', 'net'], pure: false },
  member: {
    imports: [...PURE_CORE, 'algorithms', 'group', 'net', 'engines', 'locks'],
    pure: false,
  },
  daemon: {
    imports: [...PURE_CORE, 'algorithms', 'group', 'net', 'engines', 'locks', 'client', 'member'],
    pure: false,
  },
  soak: {
    imports: ['core', 'engines', 'locks', 'member', 'daemon'],
    pure: false,
  },
  // The public library: it names what a program may import, and must not depend on the daemon.
  'index.ts': {
    imports: ['core', 'group', 'net', 'engines', 'locks', 'client', 'member'],
    pure: false,
  },
  cli: {
    imports: [
      ...[...PURE_CORE, 'algorithms', 'sim', 'check', 'papers'],
      ...['group', 'net', 'engines', 'locks', 'client', 'member', 'daemon', 'soak'],
    ],
    pure: false,
  },
};
const IMPURE =
  /from 'node:|\bDate\b|\bMath\.random\b|\bperformance\b|\bset(Timeout|Interval|Immediate)\b|\bprocess\b|\bconsole\b/;

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((f) =>
  f.endsWith('.ts'),
);
const textOf = (file: string): string => readFileSync(join('src', file), 'utf8');
const folderOf = (file: string): string => file.split('/')[0]!;

/** The code without its comments, which may speak of anything. */
const codeOf = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*/g, '');

/** And without its sentences: a string with a blank in it names no variable. */
const wordless = (code: string): string =>
  code.replace(/'[^'\n]*'|"[^"\n]*"/g, (text) => (text.includes(' ') ? "''" : text));

function strangers(file: string, text: string): string[] {
  const folder = folderOf(file);
  const allowed = [folder, ...(layers[folder]?.imports ?? [])];
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)]
    .map(([, target]) => folderOf(relative('src', join('src', dirname(file), target!))))
    .filter((imported) => !allowed.includes(imported));
}

describe('layers', () => {
  test('every folder is in the table', () => {
    expect([...new Set(files.map(folderOf))].filter((f) => !(f in layers))).toEqual([]);
  });
  test.each(files)('%s imports only what lies below it', (file) => {
    expect(strangers(file, textOf(file))).toEqual([]);
  });
  test('a stranger would be seen', () => {
    expect(strangers('core/x.ts', "import { a } from '../sim/a.ts';")).toEqual(['sim']);
    expect(strangers('sim/x.ts', "await import('../check/a.ts')")).toEqual(['check']);
  });
});

describe('pure folders know no clock, no chance and no machine', () => {
  const pure = files.filter((file) => layers[folderOf(file)]?.pure);
  test.each(pure)('%s', (file) => {
    // Quotations from the papers may speak of processes.
    expect(wordless(codeOf(textOf(file)))).not.toMatch(IMPURE);
    // Nor any library: what runs in a browser and in a replay is what is here.
    expect(codeOf(textOf(file))).not.toMatch(/^(?:import|export|\}).*from '[^.]/m);
  });
  test('a glance at the clock would be seen', () => {
    expect(codeOf('const t = Date.now(); // fine')).toMatch(IMPURE);
    expect(codeOf('// Date\n/* process */ let a = 1;')).not.toMatch(IMPURE);
    expect(wordless("f('a', process.env, 'b');")).toMatch(IMPURE);
    expect(wordless("f('A process waits.', 1);")).not.toMatch(IMPURE);
  });
});

describe('nothing is dead', () => {
  test('no file, export or dependency is unused', () => {
    const { stdout } = spawnSync('npx', ['knip', '--no-progress'], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });
});

describe('size', () => {
  test.each(files)('%s is one idea', (file) => {
    // 500 lines, and what follows the last line's end.
    expect(textOf(file).split('\n').length).toBeLessThanOrEqual(501);
  });

  // `npm run lint` applies the limit to src; biome.json names the exceptions.
  test('a function of src has at most 70 lines', () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-tidy-'));
    try {
      mkdirSync(join(folder, 'src', 'core'), { recursive: true });
      copyFileSync('biome.json', join(folder, 'biome.json'));
      for (const lines of [70, 71]) {
        const text = `export function f(a: number[]): void {\n${'  a.push(1);\n'.repeat(lines)}}\n`;
        writeFileSync(join(folder, 'src', 'core', `of-${lines}.ts`), text);
      }
      const biome = resolve('node_modules/.bin/biome');
      const args = ['lint', '--vcs-enabled=false', '--colors=off', '.'];
      const { stderr } = spawnSync(biome, args, { cwd: folder, encoding: 'utf8' });
      const found = [...stderr.matchAll(/(of-\d+\.ts)\S* lint\/complexity\/(\w+)/g)];
      expect(found.map(([, file, rule]) => [file, rule])).toEqual([
        ['of-71.ts', 'noExcessiveLinesPerFunction'],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('words', () => {
  // Pronouns for software, and metaphors that were once names of mechanisms.
  const BANNED = new Set([
    ...['whoever', 'whomever', 'someone', 'somebody', 'manieth'],
    ...[
      'asleep',
      'breath',
      'casualties',
      'census',
      'company',
      'correspondent',
      'desk',
      'diary',
      'intake',
    ],
    ...['keeper', 'letter', 'letters', 'locksmith', 'mailbox', 'nap', 'onlooker', 'patience'],
    ...['porch', 'pulse', 'shelf', 'stranger', 'wish', 'wishes'],
  ]);
  // The papers in their own words.
  const QUOTATIONS = /^papers\/.*\/sentences[^/]*\.ts$/;
  // The names of a program and of a journal.
  const PROPER_NAMES = /\bZooKeeper\b|\bInformation Processing(\s+\*)? Letters\b/g;

  /** The banned words of a text, also as parts of identifiers. */
  const bannedIn = (text: string): string[] => {
    const words = text.replace(PROPER_NAMES, '').match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
    return words.map((word) => word.toLowerCase()).filter((word) => BANNED.has(word));
  };

  const own = files.filter((file) => !QUOTATIONS.test(file));
  test.each(own)('%s has no banned word', (file) => {
    expect(bannedIn(textOf(file))).toEqual([]);
  });

  // Names that once had several meanings, and now have others: `rerequest`, `downgrade`, and so on.
  const AMBIGUOUS = new Set(['again', 'settle', 'settled', 'settles', 'settling']);
  const IN_BRACES = String.raw`\$\{((?:[^{}\x60]|\{[^{}\x60]*\}|\x60[^\x60]*\x60)*)\}`;
  const TEXTS = new RegExp(
    [
      ...[String.raw`\/\*[\s\S]*?\*\/`, String.raw`\/\/.*`, String.raw`'(?:[^'\\\n]|\\.)*'`],
      ...[
        String.raw`"(?:[^"\\\n]|\\.)*"`,
        String.raw`\x60(?:[^\x60\\$]|\\.|\$(?!\{)|${IN_BRACES})*\x60`,
      ],
    ].join('|'),
    'g',
  );

  /** The code without comments and sentences. A string of one word is a name, and stays. */
  const namesOf = (code: string): string =>
    code.replace(TEXTS, (text) => {
      const parts = [...text.matchAll(new RegExp(IN_BRACES, 'g'))].map(([, part]) => part!);
      if (text.startsWith('`')) return ` ${parts.map(namesOf).join(' ')} `;
      return /^['"]\w+['"]$/.test(text) ? text : ' ';
    });
  const ambiguousIn = (file: string, text: string): string[] => {
    const names = namesOf(text).replace(/\ballSettled\b/g, '');
    // In a page of the lab, what stands between two tags is text.
    const own = file.endsWith('.tsx') ? names.replace(/>[^<>{}=]*</g, '><') : names;
    const words = own.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
    return words.filter((word) => AMBIGUOUS.has(word.toLowerCase()));
  };

  const ofTheLab = readdirSync('lab', { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `lab/${file}`);
  test.each([...files.map((file) => `src/${file}`), ...ofTheLab])(
    '%s has no name with several meanings',
    (file) => {
      expect(ambiguousIn(file, readFileSync(file, 'utf8'))).toEqual([]);
    },
  );
  test('a name with several meanings is found, and a sentence with that word is not', () => {
    const found = (text: string, file = 'a.ts') => ambiguousIn(file, text);
    expect(found("if (event === 'again') site.settle(mustAskAgain, AGAIN_MS);")).toEqual([
      ...['again', 'settle', 'Again', 'AGAIN'],
    ]);
    expect(found('`try again $' + '{b ? `again` : again}`')).toEqual(['again']);
    expect(found("/* again */ f('locks/*', 'ask again', `again`); // settle")).toEqual([]);
    expect(found('await Promise.allSettled(all);')).toEqual([]);
    expect(found('<p class="note">Trying again; wait.</p>', 'a.tsx')).toEqual([]);
    expect(found('<p class={again}>Trying.</p>', 'a.tsx')).toEqual(['again']);
  });

  /** A page without the words of papers, which stand in “quotation marks” and in lines that begin with `>`. */
  const withoutQuotations = (page: string): string =>
    page.replace(/“[^”]*”/g, '').replace(/^>.*$/gm, '');
  const PAGES = ['algorithms', 'checked', 'claims', 'errata', 'papers'];
  test.each(PAGES)('docs/%s.md has no banned word', (name) => {
    const page = withoutQuotations(readFileSync(`docs/${name}.md`, 'utf8'));
    expect(page.length).toBeGreaterThan(1000);
    expect(bannedIn(page)).toEqual([]);
  });

  // Pages that are written by hand, for users and for newcomers.
  const PROSE = [
    ...['README', 'ARCHITECTURE', 'CONTRIBUTING', 'SECURITY', 'CHANGELOG'],
    ...['locks', 'configuration', 'upgrades', 'glossary', 'safety', 'clients', 'lab'].map(
      (name) => `docs/${name}`,
    ),
  ].map((name) => `${name}.md`);
  const DECISIONS = readdirSync('docs/decisions').map((file) => `docs/decisions/${file}`);

  /** The sentences of a page, without blocks of code; a colon and a semicolon end one as well. */
  const sentencesOf = (page: string): string[] =>
    page
      .replace(/```[\s\S]*?```/g, '\n\n')
      .split(/\n\s*\n|\n(?=[-*] | ?\d+\. )|\|/)
      .map((paragraph) => paragraph.replace(/`[^`]*`/g, 'CODE').replace(/\]\([^)]*\)|\[\d+\]/g, ''))
      .flatMap((paragraph) => paragraph.replace(/\s+/g, ' ').split(/(?<=[.!?:;]) /));
  const isLong = (sentence: string): boolean =>
    sentence.split(' ').filter((word) => /\w/.test(word)).length > 25;

  test.each([...PROSE, ...DECISIONS])(
    '%s has no banned word, and no sentence of more than 25 words',
    (file) => {
      const page = readFileSync(file, 'utf8');
      // A stranger is a party of SECURITY.md.
      const words = bannedIn(page.replace(/\b[Ss]tranger\b/g, ''));
      expect(words).toEqual([]);
      expect(sentencesOf(page).filter(isLong)).toEqual([]);
    },
  );
  test.each(DECISIONS)('%s speaks of sites, members and processes, and not of “who”', (file) => {
    expect(readFileSync(file, 'utf8')).not.toMatch(/\bwho(m|ever)?\b/i);
  });
  test('a sentence of 26 words would be found', () => {
    const words = 'one two three four five six seven eight nine ten eleven twelve thirteen'.split(
      ' ',
    );
    const long = [...words, ...words].join(' ');
    expect(
      sentencesOf(`Short. ${long}.\n\n- A \`code that is long\` here.`).filter(isLong),
    ).toEqual([`${long}.`]);
    expect(sentencesOf(`${words.join(' ')}: ${words.join(' ')}`).filter(isLong)).toEqual([]);
  });

  test('a banned word is found in comments and in identifiers', () => {
    expect(bannedIn('/** Whoever waits. */')).toEqual(['whoever']);
    expect(bannedIn('this.#letterBox.keeperOf(PATIENCE_MS)')).toEqual([
      'letter',
      'keeper',
      'patience',
    ]);
    expect(bannedIn('the newsletter of a bookkeeper')).toEqual([]);
    expect(bannedIn('Information Processing Letters 41(1)')).toEqual([]);
    expect(withoutQuotations('“Whoever waits” waits.\n> Someone asks.\n')).toBe(' waits.\n\n');
  });
});

describe('docs/glossary.md', () => {
  const rows = [
    ...readFileSync('docs/glossary.md', 'utf8').matchAll(/^\| (.+?) \| (.+?) \| `(.+?)` \|$/gm),
  ].map(([, term, meaning, where]) => ({ term: term!, meaning: meaning!, where: where! }));
  const terms = rows.map(({ term }) => term.toLowerCase());

  test('its terms are in alphabetical order, each once', () => {
    expect(rows.length).toBeGreaterThan(50);
    expect(terms).toEqual([...new Set(terms)].sort());
  });
  test('a term lives in a file or a folder that exists', () => {
    expect(rows.filter(({ where }) => !existsSync(where))).toEqual([]);
  });
});
