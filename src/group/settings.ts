import type { Rules } from './lock-algorithm.ts';
import type { Member } from './view.ts';

/** The settings of a member. */
export interface NodeSettings {
  readonly self: Member;
  /** The other configured members. */
  readonly peers: readonly string[];
  readonly rules: Rules;
  /** How many requests of one member may follow one another before the other members get their turn. */
  readonly turns: number;
  /**
   * After how many short requests in a row the member looks for messages of the others. It concerns a lock that no other
   * member has asked for recently. @default turns
   */
  readonly yieldAfter?: number;
  /** How many names the member keeps before it forgets names of idle locks. @default 100,000 */
  readonly namesKept?: number;
  /** How many idle locks stay open, so that they need not be made anew when they are used again. @default 256 */
  readonly locksKeptOpen?: number;
}
