/**
 * `/live`: what this member and its group do, as server-sent events for the lab. Without a lock it tells members,
 * holders and waiting requests. With `?lock=NAME` (and `&permits=K` for a semaphore) it adds the steps of that
 * lock's sites at all members whose pages are known; with `&own` only those of this member.
 */
import type { ServerResponse } from 'node:http';
import type { LockName } from '../group/membership.ts';
import type { MemberStatus } from '../member/status.ts';
import type { LiveStatus } from './live-protocol.ts';
import { relay } from './live-relay.ts';
import type { LiveTap } from './live-tap.ts';
import type { DaemonStatus } from './status.ts';

export interface LiveSource {
  member(): MemberStatus;
  recentStatus(): Promise<DaemonStatus>;
  readonly tap: LiveTap;
  /** The pages of the other members, by their names. */
  readonly pages: { readonly [member: string]: string };
}

const STATUS_MS = 1_000;
/** How often a stream looks whether a member has come or gone. */
const MEMBERS_MS = 200;
const MAX_LISTED = 200;

interface Stream {
  readonly response: ServerResponse;
  /** Undefined where no lock is watched. */
  readonly lock: LockName | undefined;
  readonly stop: () => void;
}

export class LiveStreams {
  readonly #source: LiveSource;
  readonly #streams = new Set<Stream>();
  #timer: NodeJS.Timeout | undefined;
  #lastMembers = '';
  #nextStatusAt = 0;

  constructor(source: LiveSource) {
    this.#source = source;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** The head of the response has been sent. */
  open(response: ServerResponse, query: URLSearchParams): void {
    const name = query.get('lock');
    const permits = Number(query.get('permits') ?? 0);
    const lock = name === null ? undefined : { name, permits };
    const stops: (() => void)[] = [];
    const stream: Stream = { response, lock, stop: () => stops.forEach((stop) => void stop()) };
    this.#streams.add(stream);
    response.on('close', () => this.#close(stream));
    if (query.has('own')) {
      // Members and waits are told by the member that asks.
      if (lock !== undefined) stops.push(this.#watch(response, lock));
      return;
    }
    this.#timer ??= setInterval(() => this.#refresh(), MEMBERS_MS);
    this.#nextStatusAt = 0;
    this.#refresh();
    if (lock === undefined) return;
    stops.push(this.#watch(response, lock));
    for (const page of Object.values(this.#source.pages)) {
      const own = new URL('live', page);
      own.search = String(new URLSearchParams({ lock: lock.name, permits: `${permits}`, own: '' }));
      stops.push(relay(own, (event) => write(response, event)));
    }
  }

  #watch(response: ServerResponse, lock: LockName): () => void {
    return this.#source.tap.watch(lock, {
      frame: (frame) => write(response, eventOf('frame', frame)),
      steps: (json) => write(response, `event: steps\ndata: ${json}\n\n`),
      failed: ({ message }) => {
        const { self } = this.#source.member();
        write(response, eventOf('problem', { member: self, text: message }));
      },
    });
  }

  #close(stream: Stream): void {
    stream.stop();
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    for (const { response } of this.#streams) response.end();
  }

  #refresh(): void {
    const { peers, view } = this.#source.member();
    const members = JSON.stringify([view, peers.map(({ connected }) => connected)]);
    const now = performance.now();
    if (members === this.#lastMembers && now < this.#nextStatusAt) return;
    this.#lastMembers = members;
    this.#nextStatusAt = now + STATUS_MS;
    this.#source
      .recentStatus()
      .then((status) => {
        // The survey may be a second old; which members are connected is known now.
        const event = eventOf('status', this.#statusOf({ ...status, ...this.#source.member() }));
        for (const { response } of this.#streams) write(response, event);
      })
      .catch(() => {
        // The next second brings another.
      });
  }

  #statusOf(status: DaemonStatus): LiveStatus {
    const { self, group, view, peers, unreachable, counts, deadlocks, entries, messages } = status;
    const inView = new Set(view?.members.map(({ id }) => id));
    const here = { id: self, connected: true, roundTripMs: null, silentMs: null };
    const longestFirst = [...status.pending].sort((a, b) => b.forMs - a.forMs);
    return {
      at: Date.now(),
      ...{ self, group, epoch: view?.epoch ?? null, unreachable, deadlocks, entries, messages },
      members: [here, ...peers]
        .map(({ id, connected, roundTripMs, silentMs }) => ({
          ...{ id, isInView: inView.has(id), isConnected: connected, roundTripMs, silentMs },
        }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
      pending: longestFirst.slice(0, MAX_LISTED),
      held: status.held.slice(0, MAX_LISTED),
      counts: { held: counts.held, pending: counts.pending },
      watched: [self, ...Object.keys(this.#source.pages)].sort(),
    };
  }
}

const eventOf = (type: string, value: unknown): string =>
  `event: ${type}\ndata: ${JSON.stringify(value)}\n\n`;

/** A browser that does not read loses events, and the member does not keep them. */
function write(response: ServerResponse, event: string): void {
  if (!response.writableNeedDrain && !response.writableEnded) response.write(event);
}
