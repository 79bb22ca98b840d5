/**
 * The lending token: Suzuki and Kasami's, which lends copies to readers and carries requests on.
 *
 * Ours; no paper has it. After I. Suzuki and T. Kasami, "A Distributed Mutual Exclusion Algorithm",
 * ACM Transactions on Computer Systems 3(4):344–349, November 1985.
 *
 * As there, a site that wants in and lacks the token sends every other site a numbered REQUEST. The token has the
 * line of the sites that wait. For each site it has the number of the last request that was put in line. New is:
 *
 * A reader gets a copy of the token, and reads with it again and again without a message. The holder of the token
 * has every copy RETURNed before it sends the token to a writer. So a writer is alone.
 *
 * A site that leaves and re-requests adds itself to the line of the token that it passes on, or says so when it
 * RETURNs a copy. Where all want in all the time, the token goes round among them, and an entry costs one message.
 *
 * A site that waits to write may downgrade to reading. It sends its REQUEST again, under the same number, and its
 * place in line becomes a reader's. A request that was cancelled thus keeps no reader out. A reader that was asked
 * to return its copy for that writer may KEEP it.
 *
 * Example: site 0 of three has the token. Site 1 asks: two REQUESTs, and site 0 sends the TOKEN, three messages. Site
 * 2 asks while site 1 is inside: two REQUESTs, and site 1 sends the TOKEN when it leaves. Site 2 enters again for
 * none.
 */
import type { Algorithm, Mode, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { list, type Messages, optional, perSite } from '../core/message.ts';
import { each } from '../core/plain.ts';

const messages = {
  REQUEST: { n: 'int', mode: 'mode' }, //     this is my n-th request; or: my waiting n-th is now one to read
  TOKEN: { line: list('node'), readers: list('node'), known: perSite('int') },
  COPY: {}, //                                you may read until I recall the copy
  RECALL: {}, //                              a site wants to write
  KEEP: {}, //                                no site does any more
  RETURN: { rerequest: optional('mode') }, // here is the copy; and my next request, in this mode
} as const satisfies Messages;

type Token = {
  line: NodeId[]; //    the sites that wait, in the order in which they enter
  readers: NodeId[]; // those of them that wait to read
  known: number[]; //   the number of each site's last request that was put in line
};

type State = {
  inside: boolean;
  mode: Mode; //             of our request or stay; exclusive while we have none
  asked: number[]; //        the number of the latest request known of each site
  modes: Mode[]; //          and what it was for
  token: Token | null; //    if we hold it
  lent: NodeId[]; //         the sites that have copies of the token that we hold
  recalled: NodeId[]; //     and whom of these we have asked to return them
  lender: NodeId | null; //  of whom we have a copy
  isRecalled: boolean; //    and its lender wants it back when we leave
};
type LendingSite = Site<typeof messages>;

export const lendingToken: Algorithm<State, typeof messages> = {
  id: 'lending-token',
  title: 'Lending token, after Suzuki & Kasami 1985',
  year: 2026,
  paper: 'https://doi.org/10.1145/6110.214406',
  family: 'token',
  modes: ['exclusive', 'shared'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'fifo', // a REQUEST must not overtake the RETURN before it, nor a RECALL the COPY
  options: {},
  messages,
  claims: {
    messages: {
      formula: 'N to write, N + 2 to read; 0 for who holds the token, or a copy to read',
      bounds: ({ n }) => ({ least: 0, most: n + 2 }),
    },
    heavy: { formula: '1', bounds: () => ({ least: 1, most: 1 }) },
    synchronizationDelay: 'T',
  },
  recovers: [],

  init: ({ me, n }) => ({
    inside: false,
    mode: 'exclusive',
    asked: each(n, 0),
    modes: Array<Mode>(n).fill('exclusive'),
    token: me === 0 ? { line: [], readers: [], known: each(n, 0) } : null,
    lent: [],
    recalled: [],
    lender: null,
    isRecalled: false,
  }),

  request(my, site, mode) {
    my.mode = mode;
    if (mode === 'shared' && my.lender !== null && !my.isRecalled) {
      enter(my, site);
      return;
    }
    my.asked[site.me]! += 1;
    if (my.token !== null) {
      putInLine(my.token, site.me, mode);
      serve(my, site);
    } else if (my.lender !== null) {
      // It holds the token as long as we have its copy: no other site need hear of us.
      giveBack(my, site, mode);
    } else askEveryone(my, site);
  },

  downgrade(my, site) {
    my.mode = 'shared';
    if (my.token === null) askEveryone(my, site);
    else {
      letRead(my.token, site.me);
      serve(my, site);
    }
  },

  release(my, site) {
    my.inside = false;
    my.mode = 'exclusive';
    if (my.token !== null) serve(my, site);
    else if (my.isRecalled) giveBack(my, site, null);
  },

  rerequest: {
    saves: isAwaited,
    // The sites that waited for us to leave are still in the line: we stand behind them.
    step(my, site, mode) {
      my.inside = false;
      lendingToken.request(my, site, mode);
    },
  },

  on: {
    REQUEST(my, site, from, { n, mode }) {
      my.asked[from] = n;
      my.modes[from] = mode;
      if (my.token === null) return;
      takeNote(my, my.token, from);
      serve(my, site);
    },

    TOKEN(my, site, _, { line, readers, known }) {
      assert(my.token === null && my.lender === null, 'the token comes to a site without a copy');
      my.token = { line: line.slice(), readers: readers.slice(), known: known.slice() };
      // Those after us first: then no site comes first wherever the token goes.
      for (let i = 1; i < site.n; i++) {
        takeNote(my, my.token, (site.me + i) % site.n);
      }
      enter(my, site);
    },

    COPY(my, site, from) {
      my.lender = from;
      enter(my, site);
    },

    RECALL(my, site, from) {
      // Else we have given it back by ourselves meanwhile, and may even have another's.
      if (from !== my.lender) return;
      if (my.inside) my.isRecalled = true;
      else giveBack(my, site, null);
    },

    KEEP(my, _, from) {
      if (from === my.lender) my.isRecalled = false;
    },

    RETURN(my, site, from, { rerequest }) {
      assert(my.token !== null && my.lent.includes(from), 'a site returns the copy that it has');
      my.lent = my.lent.filter((j) => j !== from);
      my.recalled = my.recalled.filter((j) => j !== from);
      if (rerequest !== null) putInLine(my.token!, from, rerequest);
      serve(my, site);
    },
  },

  isAwaited,
  tokens: { held: ({ token }) => (token === null ? 0 : 1), carriers: ['TOKEN'] },
  fields: {
    asked: 'RN',
    modes: 'mode of RN',
    token: 'token (line, readers, LN)',
    lent: 'copies lent to',
    recalled: 'copies recalled from',
    lender: 'copy from',
    isRecalled: 'copy is recalled',
  },
  owes: ({ token }, { me }) => token?.line.filter((j) => j !== me) ?? [],
  awaits: ({ token, lent }, { others }) => (token === null ? others : lent),
  invariants: {
    'every copy is known to the holder of the token': ({ sites, inFlight }) => {
      const holder = sites.find(({ token }) => token !== null);
      const out = sites.flatMap(({ lender }, j) => (lender === null ? [] : [j]));
      const underWay = inFlight.flatMap(({ from, to, message: { type } }) =>
        type === 'COPY' ? [to] : type === 'RETURN' ? [from] : [],
      );
      const copies = [...out, ...underWay].sort((a, b) => a - b);
      return copies.join() === [...(holder?.lent ?? [])].sort((a, b) => a - b).join();
    },
    'a copy is recalled only for a writer': ({ sites, inFlight }) => {
      const token = sites.find(({ token }) => token !== null)?.token;
      const isForAWriter = token && token.line.length > token.readers.length;
      return sites.every(
        ({ isRecalled }, j) =>
          !isRecalled ||
          isForAWriter ||
          inFlight.some(({ to, message: { type } }) => to === j && type === 'KEEP'),
      );
    },
  },
};

function isAwaited({ token, isRecalled }: State): boolean {
  return token === null ? isRecalled : token.line.length > 0;
}

function askEveryone({ asked, mode }: State, site: LendingSite): void {
  for (const j of site.others) site.send(j, { type: 'REQUEST', n: asked[site.me]!, mode });
}

/** What we know of j's latest request, and the token may not. */
function takeNote({ asked, modes }: State, token: Token, j: NodeId): void {
  if (asked[j]! > token.known[j]!) putInLine(token, j, modes[j]!);
  else if (asked[j] === token.known[j] && modes[j] === 'shared') letRead(token, j);
}

/** If j waits to write, its place in line becomes a reader's. */
function letRead({ line, readers }: Token, j: NodeId): void {
  const place = line.indexOf(j);
  if (place === -1 || readers.includes(j)) return;
  const before = line.slice(0, place).filter((i) => readers.includes(i));
  readers.splice(before.length, 0, j);
}

function putInLine({ line, readers, known }: Token, site: NodeId, mode: Mode): void {
  line.push(site);
  if (mode === 'shared') readers.push(site);
  known[site]! += 1; // the requests of a site are numbered one by one, and have one place each
}

/** Lets in every site that may enter now, from the head of the line on. */
function serve(my: State, site: LendingSite): void {
  const token = my.token!;
  const { line, readers } = token;
  while (line.length > 0 && !(my.inside && my.mode === 'exclusive')) {
    const next = line[0]!;
    const reads = readers[0] === next; // they are in the order of the line
    if (!reads && my.lent.length > 0) recall(my, site);
    if (!reads && (my.lent.length > 0 || my.inside)) return;
    line.shift();
    if (reads) readers.shift();
    if (next === site.me) enter(my, site);
    else if (reads) lend(my, site, next);
    else {
      my.token = null;
      site.send(next, { type: 'TOKEN', line, readers, known: token.known });
      return;
    }
  }
  if (my.recalled.length > 0) letKeep(my, site);
}

function lend(my: State, site: LendingSite, reader: NodeId): void {
  my.lent.push(reader);
  site.send(reader, { type: 'COPY' });
}

function recall(my: State, site: LendingSite): void {
  for (const j of my.lent) {
    if (my.recalled.includes(j)) continue;
    my.recalled.push(j);
    site.send(j, { type: 'RECALL' });
  }
}

/** The sites that waited to write have downgraded. */
function letKeep(my: State, site: LendingSite): void {
  for (const j of my.recalled) site.send(j, { type: 'KEEP' });
  my.recalled = [];
}

function giveBack(my: State, site: LendingSite, rerequest: Mode | null): void {
  site.send(my.lender!, { type: 'RETURN', rerequest });
  my.lender = null;
  my.isRecalled = false;
}

function enter(my: State, site: LendingSite): void {
  my.inside = true;
  site.enter();
}
