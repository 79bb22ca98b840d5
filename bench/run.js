/**
 * `npm run bench`: measures everything in one run on this machine, and writes bench/RESULTS.md and
 * summaries in the README. `npm run bench -- locks` measures only the locks, and leaves the other
 * sections as they are; so do `everyday`, `names`, `clients`, `overload`, `lab`, `simulator` and `checker`. `npm run bench -- faults`
 * is bench/faults.js, with its flags.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { checkerBench, checkerTable } from './check.js';
import { clientsBench, clientsPage } from './clients.js';
import { everydayInShort, everydayPage } from './everyday/page.js';
import { everydayBench } from './everyday.js';
import { labBench } from './lab.js';
import { locksInShort, locksPage } from './locks/page.js';
import { locksBench } from './locks.js';
import { namesBench, namesPage } from './names.js';

if (process.argv[2] === 'faults') {
  // It ends this process.
  await import('./faults.js');
}

const here = fileURLToPath(new URL('.', import.meta.url));
const progress = (text) => process.stderr.write(`${text}\n`);

const sections = {
  'The simulator': async () => {
    progress('the simulator: about a minute …');
    const lines = execFileSync('node', [`${here}sim.js`], { encoding: 'utf8' });
    return `An event is a delivery, a request, an exit or a timer; all detection of violations is on. For
comparison, a simulator hand-written in C++ for just Ricart–Agrawala, N = 100, does 12 million events a
second on such a machine, one in JavaScript 8.7 million, SimGrid 0.35 million messages.

\`\`\`
${lines.trimEnd()}
\`\`\``;
  },

  'The checker': async () => {
    progress('the checker, and SPIN where it is installed: about two minutes …');
    return `Breadth first, exact states, reordering links, atomic handlers; SPIN 6 with \`-O2 -DSAFETY\`, depth first,
on Promela models of the same algorithms (\`bench/models\`). Both with all their start-up. State counts
differ where a model keeps a variable that the other does not: ours keeps the number of a request until
the next one, SPIN's clears it on leaving.

${checkerTable(checkerBench())}`;
  },

  Overload: async () => {
    progress('overload: about three minutes …');
    // Its exit code says whether the targets were met; the page shows the numbers in any case.
    const { stdout: lines } = spawnSync('node', [`${here}overload.js`], { encoding: 'utf8' });
    return `Four members, each with 3,000 callers that acquire new names with a timeout of 200 ms. \`bench/overload.js\` measures
it, and with \`--faults\` also while one member is dead and one is stopped.

\`\`\`
${lines.split('\n\n').at(-1).trimEnd()}
\`\`\``;
  },

  'The lab': async () => {
    progress('the lab, in Chromium: about six minutes …');
    return labBench();
  },

  Locks: async () => {
    progress('locks, beside those of others: about thirteen minutes …');
    const results = await locksBench({ progress });
    updateReadme('bench', locksInShort(results));
    return locksPage(results);
  },

  Everyday: async () => {
    progress('very many names, each wanted rarely: about eight minutes …');
    const results = await everydayBench({ progress });
    if (results.absent === undefined) updateReadme('everyday', everydayInShort(results));
    return everydayPage(results);
  },

  Names: async () => {
    progress('twenty million names, each used once: about five minutes …');
    return namesPage(await namesBench({ progress }));
  },

  Clients: async () => {
    progress('two thousand clients: about half a minute …');
    return clientsPage(await clientsBench());
  },
};

/** Replaces the text between the two marks. */
function updateReadme(mark, text) {
  const file = `${here}../README.md`;
  const page = readFileSync(file, 'utf8');
  const marked = new RegExp(`(<!-- ${mark} -->\\n)[\\s\\S]*?(<!-- /${mark} -->)`);
  if (!marked.test(page)) {
    progress(`README.md has no <!-- ${mark} --> … <!-- /${mark} -->: left alone`);
  } else
    writeFileSync(
      file,
      page.replace(marked, (_, before, after) => `${before}${text}\n${after}`),
    );
}

/** The sections of the last run, by their headings. */
function lastResults() {
  const [, ...old] = readFileSync(`${here}RESULTS.md`, 'utf8').split(/^## /m);
  const cut = (section) => section.indexOf('\n');
  return new Map(old.map((s) => [s.slice(0, cut(s)), s.slice(cut(s)).trim()]));
}

const wanted = process.argv.slice(2).map((word) => word.toLowerCase());
const isWanted = (title) =>
  wanted.length === 0 || wanted.some((word) => title.toLowerCase().endsWith(word));
const load = loadavg()[0];
const last = lastResults();
const texts = [];
for (const [title, measure] of Object.entries(sections)) {
  const text = isWanted(title) ? await measure() : last.get(title);
  if (text !== undefined) texts.push(`## ${title}\n\n${text}\n`);
}
const results = `# Measured

By \`npm run bench\`, on ${availableParallelism()} cores with Node ${process.version}; the load of the machine was ${load.toFixed(1)} when it
began. Machines like the one this was measured on are noisy: compare within one run only.

${texts.join('\n')}`;
writeFileSync(`${here}RESULTS.md`, results);
process.stdout.write(results);
