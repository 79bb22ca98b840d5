/** What the process of `soak` and its members tell each other. Fences are decimal numbers. */
export interface MemberSettings {
  readonly engine: string;
  readonly leaseMs: number;
  readonly group: string;
  readonly self: string;
  readonly listen: string;
  /** Whether members on one machine may talk past the network. */
  readonly shortcut: boolean;
  /** For a process whose own clocks are bent: stamps come from the kernel's uptime, which has steps of 10 ms. */
  readonly coarseClock: boolean;
}

export interface LoadSettings {
  readonly locks: readonly string[];
  readonly callers: number;
  /** How long a caller holds a lock, and how long it waits before it asks again; at least. */
  readonly holdMs: number;
  readonly thinkMs: number;
}

/** To a member. Each has a number, and is answered. */
export type Order =
  | { readonly type: 'join'; readonly settings: MemberSettings }
  | { readonly type: 'load'; readonly load: LoadSettings }
  | { readonly type: 'acquire' | 'release' | 'write'; readonly lock: string }
  | { readonly type: 'status' | 'leave' };

export interface MemberState {
  readonly members: readonly string[];
  /** 0 while this process is no member. */
  readonly leaseLeftMs: number;
}

/** From a member, by itself. */
export type Report =
  | {
      readonly type: 'held' | 'lost';
      readonly lock: string;
      readonly fence: string;
      /** The time lies between this and so much later. */
      readonly at: number;
      readonly stepMs: number;
    }
  | { readonly type: 'write'; readonly id: number; readonly lock: string; readonly fence: string }
  | { readonly type: 'failed'; readonly lock: string; readonly error: string }
  | { readonly type: 'stopped'; readonly error: string };

export type ToMember =
  | { readonly id: number; readonly order: Order }
  | { readonly written: number; readonly isAccepted: boolean };
export type FromMember =
  | { readonly report: Report }
  | { readonly id: number; readonly value?: unknown; readonly error?: string };
