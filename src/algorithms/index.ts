/**
 * `latchkey/algorithms`: the catalogue of distributed mutual exclusion algorithms, each a value that
 * a driver (the simulator, the checker, the lock service, or one of your own) steps; and what it takes
 * to write another.
 *
 * @example
 * ```ts
 * import { catalogue, find } from 'latchkey/algorithms';
 *
 * for (const { id, title, claims } of catalogue) console.log(id, title, claims.messages.formula);
 * const { links } = find('lamport');
 * ```
 */
export type {
  Algorithm,
  AnyAlgorithm,
  AnyWorld,
  Claims,
  Cost,
  Global,
  Links,
  Mode,
  NodeId,
  Site,
  SiteInfo,
  Timer,
  World,
} from '../core/algorithm.ts';
export { UsageError } from '../core/errors.ts';
export {
  list,
  type MessageOf,
  type Messages,
  optional,
  type Payload,
  perSite,
  record,
} from '../core/message.ts';
export {
  choice,
  flag,
  type OptionDeclarations,
  type OptionValues,
  whole,
} from '../core/option.ts';
export type { Printed } from '../core/printed.ts';
export type { Topologies, TopologyKind } from '../core/topology.ts';
export { catalogue, find, findPrinted, printed } from './catalogue.ts';
