/** Maekawa's family: a site as it asks for votes. */
import type { Mode, NodeId, Site } from '../../core/algorithm.ts';
import type { OptionDeclarations } from '../../core/option.ts';
import type { TopologyKind } from '../../core/topology.ts';
import type { Rules } from './rules.ts';
import { type AnyOfThem, grantedBy, type State, type Tag, voteOf } from './votes.ts';

export function asking<T extends TopologyKind, O extends OptionDeclarations>(rules: Rules<T, O>) {
  type ThisSite = Site<AnyOfThem, T, O>;
  const { quorum, fails, shares = false, tracks = () => true } = rules;

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
    const told = fails(site);
    const mustWait = told === 'nobody' || my.votes.some(({ answer }) => answer === 'failed');
    if (mustWait) yieldInquired(my, site);
    if (told !== 'everyone') return;
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

  return { request, ask, sendRequest, release, proceed, GRANT, FAILED, INQUIRE };
}

/** Where the sites that are up have no quorum, some that are said to be down may yet be back. */
export const everyone = ({
  me,
  others,
}: {
  me: NodeId;
  others: readonly NodeId[];
}): readonly NodeId[] => [me, ...others];
