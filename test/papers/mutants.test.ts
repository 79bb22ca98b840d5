/** One message more per entry, in any algorithm, and a row falls. */
import { expect, test } from 'vitest';
import { catalogue, find } from '../../src/algorithms/catalogue.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { perform } from '../../src/papers/experiment.ts';
import { experiments } from '../../src/papers/experiments.ts';
import { Instruments } from '../../src/papers/instruments.ts';
import { ledger } from '../../src/papers/ledger.ts';
import { regressions } from '../../src/papers/regressions.ts';

/** The algorithm, and a message that nobody needs at each exit. */
function wasteful(algorithm: AnyAlgorithm): AnyAlgorithm {
  const { rerequest } = algorithm;
  const waste: AnyAlgorithm['release'] = (_, site) => {
    const [other] = site.others;
    if (other !== undefined) site.send(other, { type: 'WASTE' });
  };
  return {
    ...algorithm,
    invariants: {}, // some read every message that is under way
    messages: { ...algorithm.messages, WASTE: {} },
    on: { ...algorithm.on, WASTE: () => {} },
    release(my, site) {
      waste(my, site);
      algorithm.release(my, site);
    },
    ...(rerequest && {
      rerequest: {
        ...rerequest,
        step(my, site, mode) {
          waste(my, site);
          rerequest.step(my, site, mode);
        },
      },
    }),
  };
}

// Those that count messages, and of these the quick ones.
const COUNTING = [
  ...['survey/tokens', 'survey/quorum-tokens', 'survey/permissions', 'survey/primes'],
  ...['survey/several', 'raymond/demand', 'ricart-agrawala/messages', 'ricart-agrawala/figure-1'],
  ...['lodha-kshemkalyani/messages', 'rcv/correctness', 'beyond/claims'],
];
const counting = experiments.filter(({ id }) => COUNTING.includes(id));
const rowsWith = (findAlgorithm: (id: string) => AnyAlgorithm) =>
  counting.flatMap(
    (experiment) => perform(experiment, new Instruments('quick', findAlgorithm)).rows,
  );

test('one message more per entry of Ricart and Agrawala’s makes its rows fall, and them alone', () => {
  const rows = rowsWith((id) => (id === 'ricart-agrawala' ? wasteful(find(id)) : find(id)));
  const measured = new Set(rows.map(({ id }) => id));
  const fallen = regressions(rows, (id) => measured.has(id));
  expect(fallen).toContainEqual(
    expect.stringMatching(
      /^ricart-agrawala\/messages was confirmed, and is refuted: expected .*: 2; 8; 38; 98, measured 3; 9; 39; 99$/,
    ),
  );
  const about = rows.filter(({ how }) => !how.some((run) => run.startsWith('ricart-agrawala')));
  for (const { id } of about) expect(fallen.join('\n')).not.toContain(`${id} `);
});

const everyone = rowsWith((id) => wasteful(find(id)));
test.each(catalogue.map(({ id }) => id))(
  '%s: one message more makes a row of its own fall',
  (id) => {
    const own = everyone.filter(({ how }) => how.every((run) => run.split(/[, ]/)[0] === id));
    const fallen = own.filter(
      (row) => ledger[row.id] === 'confirmed' && row.verdict !== 'confirmed',
    );
    expect(fallen.map((row) => row.id)).not.toEqual([]);
  },
);
