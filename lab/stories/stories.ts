/** The stories of the lab, in the order in which they are told. */
import { FIGURE_STORIES } from './figures.ts';
import { at, right, type Story, scripted, wrong } from './story.ts';

const OWN: readonly Story[] = [
  {
    id: 'permission',
    title: 'Asking every other site: Ricart and Agrawala',
    run: {
      algorithm: 'ricart-agrawala',
      nodes: 3,
      ...scripted('0 request 1\n1 request 2\n8 request 0'),
    },
    beats: [
      at(
        'request',
        1,
        'Site 1 asks to go in. Its request has the number 1, and goes to every other site.',
      ),
      at(
        'request',
        2,
        'Site 2 asks before it has heard of site 1, so its request has the number 1 as well.',
      ),
      at(
        'request',
        3,
        'Site 0 has received both requests. Its own request has the number 2, and so comes last.',
      ),
      at(
        'enters',
        1,
        'Site 1 has a REPLY from every other site, and goes in. Site 2 had to reply: its request has the same number, and its name is higher.',
      ),
      at('exit', 1, 'Site 1 leaves, and replies to the two requests that it has deferred.'),
      at('end', 0, 'Three entries, in the order of the numbers: 1, 2, 0.'),
    ],
    asks: 'How many messages did the three entries take together?',
    answers: [
      right(
        'Twelve',
        'Each entry takes two REQUESTs and two REPLYs: 2(N−1) = 4 messages. Three entries take twelve.',
      ),
      wrong(
        'Nine',
        'That would be three for each entry. Each of the two others is asked, and each of them answers.',
      ),
      wrong('Six', 'Those are the REQUESTs alone. Every one of them is answered.'),
    ],
  },
  {
    id: 'fewer',
    title: 'The same with fewer messages: Lodha and Kshemkalyani',
    run: {
      algorithm: 'lodha-kshemkalyani',
      nodes: 3,
      ...scripted('0 request 0\n0 request 1\n0 request 2'),
    },
    beats: [
      at('request', 3, 'All three sites ask at the same time.'),
      at('enters', 1, 'Two REQUESTs that cross each other count as replies: no REPLY is sent.'),
      at(
        'exit',
        1,
        'Site 0 leaves, and sends a FLUSH to the next site in the order, and to no other.',
      ),
      at('end', 0, 'Each FLUSH lets one site in.'),
    ],
    asks: 'With Ricart and Agrawala this takes twelve messages. How many here?',
    answers: [
      right(
        'Eight',
        'Six REQUESTs, which are answers too, and two FLUSHes, one for each hand-over.',
      ),
      wrong('Ten', 'No REPLY is needed: every request is concurrent with every other.'),
      wrong('Twelve', 'The requests are concurrent: each counts as an answer to the others.'),
    ],
  },
  {
    id: 'tree',
    title: 'A token in a tree: Raymond, seven sites',
    run: { algorithm: 'raymond', nodes: 7, ...scripted('0 request 3\n60 request 6') },
    beats: [
      at(
        'request',
        1,
        'Site 0, the root, has the token. Site 3 sends a REQUEST to its neighbour on the way to the token.',
      ),
      at(
        'enters',
        1,
        'The token has come back along the same edges, and each of them has turned: all HOLDERs now lead to site 3.',
      ),
      at('request', 2, 'Site 6 asks. It is four edges away from the token, as far as possible.'),
      at(
        'enters',
        2,
        'The request went up and down the tree, and the token came back the same way.',
      ),
    ],
    asks: 'How many messages did the entry of site 6 take?',
    answers: [
      right(
        'Eight',
        'Four REQUESTs along four edges, and four times PRIVILEGE back: twice the distance.',
      ),
      wrong(
        'Four',
        'Those are the REQUESTs alone. The token comes back along the same four edges.',
      ),
      wrong(
        'Twelve',
        'No other site is asked: only the sites on the way between 6 and the token take part.',
      ),
    ],
  },
  {
    id: 'busy-tree',
    title: 'The busier, the cheaper: Raymond under load',
    run: {
      algorithm: 'raymond',
      nodes: 7,
      workload: 'saturated',
      entries: 70,
      delay: 'constant:5',
    },
    beats: [
      at('enters', 7, 'Every site asks again as soon as it has left.'),
      at('enters', 21, 'The token walks through the tree and serves the sites on its way.'),
      at(
        'end',
        0,
        'A site that has already asked its neighbour does not ask again for another site: one REQUEST serves both.',
      ),
    ],
    asks: 'In the story before, an entry took eight messages. How many does one take here, on average?',
    answers: [
      right(
        'Less than four',
        'For seven entries the token passes each of the six edges twice, and so do the REQUESTs: 24 messages.',
      ),
      wrong(
        'Eight, as before',
        'The token does not travel from end to end for each entry: it serves sites on its way.',
      ),
      wrong(
        'More than eight',
        'Waiting sites share requests: an edge never carries a second one while the first is unanswered.',
      ),
    ],
  },
  {
    id: 'pointers',
    title: 'Pointers that lead to the last: Naimi and Trehel',
    run: {
      algorithm: 'naimi-trehel',
      nodes: 5,
      ...scripted('0 request 3\n40 request 1\n80 request 4'),
    },
    beats: [
      at(
        'request',
        1,
        'LAST points towards the site that asked last. At first every site points at site 0, which has the token.',
      ),
      at('enters', 1, 'Site 3 asked last: site 0 points at it now.'),
      at('request', 2, 'Site 1 still points at 0, which passes the request on to 3.'),
      at(
        'enters',
        3,
        'Every site that a request has passed points at the site that asked: the next request has a shorter way.',
      ),
    ],
    asks: 'Which site does site 0 point at in the end?',
    answers: [
      right(
        '4, which asked last',
        'Site 4 still pointed at 0, so its request came through 0, which points at it from then on.',
      ),
      wrong(
        '1',
        'It pointed at 1 after the second request; the third, of site 4, came through 0 too.',
      ),
      wrong('3', 'That was after the first request. Both others came through 0 since.'),
    ],
  },
  {
    id: 'ring',
    title: 'A token that never rests: the ring',
    run: { algorithm: 'ring-token', nodes: 5, ...scripted('40 request 2') },
    beats: [
      at(
        'request',
        1,
        'The token goes round the ring all the time, although no site has asked for it.',
      ),
      at(
        'enters',
        1,
        'Site 2 sends no request: it keeps the token when the token arrives, and goes in.',
      ),
    ],
    asks: 'What does an entry cost when every site always wants in?',
    answers: [
      right(
        'One message',
        'The token goes from each site to the next, and every site that it reaches goes in.',
      ),
      wrong('Five messages', 'That is a whole round, in which all five go in.'),
      wrong('None', 'The token has to get to the next site: that is one message.'),
    ],
  },
  {
    id: 'lost',
    title: 'A lost token: Suzuki and Kasami',
    run: {
      algorithm: 'suzuki-kasami',
      nodes: 4,
      ...scripted('0 request 1\n2 request 2\n3 request 3'),
      interventions: [{ after: 5, lose: 10 }],
    },
    beats: [
      at('request', 3, 'Three sites ask all others for the token, which site 0 has.'),
      at(
        'end',
        0,
        'The token is lost on its way. All other messages have arrived, and no site will ever go in.',
      ),
    ],
    asks: 'Which of these would help?',
    answers: [
      right(
        'Detect the loss, and make a new token',
        'Mishra and Srimani, and Nishio, Li and Manning, added this: a new token, with a number that distinguishes it from the old one.',
      ),
      wrong('Ask again', 'Every site has heard every request. There is no token to send.'),
      wrong(
        'Wait longer',
        'No message is in flight, so nothing will happen, however long the sites wait.',
      ),
    ],
  },
  {
    id: 'order',
    title: 'Why Lamport needs links that keep order',
    search: { algorithm: 'lamport', nodes: 2, entries: [1], links: 'any' },
    tells: [
      'Each site keeps a queue of all requests, in the order of their numbers. It goes in when its own is first, and when it has heard from every other site since it asked.',
      'So a REPLY also means: my earlier requests have reached you. Here two sites ask once each, and messages of a link may overtake each other.',
    ],
    beats: [],
    asks: 'In the schedule that the search finds, which message overtakes which?',
    answers: [
      right(
        'The REPLY of 0 overtakes its own REQUEST',
        'So site 1 believes that 0 has nothing earlier to say, and goes in. Its request is later, and 0 is inside already.',
      ),
      wrong(
        'The REQUEST of 1 overtakes that of 0',
        'They go opposite ways: neither can overtake the other.',
      ),
      wrong(
        'None: the algorithm is wrong',
        'Over links that keep the order the same search proves it right.',
      ),
    ],
  },
  {
    id: 'deadlock',
    title: 'A deadlock that was published: Maekawa',
    search: {
      ...{ algorithm: 'maekawa', printed: 'original', nodes: 4, entries: [1, 1, 1, 0] },
      ...{ links: 'fifo', topology: 'majority' },
    },
    tells: [
      'A site asks a few others, its quorum, for their votes. Any two quorums share a site, and a site has one vote: so no two sites can have all votes of their quorums.',
      'Votes alone would end in a deadlock. So an arbiter whose vote is with a later request INQUIREs, and a site that has been told that it FAILED gives the vote back. Here three of four sites ask once each, as the paper prints it.',
    ],
    beats: [],
    asks: 'All three have some votes, and none has enough. Why does none give a vote back?',
    answers: [
      right(
        'A site that must wait was never told',
        'An arbiter puts an earlier request at the head of its queue, and sends no FAILED to the site whose request was there. So that site keeps its votes. Sanders found the error: in the correction the arbiter sends FAILED.',
      ),
      wrong('Their messages were lost', 'Every message of the schedule arrives, and in order.'),
      wrong(
        'They all have the same number',
        'Equal numbers are told apart by the names of the sites.',
      ),
    ],
  },
  {
    id: 'numbers',
    title: 'Numbers that are too few: Ricart and Agrawala, section 6.4',
    search: {
      ...{ algorithm: 'ricart-agrawala', printed: 'bounded', nodes: 2, entries: [1, 2] },
      options: ['bounded'],
    },
    tells: [
      'Numbers of requests grow for ever. Section 6.4 keeps them small: they are counted modulo 2N−1, because two of them never differ by more than N−1 at a time.',
      'Here are two sites, so the numbers are 0, 1 and 2. Site 0 goes in once and site 1 twice, by the code as it is printed.',
    ],
    beats: [],
    asks: 'The paper counts modulo 2N−1. What goes wrong in the printed code?',
    answers: [
      right(
        'A site forgets its own number',
        'Its own number does not count as seen. So it falls behind the others by more than N−1, and the comparison modulo 2N−1 then takes an old number for a new one.',
      ),
      wrong(
        '2N−1 numbers are too few',
        'They are enough once a site counts its own number as seen: the same search then proves it.',
      ),
      wrong('A message is lost', 'Nothing is lost: the schedule delivers every message.'),
    ],
  },
];

/** A figure of a paper comes after the story that explains its algorithm. */
export const STORIES: readonly Story[] = OWN.flatMap((story) => [
  story,
  ...FIGURE_STORIES.filter(({ after }) => after === story.id),
]);
