/** Algorithms with one line wrong. What is wrong is told when the reader has found the schedule. */
import { lamport } from '../../src/algorithms/lamport.ts';
import { ricartAgrawala } from '../../src/algorithms/ricart-agrawala.ts';
import { suzukiKasami } from '../../src/algorithms/suzuki-kasami.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { clone } from '../../src/core/plain.ts';
import { beginTrial } from './trials.ts';

type Handler = AnyAlgorithm['on'][string];
type Loose = { [field: string]: unknown };
type LooseSite = { readonly me: number; send(to: number, message: unknown): void };

const EXERCISES: {
  readonly [id: string]: { readonly nodes: number; readonly make: () => AnyAlgorithm };
} = {
  // It puts off a request by the name of its sender alone, not by its number.
  names: {
    nodes: 2,
    make: () => ({
      ...(ricartAgrawala as AnyAlgorithm),
      modes: ['exclusive'],
      on: {
        ...ricartAgrawala.on,
        REQUEST: ((
          my: Loose,
          site: LooseSite,
          from: number,
          message: { seq: number; mode: string },
        ) => {
          my['highest'] = Math.max(my['highest'] as number, message.seq);
          const isLater = my['requesting'] === true && site.me < from;
          if (isLater) (my['deferred'] as unknown[])[from] = message.mode;
          else site.send(from, { type: 'REPLY' });
        }) as unknown as Handler,
      },
    }),
  },
  // It sends the token and keeps it.
  copies: { nodes: 3, make: keepsItsToken },
  // It takes everybody for heard from as soon as it asks.
  deaf: {
    nodes: 3,
    make: () => ({
      ...(lamport as AnyAlgorithm),
      request: (my: never, site: never) => {
        lamport.request(my, site, 'exclusive');
        (my as Loose)['later'] = ((my as Loose)['later'] as boolean[]).map(() => true);
      },
    }),
  },
};

function keepsItsToken(): AnyAlgorithm {
  const { tokens: _tokens, ...rest } = suzukiKasami as AnyAlgorithm;
  const keeping =
    (handler: (...given: never[]) => void) =>
    (my: Loose, ...given: unknown[]) => {
      const held = clone(my['token']);
      (handler as (...all: unknown[]) => void)(my, ...given);
      if (my['token'] === null) my['token'] = held;
    };
  return {
    ...rest,
    release: keeping(suzukiKasami.release as never),
    on: { ...suzukiKasami.on, REQUEST: keeping(suzukiKasami.on.REQUEST as never) as never },
  } as AnyAlgorithm;
}

/** The algorithm of an exercise, and among how many sites its error shows. */
export function exerciseOf(id: string): { nodes: number; algorithm: AnyAlgorithm } {
  const exercise = EXERCISES[id];
  if (exercise === undefined) throw new Error(`there is no exercise "${id}"`);
  return { nodes: exercise.nodes, algorithm: exercise.make() };
}

export function beginExercise(id: string): null {
  const { algorithm, nodes } = exerciseOf(id);
  beginTrial(algorithm, nodes);
  return null;
}
