/** The bars of a picture are the times that the simulator measures. */
import { expect, test } from 'vitest';
import { INSIDE, Picture, WAITS } from '../../lab/diagram/picture.ts';
import { load } from '../../lab/engine/runs.ts';
import { FIRST, type RunSpec } from '../../lab/model/spec.ts';
import { catalogue } from '../../src/algorithms/catalogue.ts';

/** How long the bars of that kind are together, in simulated time, and how many they are. */
function barsOf(picture: Picture, wanted: number): { time: number; count: number } {
  let [time, count] = [0, 0];
  for (const { from, to, kind } of picture.bars) {
    kind.forEach((own, i) => {
      if (own !== wanted) return;
      time += picture.axis.time(to[i]!) - picture.axis.time(from[i]!);
      count++;
    });
  }
  return { time, count };
}

const pictureOf = (run: Partial<RunSpec>) => {
  const loaded = load({ ...FIRST, ...run });
  return { picture: new Picture(loaded), ...loaded };
};

test.each(catalogue.map(({ id }) => id))(
  '%s: all bars of waiting together are as long as all waiting times together',
  (algorithm) => {
    const { picture, figures, violation } = pictureOf({ algorithm, nodes: 5 });
    const [drawn, measured] = [barsOf(picture, WAITS).time, figures.waiting * figures.entries];
    // A wait that never ends is drawn, and is no waiting time.
    if (violation === null) expect(drawn).toBeCloseTo(measured, 3);
    else expect(drawn).toBeGreaterThan(measured);
    expect(barsOf(picture, INSIDE).count).toBe(figures.entries);
  },
);

test('a site that is let in at once has no bar of waiting', () => {
  const { picture } = pictureOf({ nodes: 1 });
  expect(barsOf(picture, WAITS).count).toBe(0);
  expect(barsOf(picture, INSIDE)).toMatchObject({ count: 40 });
  expect(picture.longWaits).toEqual([]);
});
