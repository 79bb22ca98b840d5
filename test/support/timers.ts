/** Small algorithms whose only site that asks gets in by a timer, which may or may not get its moment. */
import type { Algorithm } from '../../src/core/algorithm.ts';
import type { Messages } from '../../src/core/message.ts';

const messages = { PING: {}, PONG: {} } as const satisfies Messages;
type State = { wants: boolean };
type Timed = Algorithm<State, typeof messages>;

/**
 * Site 0 pings site 1 for ever, with a pause each time. Site 1 goes in when nothing is under way to or
 * from it for a while: in each pause it could, but in none must it.
 */
export const pauses: Timed = {
  id: 'pauses',
  title: 'A timer with a moment',
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
  claims: { messages: { formula: '0', bounds: () => ({ least: 0, most: 0 }) } },
  recovers: [],
  init: () => ({ wants: false }),
  start(_, site) {
    if (site.me === 0) site.timer('ping', 1);
  },
  request(my, site) {
    my.wants = true;
    site.timer('enter', 10);
  },
  release: () => {},
  on: {
    PING: (_, site) => site.send(0, { type: 'PONG' }),
    PONG: (_, site) => site.timer('ping', 1),
  },
  timers: {
    ping: { fires: 'anytime', expired: (_, site) => site.send(1, { type: 'PING' }) },
    enter: {
      fires: 'drained',
      expired(my, site) {
        my.wants = false;
        site.enter();
      },
    },
  },
};

/** The same without a pause: the timer never gets its moment. */
export const noPause: Timed = {
  ...pauses,
  id: 'no-pause',
  on: { ...pauses.on, PONG: (_, site) => site.send(1, { type: 'PING' }) },
};

/** The same with a pause now and then: there is a way to go on for ever without one. */
export const rarePause: Timed = {
  ...pauses,
  id: 'rare-pause',
  on: {
    ...pauses.on,
    PONG: (my, site) => (site.random(2) === 0 ? pauses : noPause).on.PONG(my, site, 1, {}),
  },
};

/** With pauses, but a waiting site begins to wait anew with every ping. */
export const impatient: Timed = {
  ...pauses,
  id: 'impatient',
  on: {
    ...pauses.on,
    PING(my, site) {
      if (my.wants) site.timer('enter', 10);
      pauses.on.PING(my, site, 0, {});
    },
  },
};
