/** The requests of a client, without a socket: what ends the right to a loan. */
import { expect, test } from 'vitest';
import { IDLE_MS } from '../../src/client/loans.ts';
import type { ClientMessage } from '../../src/client/protocol.ts';
import { ClientRequests } from '../../src/client/requests.ts';
import type { RequestHandle } from '../../src/group/backend.ts';

/** A client to which the lock "build" is lent as request 1, with fences from 100 on in steps of 3. Nobody is inside. */
function borrower() {
  const sent: ClientMessage[] = [];
  const told: string[] = [];
  const world = { now: 0, hasRight: true };
  let lastId = 0;
  const requests = new ClientRequests({
    send: (message) => sent.push(message),
    nextId: () => ++lastId,
    now: () => world.now,
    mayTell: () => true,
    mayReenter: () => world.hasRight,
    checkDeadline: () => {},
  });
  requests.mayBorrow = true;
  const request = (who: string, how: 'wait' | 'try' | 'steal' = 'wait'): RequestHandle =>
    requests.request(
      { name: 'build', permits: 0, mode: 'exclusive', how },
      {
        granted: ({ clock }) => told.push(`${who} has ${clock}`),
        busy: () => told.push(`${who} is refused`),
        failed: () => told.push(`${who} fails`),
        lost: () => told.push(`${who} has lost`),
      },
    );
  const first = request('first');
  requests.granted(1, { epoch: 1, clock: 100 }, { reentries: 2, step: 3 });
  first.release();
  expect(sent.splice(0)).toEqual([expect.objectContaining({ type: 'ask', id: 1, mayLend: true })]);
  expect(told.splice(0)).toEqual(['first has 100']);
  return { requests, request, sent, told, world, first };
}

test('a loan is used without a message, and goes back when its fences are used up', () => {
  const { request, sent, told } = borrower();
  request('second').release();
  expect(sent).toEqual([]);
  request('third').release();
  expect(told).toEqual(['second has 103', 'third has 106']);
  expect(sent).toEqual([{ type: 'done', id: 1 }]);
});

test('a loan is not used once the right to it has ended: it goes back before the lock is asked for', () => {
  const { request, sent, told, world } = borrower();
  world.hasRight = false;
  request('second');
  expect(told).toEqual([]);
  expect(sent).toMatchObject([
    { type: 'done', id: 1 },
    { type: 'ask', id: 2 },
  ]);
});

test('a loan is not used by a process that was paused', () => {
  const { request, sent, world } = borrower();
  world.now = 2 * IDLE_MS + 1;
  request('second');
  expect(sent).toMatchObject([
    { type: 'done', id: 1 },
    { type: 'ask', id: 2 },
  ]);
});

test('a loan that is not used goes back, and one that is used does not', () => {
  const { requests, request, sent, world } = borrower();
  const second = request('second');
  world.now = 10 * IDLE_MS;
  requests.giveBackIdle();
  expect(sent).toEqual([]);
  second.release();
  requests.giveBackIdle();
  expect(sent).toEqual([]);
  world.now += IDLE_MS;
  requests.giveBackIdle();
  expect(sent).toEqual([{ type: 'done', id: 1 }]);
});

test('a handle releases its own entry, and no later one', () => {
  const { request, told, sent, first } = borrower();
  request('second');
  first.release();
  request('third');
  expect(told).toEqual(['second has 103']);
  expect(sent).toMatchObject([{ type: 'ask', id: 2 }]);
});

test('a member that may no longer act takes everything with it', () => {
  const { requests, request, told, sent } = borrower();
  request('second');
  requests.loseAll(new Error('no member'));
  expect(told).toEqual(['second has 103', 'second has lost']);
  expect(sent).toEqual([{ type: 'done', id: 1 }]);
  expect(requests.loans.size).toBe(0);
  request('third');
  expect(sent.at(-1)).toMatchObject({ type: 'ask', id: 2 });
});

test('a lost loan is not used any more, whether a caller is inside or not', () => {
  const { requests, request, told, sent } = borrower();
  requests.lost(1, new Error('stolen'));
  request('second');
  expect(told).toEqual([]);
  expect(sent).toMatchObject([{ type: 'ask', id: 2 }]);
});

test('the end of the session ends loans', () => {
  const { requests, request, told } = borrower();
  request('second');
  requests.end(new Error('gone'));
  expect(told).toEqual(['second has 103', 'second has lost']);
  expect(requests.loans.size).toBe(0);
});

test('a steal, and a request to share, give the loan back first', () => {
  const { request, sent } = borrower();
  request('thief', 'steal');
  expect(sent).toMatchObject([
    { type: 'done', id: 1 },
    { type: 'ask', id: 2, how: 'steal', mayLend: false },
  ]);
});
