/** docs/checked.md: how far each algorithm was searched, with the result. */
import { known } from './claims.js';
import { isClaimed, keyOf, variantOf } from './plan.js';
import { servicePage } from './service.js';
import { beyondOf, excuseOf, failureOf, outcomeOf } from './verdicts.js';

const INTRODUCTION = `# What was checked, and how far

A cell such as **5** 142,261 means: five sites were searched, each with the entries of its column, over the links of
its column. The checker saw all 142,261 states of all schedules, or (°) for each of them a state that stands for it.
Every property held in every state: exclusion, no deadlock, no starvation, tokens, order, invariants. The same is
true of fewer sites. This proves the properties for this number of sites only.

For more sites, the last column says how many sites were searched *at random*, and how many schedules were drawn. Half
of them were drawn uniformly and half by changing priorities (PCT), and all properties held. No exhaustive search
takes more than two million states.

Each form differs from the plain one in what is named. Failures are those that the form claims to survive.
\`npm run sweep\` makes this page from [checked.json](checked.json), which has a line for every number of sites. A
test runs the smaller searches again.`;

const FAMILIES = [
  ['Tokens', ({ family }) => family === 'token'],
  [
    'Permission of all',
    ({ family, topology }) => family === 'permission' && topology === 'complete',
  ],
  [
    'Permission of some',
    ({ family, topology }) => family === 'permission' && topology !== 'complete',
  ],
];

const COLUMNS = ['reordering, 1 each', '2 each', 'ordered, 1 each', '2 each'];

/** @param {Map<string, import('./search.js').Found>} results */
export function checkedPage(catalogue, plan, results) {
  const rows = plan.filter((row) => results.has(keyOf(row)));
  const ours = rows.filter(({ printed }) => printed === undefined);
  const families = FAMILIES.flatMap(([title, isOf]) => {
    const ids = catalogue.filter(isOf).map(({ id }) => id);
    const lines = linesOf(
      ours.filter((row) => ids.includes(row.id) && isClaimed(row)),
      results,
    );
    return ['', `## ${title}`, '', ...table('algorithm', lines)];
  });
  return `${[
    INTRODUCTION,
    ...families,
    ...(known.length > 0 ? ['', ...new Set(known.map(({ mark, why }) => `${mark} ${why}`))] : []),
    '',
    '## Over links that may reorder, where order is asked for',
    '',
    'These papers ask for links that keep order, so that this is no error of theirs. Each cell has the fewest sites that',
    'show a violation without that order. Where it has a number of states, no violation was found up to there.',
    '',
    ...table(
      'algorithm',
      linesOf(
        ours.filter((row) => !isClaimed(row)),
        results,
      ),
    ),
    '',
    '## As printed',
    '',
    'Each cell says how a text of [errata.md](errata.md) fails: with how many sites, in which property, and after how many',
    'steps. Where it has a number of states, the text holds up to there.',
    '',
    ...table(
      'text',
      linesOf(
        rows.filter(({ printed }) => printed !== undefined),
        results,
      ),
    ),
    ...servicePage(),
  ].join('\n')}\n`;
}

/** One line for each form, with its rows by links and entries. */
function linesOf(rows, results) {
  const forms = new Map();
  for (const row of rows) {
    const name = [row.id, row.printed, variantOf(row)].join();
    forms.set(name, [...(forms.get(name) ?? []), row]);
  }
  return [...forms.values()].map((form) => {
    const cells = ['any', 'fifo'].flatMap((links) =>
      [1, 2].map((entries) => {
        const row = form.find((each) => each.links === links && each.entries === entries);
        return row === undefined ? '' : cellOf(row, results.get(keyOf(row)));
      }),
    );
    const beyond = form.map((row) => beyondOf(results.get(keyOf(row)))).find(Boolean) ?? '';
    const [{ id, printed }] = form;
    const name = printed === undefined ? `\`${id}\`` : `\`${id}\` ${printed}`;
    return [name, variantOf(form[0]), ...cells, beyond];
  });
}
function cellOf(row, found) {
  const failure = row.printed === undefined && failureOf(found);
  const mark = failure ? (excuseOf(row, failure)?.mark ?? '') : '';
  return `${outcomeOf(found)}${mark}`;
}

/** A table without columns that are empty in every line, and with each name only once. */
function table(what, lines) {
  const all = [what, 'form', ...COLUMNS, 'at random'];
  const used = all.map((_, i) => lines.some((line) => line[i] !== ''));
  const cut = (line) => `| ${line.filter((_, i) => used[i]).join(' | ')} |`;
  const once = lines.map(([name, ...rest], i) => [name === lines[i - 1]?.[0] ? '' : name, ...rest]);
  return [cut(all), cut(all.map(() => '---')).replaceAll(' ', ''), ...once.map(cut)];
}
