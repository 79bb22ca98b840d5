import { expect } from 'vitest';
import { Random } from '../../src/core/random.ts';
import type { LinkEvents } from '../../src/net/events.ts';
import { MemoryNetwork } from '../../src/net/memory.ts';
import type { LinkSettings } from '../../src/net/settings.ts';
import { ManualClock } from './net-clock.ts';
import { makePeer, type Peer } from './net-peers.ts';

/** Members in a network in memory, with a clock that the test advances: every run is the same. */
export class World {
  readonly clock = new ManualClock();
  readonly network: MemoryNetwork;
  readonly random: Random;
  readonly #alive = new Map<Peer, { is: boolean }>();

  constructor(seed = 1, delayMs: (random: Random) => number = () => 1) {
    this.random = new Random(seed, 'network');
    this.network = new MemoryNetwork(this.clock, { delayMs: () => delayMs(this.random) });
  }

  /** A process, not opened yet. Its name is also its host and its address. */
  peer(
    self: string,
    others: readonly string[],
    settings: Partial<LinkSettings> = {},
    events: Partial<LinkEvents> = {},
  ): Peer {
    const alive = { is: true };
    const { clock } = this;
    // The clock of a dead process stands still.
    const own = {
      now: () => clock.now(),
      later: (ms: number, callback: () => void) => clock.later(ms, () => alive.is && callback()),
      soon: (callback: () => void) => clock.soon(callback),
      afterReading: (callback: () => void) => clock.afterReading(callback),
    };
    const peers = Object.fromEntries(others.map((id) => [id, id]));
    const random = () => this.random.uniform();
    const transport = this.network.host(self);
    const wanted = { self, listen: self, peers, transport, clock: own, random, ...settings };
    const peer = makePeer(wanted, events);
    this.#alive.set(peer, alive);
    return peer;
  }

  async opened(...peers: readonly Peer[]): Promise<void> {
    for (const { links } of peers) await links.open();
    this.clock.advance(1100);
  }

  /** The process is gone without closing its connections in order. */
  crash(self: string, peer: Peer): void {
    this.network.crash(self);
    this.#alive.get(peer)!.is = false;
  }

  /** Closes these members, and checks that no timers and connections are left. */
  async closed(...peers: readonly Peer[]): Promise<void> {
    const all = Promise.all(peers.map(({ links }) => links.close()));
    for (let i = 0; i < 30; i++) {
      this.clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await all;
    this.clock.advance(10_000);
    expect([this.clock.size, this.network.size], 'timers and connections left').toEqual([0, 0]);
  }
}
