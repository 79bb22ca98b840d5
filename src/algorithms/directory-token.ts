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
 * So an entry costs three messages at any N: REQUEST, FORWARD and TOKEN. A site that leaves and re-requests
 * adds itself to the line of the token that it passes on. Where all want in all the time, the token goes round
 * among them, and an entry costs one message.
 *
 * A reader gets a copy of the token, and reads with it again and again without a message. The holder of the
 * token recalls all copies before it sends the token to a writer. While the holder waits for readers, it tells
 * that writer that it is NEXT. A writer that downgrades answers DOWNGRADE, and its place becomes a reader's. The
 * holder then lets the other readers KEEP their copies.
 *
 * A token that several sites want in turn roams: when it has been idle for a moment it goes HOME, to the directory. The
 * next entry then takes a round trip: REQUEST and TOKEN. A site that asks twice in a row keeps the token, and enters for
 * no message.
 *
 * Example: site 0 of four has the token. Site 1 asks the directory, which is site 0 itself: REQUEST and TOKEN,
 * two messages. Site 2 asks while site 1 is inside. The directory forwards to site 1, and site 1 sends the token
 * when it leaves: REQUEST, FORWARD and TOKEN, three messages. Site 3 asks when site 2 has left: the directory
 * forwards to site 2, which sends its idle token at once, three messages. Site 3 enters again for none.
 *
 * A site that has been idle for a while sends any token HOME, and asks the directory whether it may forget: so does
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
import { askToForget, forgetHere, goHome, letForget, mayGoHome } from './directory-token/home.ts';
import { invariants } from './directory-token/invariants.ts';
import {
  behindFirst,
  DIRECTORY,
  FIRST_READ,
  type Followers,
  freeToken,
  NOBODY,
  NONE,
  type Token,
  withFollower,
  without,
  withReader,
  withSite,
} from './directory-token/line.ts';

/** In place of the number of a request: the FORWARD follows a token that its receiver has had. */
const PASSED = 4;
/** In place of the number of the origin's own request: the directory knows it as the last one, or did. */
const KNOWN = 4;
const line = { line: list('node'), readers: list('node') } as const;
const followers = { ...line, numbers: list('int') } as const;
const token = { ...line, credit: 'int', roams: 'bool' } as const;

export const messages = {
  REQUEST: { n: 'int', mode: 'mode' }, //                     to the directory: my request number n
  FORWARD: { origin: 'node', n: 'int', mode: 'mode', behind: 'int' }, // its request comes after that of yours
  TOKEN: token,
  COPY: {}, //                                                you may read until I recall the copy
  RECALL: {}, //                                              a writer waits
  KEEP: {}, //                                                no writer waits any more
  RETURN: { rerequest: optional('mode') }, //                 here is the copy; and my next request, in this mode
  NEXT: {}, //                                                you will write when these readers have left
  DOWNGRADE: {}, //                                           my waiting request is now one to read
  HOME: { forget: 'bool' }, //                                the token, unasked; and may I forget the lock?
  FORGET: {}, //                                              may I forget the lock?
  FORGOTTEN: {}, //                                           you may, unless you have asked again since
} as const satisfies Messages;

export type State = {
  /** `asks…`: we have asked the directory; `placed`: the token has us in its line; `next`: its holder told us so. */
  stage: 'idle' | 'asksToWrite' | 'asksToRead' | 'placed' | 'next' | 'inside';
  mode: Mode; //                             of our request or stay; exclusive while we have none
  n: number; //                              the number of our latest request to write, 0 or 1
  r: number; //                              the number of our latest request to read, 2 or 3
  followers: Followers; //                   the sites that enter after us when the token has come
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
    r: FIRST_READ,
    followers: NOBODY,
    token: me === DIRECTORY ? freeToken(n, false) : null,
    lent: NONE,
    recalled: NONE,
    hasTold: false,
    copy: 'none',
    holder: null,
    last: me === DIRECTORY ? { site: DIRECTORY, n: 0 } : null,
    forgetting: NONE,
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
      my.token = withSite(my.token, site.me, mode);
      serve(my, site);
    } else if (my.copy !== 'none') {
      // The lender has the token as long as we have its copy: the directory need not hear of us.
      giveBack(my, site, mode);
    } else {
      my.stage = mode === 'shared' ? 'asksToRead' : 'asksToWrite';
      if (mode === 'shared') my.r = 2 * FIRST_READ + 1 - my.r;
      else my.n = 1 - my.n;
      if (my.forgets === 'asked') my.forgets = 'void';
      site.send(DIRECTORY, { type: 'REQUEST', n: mode === 'shared' ? my.r : my.n, mode });
    }
  },

  downgrade(my, site) {
    my.mode = 'shared';
    if (my.token !== null) {
      my.token = withReader(my.token, site.me);
      serve(my, site);
    } else if (my.stage === 'next') site.send(my.holder!, { type: 'DOWNGRADE' });
    // Else it answers so when it is told that it is next. Until then it keeps no reader waiting.
  },

  release(my, site) {
    my.stage = 'idle';
    my.mode = 'exclusive';
    if (my.token !== null) serve(my, site);
    else if (my.copy === 'recalled') giveBack(my, site, null);
  },

  rerequest: {
    saves: isAwaited,
    // The sites that waited for us to leave are still in the line: we stand behind them.
    step(my, site, mode) {
      if (my.token === null) {
        my.stage = 'idle';
        directoryToken.request(my, site, mode);
        return;
      }
      my.stage = 'placed';
      my.mode = mode;
      my.token = withSite(my.token, site.me, mode, Math.min(site.n, my.token.credit + 1));
      serve(my, site);
    },
  },

  on: {
    REQUEST(my, site, from, { n, mode }) {
      if (my.forgetting.includes(from)) {
        my.forgetting = without(my.forgetting, from);
        site.send(from, { type: 'FORGOTTEN' });
      }
      const { site: last, n: behind } = my.last!;
      // A reader gets no token: the next request would only be forwarded once more.
      const isLast = mode === 'exclusive' || last === from;
      const number = isLast ? KNOWN : n;
      site.send(last, { type: 'FORWARD', origin: from, n: number, mode, behind });
      if (isLast) [my.last!.site, my.last!.n] = [from, n];
    },

    FORWARD(my, site, _, { origin, n, mode, behind }) {
      const isPlaced = my.stage === 'placed' || my.stage === 'next';
      const isBehindUs =
        (my.stage === 'asksToWrite' && behind === my.n) ||
        (my.stage === 'asksToRead' && behind === my.r);
      if (my.stage === 'idle' && mode === 'exclusive' && isFreeHere(my, mode)) {
        pass(my, site, origin); // Most tokens leave so: no list is touched.
      } else if (my.token !== null && !isBehindUs) {
        // Our own request comes back where the token has come home before it.
        my.token = withSite(my.token, origin, origin === site.me ? my.mode : mode);
        serve(my, site);
      } else if (isPlaced || isBehindUs) {
        my.followers = withFollower(my.followers, origin, n, mode);
      } else if (my.last !== null && behind === PASSED && n !== KNOWN) {
        // The token has left home again. The reader becomes the last site, and later requests stand behind it: else it
        // could follow the token for ever.
        const { site: last, n: number } = my.last;
        site.send(last, { type: 'FORWARD', origin, n: KNOWN, mode, behind: number });
        [my.last.site, my.last.n] = [origin, n];
      } else follow(my, site, origin, n, mode);
    },

    TOKEN(my, site, _, { line, readers, credit, roams }) {
      assert(my.token === null && my.copy === 'none', 'the token comes to a site without a copy');
      const isFree = line.length === 0 && readers.length === 0 && credit === site.n;
      const token = isFree ? freeToken(credit, roams) : { line, readers, credit, roams };
      my.token = token;
      if (my.followers.line.length > 0) addFollowers(my, token, site.n);
      enter(my, site);
      if (my.mode === 'shared') serve(my, site);
      letForget(my, site);
    },

    COPY(my, site, from) {
      my.copy = 'usable';
      my.holder = from;
      const { line, readers, numbers } = my.followers;
      my.followers = NOBODY;
      for (const [i, j] of line.entries())
        follow(my, site, j, numbers[i]!, readers.includes(j) ? 'shared' : 'exclusive');
      if (my.mode === 'shared') enter(my, site);
      // Our DOWNGRADE of an earlier request crossed the token, and was taken for one of this request.
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

    RETURN(my, site, from, { rerequest }) {
      assert(my.token !== null && my.lent.includes(from), 'a site returns the copy that it has');
      my.lent = without(my.lent, from);
      my.recalled = without(my.recalled, from);
      if (rerequest !== null) my.token = withSite(my.token!, from, rerequest);
      serve(my, site);
    },

    NEXT(my, site, from) {
      my.stage = 'next';
      my.holder = from;
      if (my.mode === 'shared') site.send(from, { type: 'DOWNGRADE' });
    },

    DOWNGRADE(my, site, from) {
      // Else the token was under way to the site when it sent this.
      if (my.token === null || !my.hasTold || my.token.line[0] !== from) return;
      my.token = withReader(my.token, from);
      my.hasTold = false;
      serve(my, site);
    },

    HOME(my, site, from, { forget }) {
      assert(my.token === null && my.copy === 'none', 'there is one token, and it has no copies');
      my.token = freeToken(site.n, false);
      // Else a request that was forwarded to that site comes back, and later ones stand behind it.
      if (my.last!.site === from) [my.last!.site, my.last!.n] = [DIRECTORY, my.n];
      if (forget) my.forgetting = [...my.forgetting, from];
      letForget(my, site);
    },

    FORGET(my, site, from) {
      my.forgetting = [...my.forgetting, from];
      letForget(my, site);
    },

    FORGOTTEN(my) {
      if (my.forgets === 'asked') [my.n, my.r, my.holder] = [0, FIRST_READ, null];
      my.forgets = 'none';
    },
  },

  timers: {
    home: {
      fires: 'idle',
      isDue: mayGoHome,
      expired(my, site) {
        if (mayGoHome(my)) goHome(my, site, false);
      },
    },
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
      followers: record(followers),
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
    n: 'number of the request to write',
    r: 'number of the request to read',
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
  invariants,
};

function isAwaited({ token, copy }: State): boolean {
  return token === null ? copy === 'recalled' : token.line.length > 0;
}

/** We hold the token, and no site is in the way. Most locks are taken again so: no list is touched. */
const isFreeHere = ({ token, lent }: State, mode: Mode): boolean =>
  token !== null && token.line.length === 0 && (mode === 'shared' || lent.length === 0);

/** Sends the request of `origin` after the token, on a link on which the token, or our RETURN, went before it. */
function follow(my: State, site: DirectorySite, origin: NodeId, n: number, mode: Mode): void {
  site.send(my.holder ?? DIRECTORY, { type: 'FORWARD', origin, n, mode, behind: PASSED });
}

/**
 * Sites that the directory put behind us enter before the sites that asked again meanwhile: else of N sites that
 * ask at once each would wait for all before it to enter again and again. But no site waits for ever: only N
 * enter before a line of sites that were there first, and one more for each site that asks again behind them.
 */
function addFollowers(my: State, token: Token, n: number): void {
  const { line, readers } = my.followers;
  my.followers = NOBODY;
  const credit = token.line.length === 0 ? n : token.credit - line.length;
  my.token =
    credit < 0
      ? { ...token, line: [...token.line, ...line], readers: [...token.readers, ...readers] }
      : {
          ...token,
          line: [...line, ...token.line],
          readers: [...readers, ...token.readers],
          credit,
        };
}

/** Lets in every site that may enter now, from the head of the line on. */
function serve(my: State, site: DirectorySite): void {
  while (my.token!.line.length > 0 && !(my.stage === 'inside' && my.mode === 'exclusive')) {
    const { line, readers, credit, roams } = my.token!;
    const next = line[0]!;
    const reads = readers[0] === next; // they are in the order of the line
    if (!reads && (my.lent.length > 0 || my.stage === 'inside')) {
      awaitReaders(my, site, next);
      return;
    }
    // It has returned its last copy, and its REQUEST has overtaken that RETURN by another way.
    if (my.lent.includes(next)) break;
    if (!reads && next !== site.me) {
      pass(my, site, next, behindFirst(line));
      return;
    }
    const others = reads ? behindFirst(readers) : readers;
    my.token = { line: behindFirst(line), readers: others, credit, roams };
    if (next !== site.me) lend(my, site, next);
    else {
      enter(my, site);
      if (my.followers.line.length > 0) addFollowers(my, my.token!, site.n);
    }
  }
  if (my.recalled.length > 0) letKeep(my, site);
}

/** Sends the token to `next`. `line`: the sites that wait behind it. */
function pass(my: State, site: DirectorySite, next: NodeId, line = my.token!.line): void {
  const { readers, credit } = my.token!;
  // The directory knows to which site it last sent the token.
  const roams = site.me !== DIRECTORY || next !== my.holder;
  my.token = null;
  my.hasTold = false;
  my.holder = next;
  site.send(next, { type: 'TOKEN', line, readers, credit, roams });
}

function lend(my: State, site: DirectorySite, reader: NodeId): void {
  my.lent = [...my.lent, reader];
  site.send(reader, { type: 'COPY' });
}

function awaitReaders(my: State, site: DirectorySite, writer: NodeId): void {
  for (const j of my.lent) {
    if (my.recalled.includes(j)) continue;
    my.recalled = [...my.recalled, j];
    site.send(j, { type: 'RECALL' });
  }
  if (my.hasTold || writer === site.me) return;
  my.hasTold = true;
  site.send(writer, { type: 'NEXT' });
}

/** The sites that waited to write have downgraded. */
function letKeep(my: State, site: DirectorySite): void {
  for (const j of my.recalled) site.send(j, { type: 'KEEP' });
  my.recalled = NONE;
}

function giveBack(my: State, site: DirectorySite, rerequest: Mode | null): void {
  if (rerequest !== null) my.stage = 'placed';
  my.copy = 'none';
  site.send(my.holder!, { type: 'RETURN', rerequest });
}

function enter(my: State, site: DirectorySite): void {
  my.stage = 'inside';
  site.enter();
}
