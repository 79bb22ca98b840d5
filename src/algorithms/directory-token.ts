/**
 * Directory token: ask the directory, which forwards to the last site that asked.
 *
 * Ours; no paper has it. The directory is the fixed manager of K. Li and P. Hudak, "Memory Coherence in
 * Shared Virtual Memory Systems", ACM Transactions on Computer Systems 7(4):321–359, November 1989. The line
 * in the token is that of I. Suzuki and T. Kasami; the copies for readers are those of `lending-token.ts`.
 *
 * Site 0 is the directory. It knows the last site that asked to write, and nothing else. A site without the
 * token sends it a REQUEST. The directory forwards the request to that last site, and the new site takes its
 * place. The last site has the token, waits for it, or has passed it on:
 * - it has the token: the new site stands at the end of the token's line, and gets the token in its turn;
 * - it waits for the token: it keeps the request, and puts it at the head of the line when the token comes;
 * - it has passed the token on: it forwards the request to the site to which it sent the token.
 *
 * So an entry costs three messages at any N: REQUEST, FORWARD and TOKEN. A site that leaves and wants in again
 * adds itself to the line of the token that it passes on. Where all want in all the time, the token goes round
 * among them, and an entry costs one message.
 *
 * A reader gets a copy of the token, and reads with it again and again without a message. The holder of the
 * token recalls all copies before it sends the token to a writer. While the holder waits for readers, it tells
 * that writer that it is NEXT. A writer that downgrades answers SETTLE, and its place becomes a reader's. The
 * holder then lets the other readers KEEP their copies.
 *
 * Example: site 0 of four has the token. Site 1 asks the directory, which is site 0 itself: REQUEST and TOKEN,
 * two messages. Site 2 asks while site 1 is inside. The directory forwards to site 1, and site 1 sends the token
 * when it leaves: REQUEST, FORWARD and TOKEN, three messages. Site 3 asks when site 2 has left: the directory
 * forwards to site 2, which sends its idle token at once, three messages. Site 3 enters again for none.
 *
 * A site that has been idle for a while sends the token HOME to the directory, and asks it to forget: so does
 * a site that has passed the token on, with FORGET. While the token is at the directory, no request needs the way
 * that the token took before, and the directory answers FORGOTTEN. Both are then in their first state, which
 * needs no memory. A site that has asked for the lock since its FORGET keeps what it knows.
 *
 * A site may ask again before a request arrives that the directory forwarded to it earlier. If it kept that
 * request, the two sites could wait for each other. So a FORWARD names the request of the last site behind
 * which it stands. If that is not the latest, the site has passed the token on since, and forwards. Requests
 * to write are numbered 0 and 1 by turns: a FORWARD behind one of them arrives before the next one is served.
 */
import type { Algorithm, Mode, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { list, type Messages, optional, record } from '../core/message.ts';

const DIRECTORY: NodeId = 0;
/** In place of the number of a request: the FORWARD follows a token that its receiver has had. */
const PASSED = 2;

const line = { line: list('node'), readers: list('node') } as const;
const token = { ...line, credit: 'int' } as const;

const messages = {
  REQUEST: { n: 'int', mode: 'mode' }, //                     to the directory: my request number n
  FORWARD: { origin: 'node', mode: 'mode', behind: 'int' }, // this site comes after that request of yours
  TOKEN: token,
  COPY: {}, //                                                you may read until I recall the copy
  RECALL: {}, //                                              a writer waits
  KEEP: {}, //                                                no writer waits any more
  RETURN: { again: optional('mode') }, //                     here is the copy; I want in again, in this mode
  NEXT: {}, //                                                you will write when these readers have left
  SETTLE: {}, //                                              I would read instead
  HOME: {}, //                                                the token, unasked; and may I forget the lock?
  FORGET: {}, //                                              may I forget the lock?
  FORGOTTEN: {}, //                                           you may, unless you have asked again since
} as const satisfies Messages;

type Line = {
  line: NodeId[]; //    the sites that wait, in the order in which they enter
  readers: NodeId[]; // those of them that wait to read, in the same order
};

type Token = Line & {
  credit: number; // how many sites may still be put at the head, before the sites in line
};

type State = {
  /** `asks…`: we have asked the directory; `placed`: the token has us in its line; `next`: its holder told us so. */
  stage: 'idle' | 'asksToWrite' | 'asksToRead' | 'placed' | 'next' | 'inside';
  mode: Mode; //                             of our request or stay; exclusive while we have none
  n: number; //                              the number of our latest request to write, 0 or 1
  followers: Line; //                        the sites that enter after us when the token has come
  token: Token | null; //                    if we hold it
  lent: NodeId[]; //                         the sites that have copies of the token that we hold
  recalled: NodeId[]; //                     those of them that we have asked to return theirs
  hasTold: boolean; //                       we have told the first site in line that it is next
  copy: 'none' | 'usable' | 'recalled'; //   what we have of the token of `holder`
  holder: NodeId | null; //                  the site that had the token when we last knew
  last: { site: NodeId; n: number } | null; // the directory: the last request to write
  forgetting: NodeId[]; //                   the directory: the sites that may forget when the token is here
  forgets: 'none' | 'asked' | 'void'; //     we have asked to forget; and have sent a request since
};
type DirectorySite = Site<typeof messages>;

export const directoryToken: Algorithm<State, typeof messages> = {
  id: 'directory-token',
  title: 'Directory token, after Li & Hudak 1989',
  year: 2026,
  paper: 'https://doi.org/10.1145/75104.75105',
  family: 'token',
  modes: ['exclusive', 'shared'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'fifo', // a FORWARD must not overtake the TOKEN that it follows, nor a RECALL the COPY
  options: {},
  messages,
  claims: {
    messages: {
      formula: '3 to write, 6 to read, 1 more for each site that has passed the token on; or 0',
      bounds: ({ n }) => ({ least: 0, most: n === 1 ? 0 : n + 4 }),
    },
    light: {
      formula: '3 to write, 6 to read, or 0',
      bounds: ({ n }) => ({ least: 0, most: n === 1 ? 0 : 6 }),
    },
    heavy: { formula: '1', bounds: () => ({ least: 1, most: 1 }) },
    synchronizationDelay: 'T',
  },
  recovers: [],

  init: ({ me, n }) => ({
    stage: 'idle',
    mode: 'exclusive',
    n: 0,
    followers: { line: [], readers: [] },
    token: me === DIRECTORY ? { line: [], readers: [], credit: n } : null,
    lent: [],
    recalled: [],
    hasTold: false,
    copy: 'none',
    holder: null,
    last: me === DIRECTORY ? { site: DIRECTORY, n: 0 } : null,
    forgetting: [],
    forgets: 'none',
  }),

  request(my, site, mode) {
    my.mode = mode;
    if ((mode === 'shared' && my.copy === 'usable') || isFreeHere(my, mode)) {
      enter(my, site);
      return;
    }
    my.stage = 'placed';
    if (my.token !== null) {
      putInLine(my.token, site.me, mode);
      serve(my, site);
    } else if (my.copy !== 'none') {
      // The lender has the token as long as we have its copy: the directory need not hear of us.
      giveBack(my, site, mode);
    } else {
      my.stage = mode === 'shared' ? 'asksToRead' : 'asksToWrite';
      if (mode === 'exclusive') my.n = 1 - my.n;
      if (my.forgets === 'asked') my.forgets = 'void';
      site.send(DIRECTORY, { type: 'REQUEST', n: my.n, mode });
    }
  },

  settle(my, site) {
    my.mode = 'shared';
    if (my.token !== null) {
      letRead(my.token, site.me);
      serve(my, site);
    } else if (my.stage === 'next') site.send(my.holder!, { type: 'SETTLE' });
    // Else it answers so when it is told that it is next. Until then it keeps no reader waiting.
  },

  release(my, site) {
    my.stage = 'idle';
    my.mode = 'exclusive';
    if (my.token !== null) serve(my, site);
    else if (my.copy === 'recalled') giveBack(my, site, null);
  },

  again: {
    saves: isAwaited,
    // The sites that waited for us to leave are still in the line: we stand behind them.
    step(my, site, mode) {
      my.stage = 'idle';
      if (my.token !== null) my.token.credit = Math.min(site.n, my.token.credit + 1);
      directoryToken.request(my, site, mode);
    },
  },

  on: {
    REQUEST(my, site, from, { n, mode }) {
      if (my.forgetting.includes(from)) {
        my.forgetting = my.forgetting.filter((j) => j !== from);
        site.send(from, { type: 'FORGOTTEN' });
      }
      const { site: last, n: behind } = my.last!;
      site.send(last, { type: 'FORWARD', origin: from, mode, behind });
      // A reader gets no token: the next request would only be forwarded once more.
      if (mode === 'exclusive') my.last = { site: from, n };
    },

    FORWARD(my, site, _, { origin, mode, behind }) {
      const isPlaced = my.stage === 'placed' || my.stage === 'next';
      const isBehindUs = my.stage === 'asksToWrite' && behind === my.n;
      if (my.token !== null && !isBehindUs) {
        // Our own request comes back where the token has come home before it.
        putInLine(my.token, origin, origin === site.me ? my.mode : mode);
        serve(my, site);
      } else if (isPlaced || isBehindUs) {
        putInLine(my.followers, origin, mode);
      } else follow(my, site, origin, mode);
    },

    TOKEN(my, site, _, { line, readers, credit }) {
      assert(my.token === null && my.copy === 'none', 'the token comes to a site without a copy');
      my.token = { line: line.slice(), readers: readers.slice(), credit };
      if (my.followers.line.length > 0) addFollowers(my, my.token, site.n);
      enter(my, site);
      if (my.mode === 'shared') serve(my, site);
      letForget(my, site);
    },

    COPY(my, site, from) {
      my.copy = 'usable';
      my.holder = from;
      const { line, readers } = my.followers;
      my.followers = { line: [], readers: [] };
      for (const j of line) follow(my, site, j, readers.includes(j) ? 'shared' : 'exclusive');
      if (my.mode === 'shared') enter(my, site);
      // Our SETTLE of an earlier request crossed the token, and was taken for one of this request.
      else giveBack(my, site, 'exclusive');
    },

    RECALL(my, site, from) {
      // Else we have returned it meanwhile, and may even have a copy of another holder.
      if (my.copy === 'none' || from !== my.holder) return;
      if (my.stage === 'inside') my.copy = 'recalled';
      else giveBack(my, site, null);
    },

    KEEP(my, _, from) {
      if (my.copy === 'recalled' && from === my.holder) my.copy = 'usable';
    },

    RETURN(my, site, from, { again }) {
      assert(my.token !== null && my.lent.includes(from), 'a site returns the copy that it has');
      my.lent = my.lent.filter((j) => j !== from);
      my.recalled = my.recalled.filter((j) => j !== from);
      if (again !== null) putInLine(my.token!, from, again);
      serve(my, site);
    },

    NEXT(my, site, from) {
      my.stage = 'next';
      my.holder = from;
      if (my.mode === 'shared') site.send(from, { type: 'SETTLE' });
    },

    SETTLE(my, site, from) {
      // Else the token was under way to the site when it sent this.
      if (my.token === null || !my.hasTold || my.token.line[0] !== from) return;
      letRead(my.token, from);
      my.hasTold = false;
      serve(my, site);
    },

    HOME(my, site, from) {
      assert(my.token === null && my.copy === 'none', 'there is one token, and it has no copies');
      my.token = { line: [], readers: [], credit: site.n };
      my.forgetting.push(from);
      letForget(my, site);
    },

    FORGET(my, site, from) {
      my.forgetting.push(from);
      letForget(my, site);
    },

    FORGOTTEN(my) {
      if (my.forgets === 'asked') [my.n, my.holder] = [0, null];
      my.forgets = 'none';
    },
  },

  timers: {
    forget: {
      fires: 'idle',
      expired(my, site) {
        if (my.copy === 'usable') giveBack(my, site, null);
        else if (site.me === DIRECTORY) forgetHere(my, site);
        else if (my.forgets === 'none') askToForget(my, site);
      },
    },
  },

  isAwaited,
  symmetry: {
    alike: ({ n }) => Array.from({ length: n - 1 }, (_, i) => i + 1), // all but the directory
    state: {
      followers: record(line),
      token: optional(record(token)),
      lent: list('node'),
      recalled: list('node'),
      holder: optional('node'),
      last: optional(record({ site: 'node' })),
      forgetting: list('node'),
    },
  },
  tokens: { held: ({ token }) => (token === null ? 0 : 1), carriers: ['TOKEN', 'HOME'] },
  fields: {
    n: 'number of the request',
    followers: 'followers (line, readers)',
    token: 'token (line, readers, credit)',
    lent: 'copies lent to',
    recalled: 'copies recalled from',
    hasTold: 'first in line is told',
    holder: 'token last seen at',
    last: 'last to ask the directory',
    forgetting: 'sites that want to forget',
    forgets: 'asked to forget',
  },
  owes: ({ token, followers }, { me }) =>
    [...(token?.line ?? []), ...followers.line].filter((j) => j !== me),
  awaits: ({ token, lent, stage, holder }, { others }) => {
    if (token !== null) return lent;
    return stage === 'next' ? [holder!] : others;
  },
  invariants: {
    'every copy is known to the holder of the token': ({ sites, inFlight }) => {
      const holder = sites.find(({ token }) => token !== null);
      const out = sites.flatMap(({ copy }, j) => (copy === 'none' ? [] : [j]));
      const underWay = inFlight.flatMap(({ from, to, message: { type } }) =>
        type === 'COPY' ? [to] : type === 'RETURN' ? [from] : [],
      );
      const copies = [...out, ...underWay].sort((a, b) => a - b);
      return copies.join() === [...(holder?.lent ?? [])].sort((a, b) => a - b).join();
    },
    'sites that are all idle can all forget': ({ sites, inFlight }) => {
      if (inFlight.length > 0 || sites.some(({ stage }) => stage !== 'idle')) return true;
      const [directory, ...others] = sites;
      const isAway = ({ copy, token, holder, n, forgets }: State) =>
        copy === 'usable' || (forgets === 'none' && (token !== null || holder !== null || n !== 0));
      const { token, lent, last, forgetting } = directory!;
      const isHome = token !== null && lent.length === 0 && last!.site === DIRECTORY;
      return (
        others.some(isAway) || directory!.copy === 'usable' || (isHome && forgetting.length === 0)
      );
    },
    'a copy is recalled only for a writer': ({ sites, inFlight }) => {
      const token = sites.find(({ token }) => token !== null)?.token;
      const isForAWriter = token && token.line.length > token.readers.length;
      return sites.every(
        ({ copy }, j) =>
          copy !== 'recalled' ||
          isForAWriter ||
          inFlight.some(({ to, message: { type } }) => to === j && type === 'KEEP'),
      );
    },
  },
};

function isAwaited({ token, copy }: State): boolean {
  return token === null ? copy === 'recalled' : token.line.length > 0;
}

/** We hold the token, and no site is in the way. Most locks are taken again so: no list is touched. */
const isFreeHere = ({ token, lent }: State, mode: Mode): boolean =>
  token !== null && token.line.length === 0 && (mode === 'shared' || lent.length === 0);

/** Sends the request of `origin` after the token, on a link on which the token, or our RETURN, went before it. */
function follow({ holder }: State, site: DirectorySite, origin: NodeId, mode: Mode): void {
  site.send(holder ?? DIRECTORY, { type: 'FORWARD', origin, mode, behind: PASSED });
}

/** If j waits to write, its place in line becomes a reader's. */
function letRead({ line, readers }: Line, j: NodeId): void {
  const place = line.indexOf(j);
  if (place === -1 || readers.includes(j)) return;
  const before = line.slice(0, place).filter((i) => readers.includes(i));
  readers.splice(before.length, 0, j);
}

function putInLine({ line, readers }: Line, site: NodeId, mode: Mode): void {
  line.push(site);
  if (mode === 'shared') readers.push(site);
}

/**
 * Sites that the directory put behind us enter before the sites that asked again meanwhile: else of N sites that
 * ask at once each would wait for all before it to enter again and again. But no site waits for ever: only N
 * enter before a line of sites that were there first, and one more for each site that asks again behind them.
 */
function addFollowers(my: State, token: Token, n: number): void {
  const { line, readers } = my.followers;
  my.followers = { line: [], readers: [] };
  if (token.line.length === 0) token.credit = n;
  else if (line.length <= token.credit) token.credit -= line.length;
  else {
    token.line.push(...line);
    token.readers.push(...readers);
    return;
  }
  token.line.unshift(...line);
  token.readers.unshift(...readers);
}

/** Lets in every site that may enter now, from the head of the line on. */
function serve(my: State, site: DirectorySite): void {
  const { line, readers } = my.token!;
  while (line.length > 0 && !(my.stage === 'inside' && my.mode === 'exclusive')) {
    const next = line[0]!;
    const reads = readers[0] === next; // they are in the order of the line
    if (!reads && (my.lent.length > 0 || my.stage === 'inside')) {
      awaitReaders(my, site, next);
      return;
    }
    // It has returned its last copy, and its REQUEST has overtaken that RETURN by another way.
    if (my.lent.includes(next)) break;
    line.shift();
    if (reads) readers.shift();
    if (next === site.me) {
      enter(my, site);
      if (my.followers.line.length > 0) addFollowers(my, my.token!, site.n);
    } else if (reads) lend(my, site, next);
    else {
      pass(my, site, next);
      return;
    }
  }
  if (my.recalled.length > 0) letKeep(my, site);
}

function pass(my: State, site: DirectorySite, next: NodeId): void {
  const { line, readers, credit } = my.token!;
  my.token = null;
  my.hasTold = false;
  my.holder = next;
  site.send(next, { type: 'TOKEN', line, readers, credit });
}

function lend(my: State, site: DirectorySite, reader: NodeId): void {
  my.lent.push(reader);
  site.send(reader, { type: 'COPY' });
}

function awaitReaders(my: State, site: DirectorySite, writer: NodeId): void {
  for (const j of my.lent) {
    if (my.recalled.includes(j)) continue;
    my.recalled.push(j);
    site.send(j, { type: 'RECALL' });
  }
  if (my.hasTold || writer === site.me) return;
  my.hasTold = true;
  site.send(writer, { type: 'NEXT' });
}

/** The sites that waited to write have downgraded. */
function letKeep(my: State, site: DirectorySite): void {
  for (const j of my.recalled) site.send(j, { type: 'KEEP' });
  my.recalled = [];
}

function giveBack(my: State, site: DirectorySite, again: Mode | null): void {
  if (again !== null) my.stage = 'placed';
  my.copy = 'none';
  site.send(my.holder!, { type: 'RETURN', again });
}

/** A site that has not been asked for long sends the token home, and forgets where else it went. */
function askToForget(my: State, site: DirectorySite): void {
  if (my.token !== null) {
    if (my.lent.length > 0) return;
    my.token = null;
    my.holder = DIRECTORY;
    my.forgets = 'asked';
    site.send(DIRECTORY, { type: 'HOME' });
  } else if (my.holder !== null || my.n !== 0) {
    my.forgets = 'asked';
    site.send(DIRECTORY, { type: 'FORGET' });
  }
}

/**
 * While the token is here, no request needs the way that the token took before. So a site that has not asked
 * since may forget its part of that way. A request that still goes there comes back to the directory.
 */
function letForget(my: State, site: DirectorySite): void {
  if (my.token === null) return;
  for (const j of my.forgetting) {
    if (my.last!.site === j) my.last = { site: DIRECTORY, n: my.n };
    site.send(j, { type: 'FORGOTTEN' });
  }
  my.forgetting = [];
}

/** The directory is as it was at first, once the token is back and no site is the last to have asked. */
function forgetHere(my: State, { n }: DirectorySite): void {
  if (my.token === null || my.lent.length > 0 || my.last!.site !== DIRECTORY) return;
  my.token.credit = n;
  my.n = 0;
  my.last!.n = 0;
  my.holder = null;
}

function enter(my: State, site: DirectorySite): void {
  my.stage = 'inside';
  site.enter();
}
