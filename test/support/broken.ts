/** Small algorithms with a known fault, for those who must find it. */
import type { Algorithm } from '../../src/core/algorithm.ts';
import type { Messages } from '../../src/core/message.ts';

const messages = { REQUEST: {}, GRANT: {}, RELEASE: {} } as const satisfies Messages;
type State = { busy: boolean; waiting: number[] };
type Coordinated = Algorithm<State, typeof messages>;

/** A coordinator at site 0 that serves the newest request first: safe, but not fair. */
export const newestFirst: Coordinated = {
  id: 'newest-first',
  title: 'A coordinator with a stack',
  year: 2026,
  paper: 'none',
  family: 'permission',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'fifo',
  options: {},
  messages,
  claims: { messages: { formula: '3', bounds: () => ({ least: 0, most: 3 }) } },
  recovers: [],
  init: () => ({ busy: false, waiting: [] }),
  request: (_, site) => site.send(0, { type: 'REQUEST' }),
  release: (_, site) => site.send(0, { type: 'RELEASE' }),
  on: {
    REQUEST(my, site, from) {
      if (my.busy) my.waiting.push(from);
      else site.send(from, { type: 'GRANT' });
      my.busy = true;
    },
    GRANT: (_, site) => site.enter(),
    RELEASE(my, site) {
      const next = my.waiting.pop();
      if (next === undefined) my.busy = false;
      else site.send(next, { type: 'GRANT' });
    },
  },
};

/** The same with a queue, as it should be. */
export const oldestFirst: Coordinated = {
  ...newestFirst,
  on: {
    ...newestFirst.on,
    RELEASE(my, site) {
      const next = my.waiting.shift();
      if (next === undefined) my.busy = false;
      else site.send(next, { type: 'GRANT' });
    },
  },
};
