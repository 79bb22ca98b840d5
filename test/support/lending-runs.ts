/** The small worlds of lending that the tests explore. */
import { type Exploration, explore } from './explore.ts';
import {
  type LendingSettings,
  type LendingState,
  LendingWorld,
  type Source,
  type Successor,
} from './lending-world.ts';

/** Two clients of one daemon: one takes the lock three times, the other once. */
export const base: LendingSettings = {
  clients: [[3], [1]],
  hows: ['wait'],
  others: 0,
  otherHows: ['wait'],
  reentries: 2,
  crashes: 0,
  delays: 0,
};

interface Report extends Exploration {
  readonly reentries: number;
}

/** Explores every order. */
export function run(source: Source, settings: LendingSettings, most = 2_000_000): Report {
  const world = new LendingWorld(source, settings);
  let reentries = 0;
  const isWaiting = ({ stage }: { readonly stage: string }) => stage === 'waiting';
  const report = explore<LendingState, Successor>(
    {
      initial: world.initial(),
      successors: (state) => world.successors(state),
      isQuiet: ({ clients, other }) =>
        !isWaiting(other) && !clients.some(({ callers }) => callers.some(isWaiting)),
      seen: ({ isReentry }) => {
        if (isReentry) reentries++;
      },
    },
    most,
  );
  return { ...report, reentries };
}

/** One client, and a caller of another member. */
export const other = { clients: [[3]], others: 1 };
