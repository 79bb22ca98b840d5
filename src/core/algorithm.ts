import type { MessageOf, Messages, Payload, Shape } from './message.ts';
import type { OptionDeclarations, OptionValues } from './option.ts';
import type { Plain } from './plain.ts';
import type { Topologies, TopologyKind } from './topology.ts';

/** A site's index, 0 … n−1. The runtime maps real identities to indices, one mapping per view. */
export type NodeId = number;

/** What a request asks for: to be alone, or to be among readers. */
export type Mode = 'exclusive' | 'shared';

/** The weakest links a proof allows: `any` may reorder, `fifo` may not. Neither loses or repeats. */
export type Links = 'any' | 'fifo';

/**
 * A distributed mutual exclusion algorithm: a value, not an object. It owns no state, no clock, no
 * socket and no randomness; whoever drives it (simulator, checker, lock service, lab) owns those.
 *
 * `S` is one site's state, and state is plain data. That one rule buys cloning, hashing, diffing,
 * time travel and crash dumps for every algorithm at once.
 */
export interface Algorithm<
  S extends Plain,
  M extends Messages,
  T extends TopologyKind = 'complete',
  // biome-ignore lint/complexity/noBannedTypes: no options is the empty record
  O extends OptionDeclarations = {},
> {
  /** Its name everywhere: file, catalogue, command line. */
  readonly id: string;
  /** Its authors and year, as people cite it. */
  readonly title: string;
  readonly year: number;
  /** Where it was published. */
  readonly paper: string;
  readonly family: 'token' | 'permission';
  readonly modes: readonly Mode[];
  /** True when up to k sites may be inside at once. */
  readonly k: boolean;
  readonly topology: T;
  /** The topology of that kind which is used unless another is asked for, e.g. `binary`. */
  readonly defaultTopology: string;
  readonly links: Links;
  /** The variants that the paper, or its successors, describe. */
  readonly options: O;
  readonly messages: M;
  readonly claims: Claims<S, T, O>;
  /** The failures it survives, one sentence each; none for most. */
  readonly recovers: readonly string[];

  /** A world that this algorithm cannot run in: the rule it breaks and the way out, in one line. */
  readonly refuses?: (world: World<T, O>) => string | undefined;

  init(site: SiteInfo<T, O>): S;
  /**
   * The group begins: called once at every site, in any order, and perhaps after requests and messages
   * have come. For what no request sets going, such as a token that circulates for ever. A site at
   * which it would do nothing in the state of `init` may be left out.
   */
  readonly start?: (my: S, site: Site<M, T, O>) => void;
  /** In which worlds there is something to begin with, where that takes an option. All, if not said. */
  readonly starts?: (world: World<T, O>) => boolean;
  /** The application wants in. Called only when idle. */
  request(my: S, site: Site<M, T, O>, mode: Mode): void;
  /** The application is out. Called only when inside. */
  release(my: S, site: Site<M, T, O>): void;
  /**
   * Out, and asking again in the same step, where that takes fewer messages than the one after the other.
   * A driver may always do the one after the other instead.
   */
  readonly again?: {
    /** Whether it does, in this state. */
    readonly saves: (my: S) => boolean;
    /** Called only when inside, and when it saves something. */
    readonly step: (my: S, site: Site<M, T, O>, mode: Mode) => void;
  };
  /**
   * The application waits to write, and is now content to read. Called only while it waits in mode
   * `exclusive`. So whoever has given up keeps no reader out; where there is none, it waits for its turn.
   * It may count on links that keep the order, also where nothing else does: what it says of a request
   * comes after that, and before the next.
   */
  readonly settle?: (my: S, site: Site<M, T, O>) => void;
  /** In which worlds it can, where some options leave no way. All, if not said. */
  readonly settles?: (world: World<T, O>) => boolean;
  /** One handler per message, each atomic: it runs to completion before the next event. */
  readonly on: {
    readonly [K in keyof M]: (
      my: S,
      site: Site<M, T, O>,
      from: NodeId,
      message: Payload<M, K>,
    ) => void;
  };

  readonly timers?: { readonly [name: string]: Timer<S, M, T, O> };
  /** The failure detector changed its mind about a peer. Only fault-tolerant algorithms listen. */
  readonly peer?: (my: S, site: Site<M, T, O>, peer: NodeId, alive: boolean) => void;

  /** The fields that a crash does not destroy, as the paper keeps them in stable storage. */
  readonly stable?: readonly string[];
  /** Back after a crash: `my` is a fresh `init` with its stable fields as they were. */
  readonly restart?: (my: S, site: Site<M, T, O>) => void;
  /** In which worlds a site can come back, where that takes an option. All, if not said. */
  readonly restarts?: (world: World<T, O>) => boolean;

  /** Where the tokens are, for those who count them: held by a site, or under way in a message. */
  readonly tokens?: {
    readonly held: (my: S, site: SiteInfo<T, O>) => number;
    readonly carriers: readonly (keyof M & string)[];
  };
  /**
   * Sites that play the same part, in a world where some do: whatever one can do, another can, with
   * the names exchanged. `state` declares which fields of a state name sites.
   */
  readonly symmetry?: {
    readonly alike: (world: World<T, O>) => readonly NodeId[];
    readonly state: { readonly [field: string]: Shape };
  };
  /**
   * Whether someone is known to wait for a site that is inside. As long as nobody does, more readers may join
   * those inside with it. Where there is none, a site cannot know.
   */
  readonly isAwaited?: (my: S) => boolean;
  /** Whose answer a waiting site lacks, to say for whom it waits. */
  readonly awaits?: (my: S, site: SiteInfo<T, O>) => readonly NodeId[];
  /** What the paper proves of every reachable state, besides mutual exclusion. */
  readonly invariants?: {
    readonly [claim: string]: (global: Global<S, M>, world: World<T, O>) => boolean;
  };
}

/** What the paper promises, in a form that a run can be held to. */
export interface Claims<S extends Plain, T extends TopologyKind, O extends OptionDeclarations> {
  /** Messages per entry, averaged over any run that has drained and met no fault. */
  readonly messages: Cost<T, O>;
  /** The same when one site at a time asks, and the system is quiet before it does. */
  readonly light?: Cost<T, O>;
  /** The same when every site asks again as soon as it has left. */
  readonly heavy?: Cost<T, O>;
  /** From an exit to the next entry while someone waits, in message hops, as the paper says. */
  readonly synchronizationDelay?: string;
  /**
   * First come, first served: the place of a site's outstanding request in the total order of
   * requests, smallest first. Whoever is inside has the smallest of all that wait.
   */
  readonly ticket?: (my: S, site: SiteInfo<T, O>) => readonly number[];
}

export interface Cost<T extends TopologyKind, O extends OptionDeclarations> {
  /** As the paper writes it, e.g. `2(N−1)`. */
  readonly formula: string;
  readonly bounds: (world: World<T, O>) => { readonly least: number; readonly most: number };
}

export interface Timer<
  S extends Plain,
  M extends Messages,
  T extends TopologyKind,
  O extends OptionDeclarations,
> {
  /**
   * What the algorithm may assume when it fires. `anytime`: nothing, a premature firing must be
   * harmless. `settled`: whatever was sent to or from this site has arrived or is lost. `quiet`: so
   * has whatever was sent by anyone; the network has a known bound on delay and this timer exceeds it.
   */
  readonly fires: 'anytime' | 'settled' | 'quiet';
  readonly expired: (my: S, site: Site<M, T, O>) => void;
}

/** What every site knows, and what never changes while a view lasts. */
export interface World<
  T extends TopologyKind = TopologyKind,
  // biome-ignore lint/complexity/noBannedTypes: no options is the empty record
  O extends OptionDeclarations = {},
> {
  readonly n: number;
  /** How many may be inside at once; 1 but for the algorithms made for more. */
  readonly k: number;
  readonly topology: Topologies[T];
  readonly options: OptionValues<O>;
}

export interface SiteInfo<
  T extends TopologyKind = TopologyKind,
  // biome-ignore lint/complexity/noBannedTypes: no options is the empty record
  O extends OptionDeclarations = {},
> extends World<T, O> {
  readonly me: NodeId;
  /** Everyone but `me`, ascending. */
  readonly others: readonly NodeId[];
}

/**
 * A site as its algorithm sees it: what it knows, and the only things it can do.
 *
 * Effects are recorded, not performed. The driver acts on them after the handler has returned, so
 * `enter` cannot call back into a handler that has not finished.
 */
export interface Site<
  M extends Messages,
  T extends TopologyKind = 'complete',
  // biome-ignore lint/complexity/noBannedTypes: no options is the empty record
  O extends OptionDeclarations = {},
> extends SiteInfo<T, O> {
  /** A message to oneself is delivered at once, before any other event, and costs nothing. */
  send(to: NodeId, message: MessageOf<M>): void;
  /**
   * One message that all others receive, on a medium that has this. With `total`, the medium also
   * puts all such messages in one order, the same for all, and the sender receives its own.
   */
  broadcast(message: MessageOf<M>, order?: 'total'): void;
  /** Grants our request: the application is inside from now until it calls `release`. */
  enter(): void;
  /** Runs `timers[name]` after so many ticks, replacing the one already set. Zero cancels it. */
  timer(name: string, ticks: number): void;
  /** A whole number from 0 to below − 1, drawn by the driver; the checker tries them all. */
  random(below: number): number;
}

/** The global state, as only an omniscient observer sees it. */
export interface Global<S extends Plain, M extends Messages> {
  readonly sites: readonly S[];
  readonly inside: readonly boolean[];
  /** False for a site that has crashed and not restarted. */
  readonly up: readonly boolean[];
  readonly inFlight: readonly {
    readonly from: NodeId;
    readonly to: NodeId;
    readonly message: MessageOf<M>;
  }[];
}

// The catalogue holds algorithms of all types; drivers treat state as opaque and dispatch by name.
// biome-ignore lint/suspicious/noExplicitAny: an existential type, which TypeScript cannot spell.
export type AnyAlgorithm = Algorithm<any, any, any, any>;
// biome-ignore lint/suspicious/noExplicitAny: the world of such an algorithm.
export type AnyWorld = World<any, any>;
