/** Figures of the papers, and errors in them, as stories. */
import { at, right, type Story, scripted, wrong } from './story.ts';

/** `after`: the story that it follows. */
export const FIGURE_STORIES: readonly (Story & { readonly after: string })[] = [
  {
    id: 'turning',
    after: 'tree',
    title: 'The edges turn: Raymond, figures 2 and 3',
    run: {
      ...{ algorithm: 'raymond', nodes: 3, topology: 'line' },
      ...scripted('0 request 0 stay 30\n5 request 2'),
    },
    beats: [
      at('request', 1, 'Site 0 has the privilege, and goes in. Every HOLDER leads to it.'),
      at('request', 2, 'Site 2 asks its neighbour 1, which asks 0 on its own behalf.'),
      at(
        'exit',
        1,
        'Site 0 leaves, and sends the privilege to site 1. Its HOLDER points there from now on.',
      ),
      at(
        'enters',
        2,
        'Site 1 passes the privilege on to site 2. Each edge that the privilege has passed has turned.',
      ),
    ],
    asks: 'Which sites does site 1 have in its queue while 0 is inside?',
    answers: [
      right(
        'Only 2',
        'It asked 0 because 2 had asked it. A site knows only its neighbours, and queues the neighbours that asked it.',
      ),
      wrong('1 and 2', 'Site 1 does not want in itself: it asks on behalf of its neighbour.'),
      wrong('None', 'It must know to which neighbour the privilege goes when it comes.'),
    ],
  },
  {
    id: 'two-flushes',
    after: 'fewer',
    title: 'Two FLUSHes to one site: Lodha and Kshemkalyani, figure 7',
    run: {
      ...{ algorithm: 'lodha-kshemkalyani', nodes: 3 },
      ...scripted('0 request 0\n3 request 1 stay 4\n6 request 2\n26 request 0'),
      interventions: [{ after: 5, delay: 6, to: 0, by: 25 }],
    },
    beats: [
      at('request', 3, 'Site 2 asks after its REPLY to 0. Its own REQUEST to 0 takes long.'),
      at('exit', 1, 'Site 0 knows of one other request, that of 1: it tells 1 by FLUSH.'),
      at('request', 4, 'Site 0 asks again, before it has heard of the request of 2.'),
      at(
        'exit',
        2,
        'Leaving, site 1 tells 2 by FLUSH. Site 2 still waits for 0, which comes first.',
      ),
      at('end', 0, 'Leaving a second time, site 0 tells 2 by another FLUSH, and 2 goes in.'),
    ],
    asks: 'Site 2 asked at time 6, and 0 asked again at 26. Why does 0 go in first?',
    answers: [
      right(
        'The numbers of their requests say so',
        'Site 0 had not heard of the request of 2 when it asked again, so both numbers are alike, and the smaller name comes first.',
      ),
      wrong(
        'Site 0 has the FLUSH of 1',
        'The FLUSH of 1 went to 2. Site 0 got a REPLY from 1, because site 1 had left when site 0 asked.',
      ),
      wrong(
        'The algorithm is unfair',
        'It serves requests in the order of their numbers, and the numbers do not depend on time.',
      ),
    ],
  },
  {
    id: 'finished',
    after: 'fewer',
    title: 'A request that is over comes back: Lodha and Kshemkalyani, figure 2',
    search: { algorithm: 'lodha-kshemkalyani', printed: 'figure-2', nodes: 3, entries: [1, 1, 1] },
    tells: [
      'Every site queues the requests that are concurrent with its own, and goes in when its own is at the head. A REPLY or a FLUSH also says which requests are finished: those leave the queue.',
      'Figure 2 of the paper prints what a site does with each message. Here three sites ask once each, and messages of a link may overtake each other.',
    ],
    beats: [],
    asks: 'In the schedule that the search finds, what does the waiting site have at the head of its queue?',
    answers: [
      right(
        'A request that is finished',
        'It arrives after the message that says that it is finished, and nothing will remove it. The corrected form inserts no request that it knows to be finished.',
      ),
      wrong('Its own request', 'Then it would go in: every other site has answered.'),
      wrong('Nothing', 'It waits for a site to tell it something about the head of its queue.'),
    ],
  },
  {
    id: 'roaming',
    after: 'busy-tree',
    title: 'Messages that collect votes: relative consensus voting, figure 4',
    run: {
      ...{ algorithm: 'relative-consensus-voting', nodes: 10, workload: 'once', entries: 10 },
      delay: 'constant:5',
    },
    beats: [
      at(
        'request',
        10,
        'All ten ask at once. Each sends one message, which goes from site to site.',
      ),
      at(
        'enters',
        1,
        'A message with enough votes determines which request comes first, and visits no more sites.',
      ),
      at('end', 0, 'Each site that leaves tells the next: one message for a hand-over.'),
    ],
    asks: 'With Ricart and Agrawala each of these entries takes 18 messages. How many here, on average?',
    answers: [
      right(
        'About eleven',
        'A message visits only as many sites as it needs to order the requests. But it carries what it has seen: in bytes it is far larger.',
      ),
      wrong(
        'Eighteen as well',
        'No site asks all others: its message stops once the order is certain.',
      ),
      wrong(
        'Two',
        'A request, and a hand-over, would be two: but a message must visit several sites to know the order.',
      ),
    ],
  },
  {
    id: 'busy-ring',
    after: 'ring',
    title: 'The same ring, saturated',
    run: {
      ...{ algorithm: 'ring-token', nodes: 5, workload: 'saturated', entries: 25 },
      delay: 'constant:5',
    },
    beats: [
      at(
        'enters',
        5,
        'Every site asks again as soon as it has left. The token stops at each of them.',
      ),
      at('enters', 15, 'No site asks for anything: the only message is the token itself.'),
      at('end', 0, 'Twenty-five entries, and as many messages.'),
    ],
    asks: 'A message takes 5, and a stay inside 10. How long does a site wait for its next turn?',
    answers: [
      right(
        '65',
        'The four others stay inside for 10 each, and the token takes 5 for each of the five hops: 40 and 25.',
      ),
      wrong(
        '25',
        'That is the way of the token alone. It is kept for 10 at each of the four others.',
      ),
      wrong(
        '10',
        'After one neighbour the token goes on to the next: it comes back only after a round.',
      ),
    ],
  },
  {
    id: 'advice',
    after: 'deadlock',
    title: 'Advice that comes too early: Raymond, section 8',
    search: {
      ...{ algorithm: 'raymond', printed: 'section-8', nodes: 2, entries: [2, 2] },
      ...{ topology: 'line', options: ['recovery'], crashes: 1 },
    },
    tells: [
      'A site that crashed has forgotten everything. When it is back it asks its neighbours, and their ADVISE messages say where the privilege is, and who has asked.',
      'Here are two sites. One crash may come at any moment, and messages of a link may overtake each other.',
    ],
    beats: [],
    asks: 'Site 1 crashes and asks its neighbour for advice. How does it get the privilege twice?',
    answers: [
      right(
        'The ADVISE overtakes the PRIVILEGE',
        'The ADVISE says that 1 has the privilege, so 1 passes it on. Then the PRIVILEGE that was sent before arrives, and there are two.',
      ),
      wrong(
        'A message is sent twice',
        'No link doubles a message here. The order of two messages is enough.',
      ),
      wrong('Site 0 keeps its privilege', 'Site 0 sent it away when it left, and knows that.'),
    ],
  },
];
