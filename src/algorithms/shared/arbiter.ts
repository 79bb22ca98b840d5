/**
 * The protocol of Maekawa's family. Whoever wants in asks a quorum, whose members are its arbiters.
 * An arbiter has one vote and grants it to one request at a time (or to several that can share); the
 * rest wait in its queue, the earliest first. Any two quorums have an arbiter in common.
 *
 * Sites with half a quorum each would wait for one another for ever. So an arbiter that hears of a
 * request earlier than the one that has its vote INQUIREs of the latter, which may YIELD. When it does
 * is what the papers differ in:
 * - Maekawa's sites yield when they know that they must wait anyway, and whoever must is told FAILED;
 * - Agrawal and El Abbadi's yield whenever they are not inside, and nobody is told anything.
 *
 * Every message says which request it is about (`seq`) and, if about a vote, how often that request
 * had yielded it (`turn`). So one that comes late, or twice, or from before a crash, does no harm.
 */
import type { Global, Mode, NodeId, Site, World } from '../../core/algorithm.ts';
import type { Messages } from '../../core/message.ts';
import type { OptionDeclarations } from '../../core/option.ts';
import type { TopologyKind } from '../../core/topology.ts';
import type { None, Rules, Seat } from './rules.ts';
import {
  find,
  forget,
  grantedBy,
  initial,
  insert,
  type messages,
  precedes,
  type Request,
  type State,
  voteOf,
} from './votes.ts';

type Tag = { readonly seq: number; readonly turn: number };

/** The parts of an algorithm with these rules. */
export function arbitration<T extends TopologyKind, O extends OptionDeclarations = None>(
  rules: Rules<T, O>,
) {
  type ThisSite = Site<typeof messages, T, O>;
  const { quorum, fails, shares = false, tracks = () => true } = rules;
  const conflict = (a: Request, b: Request): boolean =>
    !shares || a.mode === 'exclusive' || b.mode === 'exclusive';

  // As one who wants in.

  function request(my: State, site: ThisSite, mode: Mode): void {
    my.ours = ++my.highest;
    my.mode = mode;
    const isUp = (j: NodeId) => !my.suspects.includes(j);
    ask(my, site, quorum(site, isUp, my) ?? everyone(site));
  }

  /** Asks these for their votes, but for those asked already. */
  function ask(my: State, site: ThisSite, members: readonly NodeId[]): void {
    const asked = new Set(my.votes.map(({ of }) => of));
    for (const of of members) {
      if (asked.has(of)) continue;
      my.votes.push({ of, answer: 'none', inquired: false, turn: 0 });
      sendRequest(my, site, of, 0);
    }
    my.votes.sort((a, b) => a.of - b.of);
  }

  function sendRequest(my: State, site: ThisSite, arbiter: NodeId, turn: number): void {
    const mode = shares ? { mode: my.mode } : {};
    site.send(arbiter, { type: 'REQUEST', seq: my.ours, turn, ...mode });
  }

  function release(my: State, site: ThisSite): void {
    for (const { of } of my.votes) sendRelease(site, of, my.ours);
    my.ours = 0;
    my.mode = 'exclusive';
    my.inside = false;
    my.votes = [];
  }

  function sendRelease(site: ThisSite, arbiter: NodeId, seq: number): void {
    if (tracks(site, arbiter, site.me)) site.send(arbiter, { type: 'RELEASE', seq });
  }

  /** Something is new about our votes: goes in, or else gives up what it should and looks elsewhere. */
  function proceed(my: State, site: ThisSite): void {
    if (my.inside) return;
    const granted = grantedBy(my);
    const enough = quorum(site, (j) => granted.has(j), my);
    if (enough !== undefined) {
      my.inside = true;
      site.enter();
      const surplus = my.votes.filter(({ of }) => !enough.includes(of));
      for (const { of } of surplus) sendRelease(site, of, my.ours);
      my.votes = my.votes.filter(({ of }) => enough.includes(of));
      return;
    }
    const whom = fails(site);
    const mustWait = whom === 'nobody' || my.votes.some(({ answer }) => answer === 'failed');
    if (mustWait) yieldInquired(my, site);
    if (whom !== 'everyone') return;
    const elsewhere = quorum(site, (j) => voteOf(my, j)?.answer !== 'failed', my);
    if (elsewhere !== undefined) ask(my, site, elsewhere);
  }

  function yieldInquired(my: State, site: ThisSite): void {
    for (const vote of my.votes) {
      if (vote.answer !== 'granted' || !vote.inquired) continue;
      vote.answer = 'failed';
      vote.inquired = false;
      vote.turn += 1;
      site.send(vote.of, { type: 'YIELD', seq: my.ours, turn: vote.turn });
    }
  }

  function GRANT(my: State, site: ThisSite, from: NodeId, { seq, turn }: Tag): void {
    const vote = voteOf(my, from, seq);
    if (vote === undefined) {
      // We did without it, and our RELEASE is on its way; but it may have come too early, or be lost.
      sendRelease(site, from, seq);
    } else if (turn === vote.turn) {
      vote.answer = 'granted';
      proceed(my, site);
    }
  }

  function FAILED(my: State, site: ThisSite, from: NodeId, { seq }: { seq: number }): void {
    const vote = voteOf(my, from, seq);
    if (vote?.answer !== 'none') return; // the GRANT after it came first
    vote.answer = 'failed';
    proceed(my, site);
  }

  function INQUIRE(my: State, site: ThisSite, from: NodeId, { seq, turn }: Tag): void {
    const vote = voteOf(my, from, seq);
    if (vote === undefined || turn !== vote.turn || my.inside) return; // our RELEASE is the answer
    vote.inquired = true;
    proceed(my, site);
  }

  // As an arbiter.

  function REQUEST(
    my: State,
    site: ThisSite,
    from: NodeId,
    { seq, turn, mode = 'exclusive' }: Tag & { readonly mode?: Mode },
  ): void {
    my.highest = Math.max(my.highest, seq);
    const known = find(my, from, seq);
    if (known !== undefined && known.turn >= turn) return; // it comes late, or twice
    forget(my, from, seq); // what we know is older: the YIELD in between was lost
    const newcomer = { seq, from, turn, mode };
    const holders = my.holders.filter((r) => conflict(r, newcomer));
    const rivals = my.queue.filter((r) => conflict(r, newcomer));
    for (const holder of holders) {
      const isInquired = my.queue.some((r) => conflict(r, holder) && precedes(r, holder));
      if (isInquired || precedes(holder, newcomer)) continue;
      site.send(holder.from, { type: 'INQUIRE', seq: holder.seq, turn: holder.turn });
    }
    tellWhoFails(site, newcomer, holders, rivals);
    insert(my.queue, newcomer);
    serve(my, site);
  }

  function tellWhoFails(
    site: ThisSite,
    newcomer: Request,
    holders: readonly Request[],
    rivals: readonly Request[],
  ): void {
    const whom = fails(site);
    if (whom === 'nobody') return;
    const isLate = [...holders, ...rivals].some((r) => precedes(r, newcomer));
    if (isLate || (whom === 'everyone' && holders.length > 0)) {
      site.send(newcomer.from, { type: 'FAILED', seq: newcomer.seq });
    } else if (whom === 'hopeless') {
      // Of the others only the head of the queue had hope, and only if it was before the holder.
      const [head] = rivals;
      if (head === undefined || holders.some((r) => precedes(r, head))) return;
      site.send(head.from, { type: 'FAILED', seq: head.seq });
    }
  }

  /** Grants the vote to whoever waits and conflicts neither with a holder nor with an earlier one. */
  function serve(my: State, site: ThisSite): void {
    const waiting: Request[] = [];
    for (const next of my.queue) {
      const conflicts = (other: Request) => conflict(other, next);
      if (my.holders.some(conflicts) || waiting.some(conflicts)) {
        waiting.push(next);
        continue;
      }
      if (tracks(site, site.me, next.from)) insert(my.holders, next);
      sendGrant(site, next);
    }
    my.queue = waiting;
  }

  function sendGrant(site: ThisSite, { from, seq, turn }: Request): void {
    site.send(from, { type: 'GRANT', seq, turn });
  }

  function YIELD(my: State, site: ThisSite, from: NodeId, { seq, turn }: Tag): void {
    const holder = my.holders.find((r) => r.from === from && r.seq === seq);
    if (holder === undefined || holder.turn >= turn) return; // it comes late, or twice
    forget(my, from, seq);
    insert(my.queue, { ...holder, turn });
    serve(my, site);
  }

  function RELEASE(my: State, site: ThisSite, from: NodeId, { seq }: { seq: number }): void {
    forget(my, from, seq);
    serve(my, site);
  }

  // When others crash, and after a crash.

  /**
   * The failure detector's word. Who is said to be down is done without: others are asked in its place,
   * and what it has granted still counts. So nothing goes wrong if the detector is, unless it is
   * trusted with the votes that the silent one has.
   */
  function peer(my: State, site: ThisSite, other: NodeId, alive: boolean): void {
    my.suspects = my.suspects.filter((j) => j !== other);
    if (alive) {
      // Back after a crash, it has forgotten who waits for its vote, and what it wanted itself.
      const vote = voteOf(my, other);
      if (vote !== undefined && vote.answer !== 'granted') sendRequest(my, site, other, vote.turn);
      for (const holder of my.holders) if (holder.from === other) sendGrant(site, holder);
      return;
    }
    my.suspects.push(other);
    my.suspects.sort((a, b) => a - b);
    if (rules.trustsDetector?.(site)) {
      for (const r of [...my.holders, ...my.queue]) if (r.from === other) forget(my, other, r.seq);
      serve(my, site);
    }
    if (my.ours === 0 || my.inside) return;
    const granted = grantedBy(my);
    const isOfUse = (j: NodeId) => !my.suspects.includes(j) || granted.has(j);
    ask(my, site, quorum(site, isOfUse, my) ?? everyone(site));
  }

  /** Who has our vote may have RELEASEd it while we were down: it will say so again. */
  function restart(my: State, site: ThisSite): void {
    for (const holder of my.holders) sendGrant(site, holder);
  }

  function hasVotesOfQuorum(sites: readonly State[], my: State, seat: Seat<T, O>): boolean {
    const { me } = seat;
    const has = (j: NodeId) =>
      !tracks(seat, j, me) || sites[j]!.holders.some((r) => r.from === me && r.seq === my.ours);
    return quorum(seat, has, my) !== undefined;
  }

  return {
    init: initial,
    request,
    release,
    on: { REQUEST, GRANT, INQUIRE, YIELD, RELEASE },
    /** For those who have this message too. */
    FAILED,
    /** For those who survive crashes. */
    peer,
    stable: ['highest', 'holders'],
    restart,
    awaits: (my: State): NodeId[] =>
      my.votes.filter(({ answer }) => answer !== 'granted').map(({ of }) => of),
    invariants: {
      'whoever is inside has the votes of a quorum': (
        { sites, inside }: Pick<Global<State, Messages>, 'sites' | 'inside'>,
        world: World<T, O>,
      ): boolean =>
        sites.every((my, me) => !inside[me] || hasVotesOfQuorum(sites, my, { ...world, me })),
    },
  };
}

/** Where there is no quorum of those who are up, some who are said to be down may yet be back. */
const everyone = ({ me, others }: { me: NodeId; others: readonly NodeId[] }): readonly NodeId[] => [
  me,
  ...others,
];
