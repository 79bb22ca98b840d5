/** docs/checked.md: how far each algorithm was searched, with the result. */
import { known } from './claims.js';
import { isClaimed, keyOf, variantOf } from './plan.js';
import { servicePage } from './service.js';
import { beyondOf, excuseOf, failureOf, outcomeOf } from './verdicts.js';

const INTRODUCTION = `# What was checked, and how far

**5** 142,261 says: five sites that ask so often each have 142,261 states, over all schedules on such links; the
checker saw every one, or (°) one that stands for it, and in none was anything broken that is claimed: exclusion,
no deadlock, no starvation, tokens, order, invariants. So it was with fewer sites. That is a proof for so many sites,
and no word about more: for these, *at random* tells with how many sites how many schedules were drawn, half of them
uniformly and half by changing priorities (PCT), and showed nothing wrong. No search takes more than two million states.

Each form differs from the plain one in what is named; failures are those that it claims to survive. Made by
\`npm run sweep\` from [checked.json](checked.json), where every number of sites has its line; a test runs the
smaller ones again.`;

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
    'No error: these papers ask for links that keep order. What happens without, with how few sites; where there is',
    'a number of states, nothing up to there.',
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
    'Where each text of [errata.md](errata.md) fails: with how many sites, in what, after how many steps; where there',
    'is a number of states, it holds up to there.',
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
