import type { AnyAlgorithm } from '../core/algorithm.ts';
import { didYouMean, UsageError } from '../core/errors.ts';
import type { Printed } from '../core/printed.ts';
import { agrawalElAbbadi } from './agrawal-el-abbadi.ts';
import { carvalhoRoucairol } from './carvalho-roucairol.ts';
import { central } from './central.ts';
import { directoryToken } from './directory-token.ts';
import { gifford } from './gifford.ts';
import { helaryPlouzeauRaynal } from './helary-plouzeau-raynal.ts';
import { kakugawa } from './kakugawa.ts';
import { lamport } from './lamport.ts';
import { lendingCoordinator } from './lending-coordinator.ts';
import { lendingToken } from './lending-token.ts';
import { lodhaKshemkalyani } from './lodha-kshemkalyani.ts';
import { maekawa } from './maekawa.ts';
import { majority } from './majority.ts';
import { mishraSrimani } from './mishra-srimani.ts';
import { mizunoNeilsenRao } from './mizuno-neilsen-rao.ts';
import { naimiTrehel } from './naimi-trehel.ts';
import { neilsenMizuno } from './neilsen-mizuno.ts';
import { nishioLiManning } from './nishio-li-manning.ts';
import { timeOfTheServed } from './printed/helary-plouzeau-raynal.ts';
import { figure2, rcvFlush, rcvReq } from './printed/lodha-kshemkalyani.ts';
import { original } from './printed/maekawa.ts';
import { allButOne } from './printed/mishra-srimani.ts';
import { unordered } from './printed/mizuno-neilsen-rao.ts';
import { lostRequest, waitingEnd } from './printed/naimi-trehel.ts';
import { section8, section81 } from './printed/raymond.ts';
import { valuesReceived } from './printed/raynal-primes.ts';
import { section4, theorem1 } from './printed/relative-consensus-voting.ts';
import { bounded, lkFig1, ringMarked } from './printed/ricart-agrawala.ts';
import { probe, removal } from './printed/ricart-agrawala-membership.ts';
import { processes } from './printed/ricart-agrawala-processes.ts';
import { unguarded } from './printed/ricart-agrawala-token.ts';
import { textbook } from './printed/singhal-heuristic.ts';
import { rangarajanSetiaTripathi } from './rangarajan-setia-tripathi.ts';
import { raymond } from './raymond.ts';
import { raymondK } from './raymond-k.ts';
import { raynalPrimes } from './raynal-primes.ts';
import { relativeConsensusVoting } from './relative-consensus-voting.ts';
import { ricartAgrawala } from './ricart-agrawala.ts';
import { ricartAgrawalaToken } from './ricart-agrawala-token.ts';
import { ringToken } from './ring-token.ts';
import { sanders } from './sanders.ts';
import { singhalDynamic } from './singhal-dynamic.ts';
import { singhalHeuristic } from './singhal-heuristic.ts';
import { srimaniReddy } from './srimani-reddy.ts';
import { suzukiKasami } from './suzuki-kasami.ts';

/** Every algorithm: first the baseline, then those with a token, then those that ask permission. */
export const catalogue: readonly AnyAlgorithm[] = [
  central,
  ringToken,
  ricartAgrawalaToken,
  suzukiKasami,
  lendingToken,
  directoryToken,
  mizunoNeilsenRao,
  neilsenMizuno,
  helaryPlouzeauRaynal,
  raymond,
  singhalHeuristic,
  naimiTrehel,
  mishraSrimani,
  nishioLiManning,
  lamport,
  ricartAgrawala,
  carvalhoRoucairol,
  raynalPrimes,
  maekawa,
  sanders,
  agrawalElAbbadi,
  singhalDynamic,
  raymondK,
  srimaniReddy,
  lendingCoordinator,
  kakugawa,
  lodhaKshemkalyani,
  relativeConsensusVoting,
  majority,
  gifford,
  rangarajanSetiaTripathi,
];

/** By algorithm, its forms as the papers print them, where ours departs. */
export const printed: { readonly [id: string]: readonly Printed[] } = {
  [ricartAgrawalaToken.id]: [unguarded],
  [mizunoNeilsenRao.id]: [unordered],
  [helaryPlouzeauRaynal.id]: [timeOfTheServed],
  [raymond.id]: [section8, section81],
  [singhalHeuristic.id]: [textbook],
  [naimiTrehel.id]: [waitingEnd, lostRequest],
  [mishraSrimani.id]: [allButOne],
  [ricartAgrawala.id]: [processes, bounded, ringMarked, removal, probe, lkFig1],
  [raynalPrimes.id]: [valuesReceived],
  [maekawa.id]: [original],
  [lodhaKshemkalyani.id]: [figure2, rcvReq, rcvFlush],
  [relativeConsensusVoting.id]: [section4, theorem1],
};

/** The algorithm of that id. Throws a UsageError that names the nearest if there is none. */
export function find(id: string): AnyAlgorithm {
  const found = catalogue.find((algorithm) => algorithm.id === id);
  if (found !== undefined) return found;
  const ids = catalogue.map((algorithm) => algorithm.id);
  throw new UsageError(
    `there is no algorithm "${id}"${didYouMean(id, ids)}: latchkey algorithms lists them`,
  );
}

/**
 * An algorithm as its paper prints it; `name` says which form, where there are several that are whole.
 */
export function findPrinted(id: string, name?: string): Printed {
  const forms = Object.hasOwn(printed, find(id).id) ? printed[id]! : [];
  const names = forms.map((form) => form.name);
  const [first, ...rest] = forms.filter((form) => form.within === undefined);
  if (first === undefined) {
    throw new UsageError(`${id} has no printed form: ours does not depart from its paper`);
  }
  if (name === undefined) {
    if (rest.length === 0) return first;
    throw new UsageError(`${id} has several printed forms, name one: ${names.join(', ')}`);
  }
  const form = forms.find((f) => f.name === name);
  if (form !== undefined) return form;
  throw new UsageError(
    `${id} has no printed form "${name}": it has ${names.join(', ')}${didYouMean(name, names)}`,
  );
}
