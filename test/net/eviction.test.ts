/** A peer that does not acknowledge is given up, and the process that is well goes on. */
import { describe, expect, test } from 'vitest';
import { bytes, type Peer } from '../support/net-peers.ts';
import { World } from '../support/net-world.ts';

const limits = { maxUnackedBytes: 10_000, congestedBytes: 2000 };
const peerOf = ({ links }: Peer, id: string) => links.status().peers.find((p) => p.id === id)!;
const count = ({ recorded }: Peer, line: string) => recorded.filter((l) => l === line).length;

/** Sends more than the limit allows. */
function overflow(from: Peer, to: string): void {
  for (let i = 0; i < 25; i++) from.links.send(to, new Uint8Array(483));
}

/** Three members, of which one is cut off. */
async function cutOff(name: string) {
  const world = new World();
  const peers = {
    a: world.peer('a', ['b', 'c'], { limits, incarnation: 10 }),
    b: world.peer('b', ['a', 'c'], { limits, incarnation: 20 }),
    c: world.peer('c', ['a', 'b'], { limits, incarnation: 30 }),
  };
  await world.opened(peers.c, peers.b, peers.a);
  world.network.isolate(name, true);
  world.clock.advance(10);
  return { world, ...peers };
}

describe.each([
  ['dials', 'a', 'b'],
  ['listens', 'b', 'a'],
] as const)('a full outbox of the side that %s', (_, well, slow) => {
  test('is reported once, is freed, and does not harm the other links', async () => {
    const all = await cutOff(slow);
    const { world, c } = all;
    const [healthy, stuck] = [all[well], all[slow]];
    overflow(healthy, slow);
    expect(healthy.recorded, 'the event does not interrupt the sender').not.toContain(
      `overflow ${slow}`,
    );
    world.clock.advance(0);
    overflow(healthy, slow);
    world.clock.advance(100);
    expect(count(healthy, `overflow ${slow}`)).toBe(1);
    expect(peerOf(healthy, slow)).toMatchObject({ queuedBytes: 0, sentMessages: 20, gaveUp: true });
    expect(healthy.links.status().refusals.overflow).toBe(1);
    healthy.links.send('c', bytes('still here'));
    world.clock.advance(10);
    expect(c.heard.get(well)).toEqual(['still here']);
    await world.closed(healthy, stuck, c);
  });

  test('tells the same process of the peer to start anew, and gives the next one a new session', async () => {
    const all = await cutOff(slow);
    const { world, c } = all;
    const [healthy, stuck] = [all[well], all[slow]];
    overflow(healthy, slow);
    world.network.isolate(slow, false);
    world.clock.advance(5000);
    expect(count(stuck, `evicted by ${well}`)).toBe(1);
    expect(stuck.heard.get(well)).toEqual([]);
    const { refusals, refusedBy } = stuck.links.status();
    expect(refusals.overflow + refusedBy.evicted).toBeGreaterThan(0);
    expect(healthy.recorded.filter((line) => line.startsWith('evicted'))).toEqual([]);
    expect(peerOf(healthy, slow).connected).toBe(false);
    world.crash(slow, stuck);
    const others = ['a', 'b', 'c'].filter((id) => id !== slow);
    const reborn = world.peer(slow, others, { incarnation: 40 });
    await world.opened(reborn);
    healthy.links.send(slow, bytes('fresh'));
    world.clock.advance(10);
    expect(reborn.heard.get(well)).toEqual(['fresh']);
    expect(peerOf(healthy, slow)).toMatchObject({ gaveUp: false, connected: true });
    await world.closed(healthy, reborn, c);
  });
});

test('a connected peer that acknowledges nothing is told at once that it must start anew', async () => {
  const world = new World();
  const [a, b] = [world.peer('a', ['b'], { limits }), world.peer('b', ['a'])];
  await world.opened(b, a);
  overflow(a, 'b');
  world.clock.advance(10);
  expect(count(b, 'evicted by a')).toBe(1);
  expect(count(a, 'overflow b')).toBe(1);
  await world.closed(a, b);
});

test('of two processes that gave each other up, only the later one must start anew', async () => {
  for (const [mine, theirs] of [
    [10, 20],
    [20, 10],
    [10, 10],
  ] as const) {
    const world = new World();
    const a = world.peer('a', ['b'], { limits, incarnation: mine });
    const b = world.peer('b', ['a'], { limits, incarnation: theirs });
    await world.opened(b, a);
    world.network.isolate('b', true);
    world.clock.advance(10);
    overflow(a, 'b');
    overflow(b, 'a');
    world.network.isolate('b', false);
    world.clock.advance(5000);
    const isLater = mine > theirs;
    expect([count(a, 'evicted by b'), count(b, 'evicted by a')]).toEqual(isLater ? [1, 0] : [0, 1]);
    await world.closed(a, b);
  }
});

test('congestion is reported when it begins, and when half of the bytes are acknowledged', async () => {
  const world = new World();
  const [a, b] = [world.peer('a', ['b'], { limits }), world.peer('b', ['a'])];
  await world.opened(b, a);
  for (let i = 0; i < 3; i++) a.links.send('b', new Uint8Array(500));
  expect(a.recorded).not.toContain('b congested');
  // The layer above hears of it within the call, so that it sends no more of a burst.
  for (let i = 0; i < 2; i++) a.links.send('b', new Uint8Array(500));
  expect(a.links.isCongested('b')).toBe(true);
  expect(a.recorded.slice(-1)).toEqual(['b congested']);
  world.clock.advance(1100);
  expect(a.recorded.slice(-2)).toEqual(['b congested', 'b not congested']);
  expect(a.links.isCongested('b')).toBe(false);
  expect(peerOf(a, 'b')).toMatchObject({ queuedBytes: 0, congested: false });
  await world.closed(a, b);
});
