/**
 * Why a site waits, as an observer of the whole group sees it: which site is inside, where the token is, which
 * message is still under way, which site has the vote of an arbiter. Every reason is a fact about this moment.
 */
import type { AnyAlgorithm, AnyWorld, NodeId } from './algorithm.ts';
import { Machine } from './machine.ts';
import type { AnyMessage } from './message.ts';

/** A copy of a message on its way; `isHeld` while a cut or a partition keeps it. */
export interface MessageUnderWay {
  readonly id: number;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: AnyMessage;
  readonly isHeld: boolean;
}

/** A run at one moment. */
export interface Moment {
  readonly algorithm: AnyAlgorithm;
  readonly world: AnyWorld;
  readonly states: readonly unknown[];
  readonly phases: readonly ('idle' | 'waiting' | 'inside' | 'down')[];
  readonly underWay: readonly MessageUnderWay[];
  /** The timers that are set at the site in question. */
  readonly timers: readonly string[];
  /** What faults have done so far: the reason of a site that waits for ever because of them. */
  readonly losses: readonly string[];
  /** By site, the name of its member, where sites have members: a reason then gives the site and the name. */
  readonly names?: readonly string[];
}

/**
 * One cause of a wait.
 * - `inside`: that site is inside, and another cannot be;
 * - `token`: that site has the token and is not inside; no site has asked it, or a request is under way;
 * - `message`: what would help is under way from `site`, or held back;
 * - `vote`: that site has given its vote to `to`, and has one;
 * - `earlier`: the request of that site comes first;
 * - `defers`: that site will answer when it has left;
 * - `down`: that site has crashed;
 * - `timer`: the site itself waits for its timer;
 * - `faults`: what it waits for is lost, so that it waits for ever;
 * - `stuck`: nothing is under way and no site is inside: a deadlock.
 */
export interface Reason {
  readonly kind:
    | 'inside'
    | 'token'
    | 'message'
    | 'vote'
    | 'earlier'
    | 'defers'
    | 'down'
    | 'timer'
    | 'faults'
    | 'stuck';
  /** The site that is the cause; the waiting site itself if no other site is. */
  readonly site: NodeId;
  /** With `message`, its number and receiver; with `vote`, the site that has it. */
  readonly message?: number;
  readonly to?: NodeId;
  /** A sentence without its end: `the token is at 6, 4 hops away`. */
  readonly text: string;
}

/** Why that site waits: empty only if it does not. */
export function blame(moment: Moment, me: NodeId): Reason[] {
  if (moment.phases[me] !== 'waiting') return [];
  const view = new Observer(moment, me);
  const reasons = view.ofTokens() ?? view.ofAnswers();
  return reasons.length > 0 ? reasons : view.ofLastResort();
}

class Observer {
  readonly #moment: Moment;
  readonly #me: NodeId;
  readonly #machine: Machine;

  constructor(moment: Moment, me: NodeId) {
    this.#moment = moment;
    this.#me = me;
    // No step is taken: the algorithm only tells what a site knows.
    this.#machine = new Machine(moment.algorithm, moment.world, () => 0);
  }

  /** What that site itself knows, by one of the functions that its algorithm declares. */
  #ask<T>(site: NodeId, question: Question<T> | undefined): T | undefined {
    if (question === undefined || this.#moment.phases[site] === 'down') return undefined;
    this.#machine.site.begin(site);
    return question(this.#moment.states[site], this.#machine.site);
  }

  /** Where the token is, for an algorithm that has one and a site that has none. */
  ofTokens(): Reason[] | undefined {
    const { algorithm, states, underWay, phases, losses } = this.#moment;
    const { tokens } = algorithm;
    if (algorithm.turn !== undefined) return this.#ofTurns();
    if (tokens === undefined || this.#ask(this.#me, tokens.held)! > 0) return undefined;
    const holders = states.flatMap((_, j) => ((this.#ask(j, tokens.held) ?? 0) > 0 ? [j] : []));
    const reasons = holders.map((j) =>
      phases[j] === 'inside'
        ? this.#inside(j, `${this.#distance(j)}, with the token`)
        : this.#rests(j),
    );
    const carried = underWay.filter(({ message }) => tokens.carriers.includes(message.type));
    reasons.push(...carried.map((m) => this.#message(m, `the token comes in ${this.#named(m)}`)));
    if (reasons.length === 0 && losses.length > 0) return [this.#faults()];
    // A holder that is not inside has not received our request yet, or may not pass the token on: name what is under way.
    const isHeardOf = reasons.some(({ kind }) => kind === 'inside' || kind === 'message');
    if (!isHeardOf) reasons.push(...this.#requestsUnderWay());
    return reasons;
  }

  #ofTurns(): Reason[] | undefined {
    const { algorithm, states, world, phases } = this.#moment;
    const j = algorithm.turn!(states, world);
    if (j < 0 || j === this.#me) return undefined;
    if (phases[j] === 'inside') return [this.#inside(j)];
    const turn = { kind: 'token' as const, site: j };
    return [{ ...turn, text: `it is the turn of ${this.#name(j)}, which ${this.#state(j)}` }];
  }

  #rests(j: NodeId): Reason {
    const text = `the token is at ${this.#name(j)}${this.#distance(j)}, and ${j} ${this.#state(j)}`;
    return { kind: 'token', site: j, text };
  }

  /** Messages that carry our request: sent by us, or with our number as their origin. */
  #requestsUnderWay(): Reason[] {
    const { underWay } = this.#moment;
    const ours = underWay.filter(
      ({ from, message }) => from === this.#me || isFor(message, this.#me),
    );
    const some = ours.length > 0 ? ours : underWay.slice(0, 1);
    return some
      .slice(0, 3)
      .map((m) => this.#message(m, `its request travels in ${this.#named(m)}`));
  }

  /** Whose answer is missing, and why it does not come. */
  ofAnswers(): Reason[] {
    const { algorithm, world, states, underWay } = this.#moment;
    const me = this.#me;
    const others = states.map((_, j) => j).filter((j) => j !== me);
    const owing = others.filter((j) => this.#ask(j, algorithm.owes)?.includes(me));
    const named = this.#ask(me, algorithm.awaits) ?? [];
    const isGeneric = named.length === 0 || (named.length === world.n - 1 && world.n > 2);
    const between = ({ from, to, message }: MessageUnderWay) =>
      from === me || to === me || isFor(message, me);
    const concerned = underWay.filter(between).map(({ from, to }) => (from === me ? to : from));
    const lacks = isGeneric ? [...new Set([...owing, ...concerned, ...named])] : named;
    return lacks.flatMap((j) => this.#whyNoAnswer(j, owing.includes(j)) ?? []);
  }

  #whyNoAnswer(j: NodeId, owes: boolean): Reason | undefined {
    const { algorithm, phases, underWay } = this.#moment;
    const me = this.#me;
    const whose = j === me ? 'its own vote' : `the vote of ${this.#name(j)}`;
    if (phases[j] === 'down') return { kind: 'down', site: j, text: `${this.#name(j)} is down` };
    const sent = underWay.find(({ from, to }) => from === me && to === j);
    if (sent !== undefined)
      return this.#message(sent, `${this.#name(j)} has not received its ${sent.message.type}`);
    const holder = this.#ask(j, algorithm.grantedTo)?.find((x) => x !== me);
    const answer = underWay.find(({ from, to }) => from === j && to === me);
    if (answer !== undefined && holder === undefined) {
      return this.#message(answer);
    }
    if (holder !== undefined) {
      const back = underWay.find(({ from, to }) => from === holder && to === j);
      if (back !== undefined && phases[holder] === 'idle') {
        return this.#message(back, `${whose} comes back with ${this.#named(back)}`);
      }
      const text = `${whose} is with ${this.#name(holder)}, which ${this.#state(holder)}`;
      return { kind: 'vote', site: j, to: holder, text };
    }
    if (phases[j] === 'inside') return this.#inside(j);
    const passing = underWay.find((m) => isFor(m.message, me) && (m.from === j || m.to === j));
    if (passing !== undefined)
      return this.#message(passing, `its request travels in ${this.#named(passing)}`);
    const first = this.#isEarlier(j);
    if (first)
      return { kind: 'earlier', site: j, text: `the request of ${this.#name(j)} comes first` };
    if (owes) {
      return {
        kind: 'defers',
        site: j,
        text: `${this.#name(j)} answers when it has left: it ${this.#state(j)}`,
      };
    }
    return undefined;
  }

  /** The reasons of every algorithm: a site is inside, a message is in flight, or nothing can happen any more. */
  ofLastResort(): Reason[] {
    const { phases, underWay, timers, losses } = this.#moment;
    const inside = phases.flatMap((phase, j) => (phase === 'inside' ? [this.#inside(j)] : []));
    if (inside.length > 0) return inside;
    const coming = underWay.filter(({ message }) => isFor(message, this.#me));
    const some = coming.length > 0 ? coming : underWay;
    if (some.length > 0) return some.slice(0, 3).map((m) => this.#message(m));
    if (timers.length > 0) {
      return [{ kind: 'timer', site: this.#me, text: `its timer "${timers[0]}" has to expire` }];
    }
    if (losses.length > 0) return [this.#faults()];
    const text = 'no site is inside and nothing is under way: it waits for ever';
    return [{ kind: 'stuck', site: this.#me, text }];
  }

  #inside(j: NodeId, more = ''): Reason {
    return { kind: 'inside', site: j, text: `${this.#name(j)} is inside${more}` };
  }

  #faults(): Reason {
    return { kind: 'faults', site: this.#me, text: this.#moment.losses.join('; ') };
  }

  #message(message: MessageUnderWay, text = `${this.#named(message)} is under way`): Reason {
    const { id, from, to, isHeld } = message;
    const held = isHeld ? ', and a cut holds it back' : '';
    return { kind: 'message', site: from, message: id, to, text: `${text}${held}` };
  }

  #state(j: NodeId): string {
    const phase = this.#moment.phases[j]!;
    return phase === 'waiting' ? 'waits itself' : `is ${phase}`;
  }

  #isEarlier(j: NodeId): boolean {
    const { ticket } = this.#moment.algorithm.claims;
    if (ticket === undefined || this.#moment.phases[j] !== 'waiting') return false;
    const [ours, theirs] = [this.#ask(this.#me, ticket)!, this.#ask(j, ticket)!];
    const at = ours.findIndex((part, i) => part !== theirs[i]);
    return at >= 0 && theirs[at]! < ours[at]!;
  }

  #name(j: NodeId): string {
    const { names } = this.#moment;
    return names === undefined ? `${j}` : `${j} (${names[j]})`;
  }

  #named({ from, to, message }: MessageUnderWay): string {
    return `${message.type} from ${this.#name(from)} to ${this.#name(to)}`;
  }

  /** `, 4 hops away` where the topology has hops. */
  #distance(to: NodeId): string {
    const { topology } = this.#moment.world;
    const hops = hopsBetween(topology, this.#me, to);
    if (hops === undefined) return '';
    return hops === 1 ? ', one hop away' : `, ${hops} hops away`;
  }
}

type Question<T> = (my: unknown, site: Machine['site']) => T;

/** Whether a message is about the request of that site: an `origin` or a `who` names it. */
function isFor(message: AnyMessage, me: NodeId): boolean {
  const { origin, elected, who } = message as { origin?: NodeId; elected?: NodeId; who?: NodeId };
  return origin === me || elected === me || who === me;
}

function hopsBetween(topology: AnyWorld['topology'], from: NodeId, to: NodeId): number | undefined {
  const neighbours: readonly (readonly NodeId[])[] | undefined = topology.neighbours;
  if (neighbours === undefined) return undefined;
  const far = new Map([[from, 0]]);
  for (const [site, hops] of far) {
    for (const next of neighbours[site]!) if (!far.has(next)) far.set(next, hops + 1);
  }
  return far.get(to);
}
