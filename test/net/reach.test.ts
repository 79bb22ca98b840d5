/** Peers that come and go while the links are open. */
import { describe, expect, test } from 'vitest';
import { bytes, type Peer } from '../support/net-peers.ts';
import { World } from '../support/net-world.ts';

const findsMembers = true;
const peerOf = ({ links }: Peer, id: string) => links.status().peers.find((p) => p.id === id);
const contact = (id: string) => ({ id, address: id });

async function pair(settings = {}) {
  const world = new World();
  const a = world.peer('a', [], { findsMembers, ...settings });
  const b = world.peer('b', [], { findsMembers, incarnation: 7 });
  await world.opened(a, b);
  a.links.reach([contact('b')]);
  b.links.reach([contact('a')]);
  world.clock.advance(3000);
  return { world, a, b };
}

describe('links that are added and removed', () => {
  test('a session begins when both processes reach for each other', async () => {
    const { world, a, b } = await pair();
    expect(a.recorded).toEqual(['begins b 7', 'b up']);
    expect(b.recorded).toEqual(['begins a 1', 'a up']);
    await world.closed(a, b);
  });

  test('a process that is not known yet is refused, reported, and connects once it is', async () => {
    const world = new World();
    let reports = 0;
    const unknown = () => reports++;
    const a = world.peer('a', [], { findsMembers });
    const b = world.peer('b', [], { findsMembers }, { unknown });
    await world.opened(a, b);
    a.links.reach([contact('b')]);
    world.clock.advance(1000);
    expect(reports).toBeGreaterThan(0);
    expect(a.recorded).toEqual([]);
    expect(peerOf(a, 'b')!.trouble).toContain('has not found "a" in the store yet');
    b.links.reach([contact('a')]);
    world.clock.advance(1100);
    expect(a.recorded).toEqual(['begins b 1', 'b up']);
    await world.closed(a, b);
  });

  test('what was kept for a removed peer is gone, and a later link has a session of its own', async () => {
    const { world, a, b } = await pair();
    a.links.send('b', bytes('one'));
    b.links.send('a', bytes('two'));
    world.clock.advance(100);
    world.network.isolate('b', true);
    a.links.send('b', bytes('lost'));
    world.clock.advance(10);
    a.links.reach([]);
    a.links.send('b', bytes('dropped'));
    expect(peerOf(a, 'b')).toBeUndefined();
    expect(a.links.isConnected('b')).toBe(false);
    world.network.isolate('b', false);
    world.clock.advance(1000);
    a.links.reach([contact('b')]);
    world.clock.advance(3000);
    // `b` never removed its link: the number of the new link at `a` shows that the session is another one.
    expect(b.recorded.filter((line) => line.startsWith('begins'))).toEqual(
      Array(2).fill('begins a 1'),
    );
    a.links.send('b', bytes('three'));
    b.links.send('a', bytes('four'));
    world.clock.advance(100);
    expect(b.heard.get('a')).toEqual(['three']);
    expect(a.heard.get('b')).toEqual(['four']);
    await world.closed(a, b);
  });

  test('a link that stays keeps its session', async () => {
    const { world, a, b } = await pair();
    a.links.send('b', bytes('one'));
    a.links.reach([contact('b'), contact('c')]);
    a.links.send('b', bytes('two'));
    world.clock.advance(100);
    expect(b.heard.get('a')).toEqual(['one', 'two']);
    expect(b.recorded).toEqual(['begins a 1', 'a up']);
    await world.closed(a, b);
  });

  test('a session that was given up is replaced by another when the evicted process renews its link', async () => {
    const limits = { maxUnackedBytes: 200, congestedBytes: 100 };
    const { world, a, b } = await pair({ limits });
    world.network.isolate('b', true);
    for (let i = 0; i < 20; i++) a.links.send('b', bytes('a message of some length'));
    world.clock.advance(5000);
    expect(a.recorded).toContain('overflow b');
    world.network.isolate('b', false);
    world.clock.advance(3000);
    expect(b.recorded).toContain('evicted by a');
    b.links.renew('a');
    world.clock.advance(3000);
    a.links.send('b', bytes('again'));
    world.clock.advance(100);
    expect(b.heard.get('a')).toEqual(['again']);
    await world.closed(a, b);
  });
});
