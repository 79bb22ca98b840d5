/** Members for tests, with a record of their events. */
import type { LinkEvents } from '../../src/net/events.ts';
import { Links } from '../../src/net/links.ts';
import type { LogEntry } from '../../src/net/refusals.ts';
import type { LinkSettings } from '../../src/net/settings.ts';

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (payload: Uint8Array): string => new TextDecoder().decode(payload);

export interface Peer {
  readonly links: Links;
  /** All events but messages, a line each: `begins b 2`, `b up`, `b down`, … */
  readonly recorded: string[];
  /** The messages of the present session with each peer. */
  readonly heard: Map<string, string[]>;
  readonly log: LogEntry[];
}

type Wanted = Pick<LinkSettings, 'self' | 'listen' | 'peers' | 'transport'> & Partial<LinkSettings>;

export function makePeer(settings: Wanted, events: Partial<LinkEvents> = {}): Peer {
  const recorded: string[] = [];
  const heard = new Map<string, string[]>();
  const log: LogEntry[] = [];
  const links = new Links(
    {
      incarnation: 1,
      group: 'test',
      digest: 'same',
      declarations: 'messages',
      log: (entry) => log.push(entry),
      ...settings,
    },
    {
      begins(peer, incarnation) {
        recorded.push(`begins ${peer} ${incarnation}`);
        heard.set(peer, []);
        events.begins?.(peer, incarnation);
      },
      message(peer, payload) {
        heard.get(peer)!.push(text(payload.rest()));
        events.message?.(peer, payload);
      },
      connection(peer, up) {
        recorded.push(`${peer} ${up ? 'up' : 'down'}`);
        events.connection?.(peer, up);
      },
      unknown() {
        events.unknown?.();
      },
      superseded(incarnation) {
        recorded.push(`superseded by ${incarnation}`);
        events.superseded?.(incarnation);
      },
      overflow(peer) {
        recorded.push(`overflow ${peer}`);
        events.overflow?.(peer);
      },
      evicted(by) {
        recorded.push(`evicted by ${by}`);
        events.evicted?.(by);
      },
      congestion(peer, isCongested) {
        recorded.push(`${peer} ${isCongested ? 'congested' : 'not congested'}`);
        events.congestion?.(peer, isCongested);
      },
    },
  );
  return { links, recorded, heard, log };
}
