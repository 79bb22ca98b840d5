/** What the page and its worker say to each other. Everything here is plain data. */
import type { LiveFrame, LiveSteps } from '../../src/daemon/live-protocol.ts';
import type { Absence } from '../live/merge.ts';
import type { RunSpec } from '../model/spec.ts';

/** An algorithm, as the page lists it. */
export interface Listed {
  readonly id: string;
  readonly title: string;
  readonly family: 'token' | 'permission';
  readonly kind: string;
  readonly defaultTopology: string;
  readonly topologies: readonly { readonly name: string; readonly about: string }[];
  readonly k: boolean;
  readonly shared: boolean;
  readonly links: string;
  readonly options: readonly {
    readonly name: string;
    readonly about: string;
    readonly kind: string;
  }[];
  readonly printed: readonly Misprint[];
}

/** A form of an algorithm as its paper prints it, and the smallest world that shows what is wrong. */
export interface Misprint {
  readonly name: string;
  readonly about: string;
  /** What the paper prints, and where. */
  readonly quote: { readonly where: string; readonly text: string };
  readonly correction: string;
  readonly violates: string;
  readonly nodes: number;
  readonly entries: readonly number[];
  readonly links: string;
  readonly topology: string;
  readonly options: readonly string[];
  readonly crashes: number;
}

/** The columns of a run, trimmed: see `src/sim/columns.ts`. */
export interface Rows {
  readonly steps: number;
  readonly time: Float64Array;
  readonly site: Int32Array;
  readonly event: Uint8Array;
  readonly copy: Int32Array;
  readonly phase: Uint8Array;
  readonly enters: Uint8Array;
  readonly tokens: Uint8Array;
  readonly forced: Uint8Array;
  readonly copies: number;
  readonly id: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly type: Uint8Array;
  readonly sentAt: Int32Array;
  readonly endedAt: Int32Array;
  readonly fate: Uint8Array;
}

/** A whole run, ready to be drawn. */
export interface Loaded {
  readonly rows: Rows;
  readonly nodes: number;
  /** The names of message types, as `rows.type` counts them, and which of them carry a token. */
  readonly types: readonly string[];
  readonly carriers: readonly boolean[];
  readonly hasTokens: boolean;
  /** How many tokens each site holds at first. */
  readonly tokensAtFirst: readonly number[];
  /** Lanes in the order of the structure. */
  readonly lanes: readonly number[];
  readonly structure: Structure;
  readonly fields: { readonly [field: string]: string };
  readonly figures: Figures;
  readonly violation: {
    readonly property: string;
    readonly why: string;
    readonly time: number;
  } | null;
  /** Steps are numbered, and there is no time: it is a trace of the checker. */
  readonly isUntimed: boolean;
  /** By site, what it is called, where sites have names. */
  readonly names?: readonly string[];
  /** The steps at which the members of a running group stop to tell steps; the next step ends the gap. */
  readonly gaps?: readonly number[];
}

/** What a run measured, as the page shows it. */
export interface Figures {
  readonly entries: number;
  readonly messages: number;
  readonly messagesPerEntry: number;
  readonly bytesPerEntry: number;
  readonly waiting: number;
  readonly waitingMax: number;
  readonly response: number;
  readonly handOver: number | null;
  readonly jain: number;
  readonly maxBypass: number;
  readonly time: number;
}

/** The structure of a group: which sites may message each other, and their quorums. */
export interface Structure {
  readonly kind: string;
  /** Edges to draw, each once. */
  readonly edges: readonly (readonly [number, number])[];
  /** By site, the set that it asks; empty where there are no quorums. */
  readonly quorums: readonly (readonly number[])[];
  /** By site, in a tree, its parent; else empty. */
  readonly parents: readonly number[];
  /** The coordinator that all messages go through, or −1. */
  readonly hub: number;
}

/** A run at one moment, in words. */
export interface Moment {
  readonly at: number;
  readonly time: number;
  readonly phases: readonly string[];
  readonly tokens: readonly number[];
  readonly states: readonly unknown[];
  /** By site: why it waits; empty for those that do not. */
  readonly waits: readonly (readonly Why[])[];
  readonly underWay: readonly {
    readonly id: number;
    readonly from: number;
    readonly to: number;
    readonly text: string;
    readonly arrives: number | null;
  }[];
  readonly timers: readonly {
    readonly site: number;
    readonly timer: string;
    readonly due: number;
  }[];
  /** Arrows of the structure: HOLDER, LAST and NEXT, votes. */
  readonly pointers: readonly {
    readonly from: number;
    readonly to: number;
    readonly name: string;
  }[];
  /** What the last step was, and what it changed. */
  readonly story: string;
  readonly site: number;
  readonly before: unknown;
  readonly canRestart: boolean;
}

export interface Why {
  readonly kind: string;
  readonly site: number;
  readonly message?: number;
  readonly to?: number;
  readonly text: string;
}

export interface CheckSpec {
  readonly algorithm: string;
  readonly printed: string;
  readonly nodes: number;
  readonly entries: readonly number[];
  readonly links: string;
  readonly topology: string;
  readonly options: readonly string[];
  readonly crashes: number;
  readonly losses: number;
  readonly maxStates: number;
}

export interface Checked {
  readonly verdict: string;
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly seconds: number;
  readonly properties: readonly { readonly name: string; readonly verdict: string }[];
  readonly violation: { readonly property: string; readonly why: string } | null;
  /** The counterexample as a run, where there is one. */
  readonly run: Loaded | null;
}

/** Something that may happen next in a counterexample that is forked. */
export interface Choice {
  readonly site: number;
  readonly text: string;
  readonly index: number;
}

export interface Methods {
  catalogue: (nothing: null) => readonly Listed[];
  run: (spec: RunSpec) => Loaded;
  moment: (asked: { readonly spec: RunSpec; readonly at: number }) => Moment;
  compare: (asked: {
    readonly spec: RunSpec;
    readonly algorithms: readonly string[];
  }) => readonly Compared[];
  sweep: (asked: SweepSpec) => readonly Swept[];
  check: (spec: CheckSpec) => Checked;
  /** Checks what a reader wrote, and runs it. */
  own: (asked: OwnSpec) => Checked | Promise<Checked>;
  simulateOwn: (asked: OwnSpec) => Loaded | Promise<Loaded>;
  /** Begins an exercise: an algorithm with one line wrong, at its first step. */
  exercise: (id: string) => null;
  /** A moment of the counterexample last found: so many of its steps, then the choices that were made. */
  trial: (asked: { readonly at: number; readonly choices: readonly number[] }) => Trial;
  /** Null until it is known how the lock is served. */
  live: (asked: LiveAsk) => Seen | null;
}

/** What was heard of a running group since the last time. */
export interface LiveAsk {
  /** How the lock is served, if that was told again. */
  readonly frame: LiveFrame | null;
  /** The member that the page is connected to. */
  readonly self: string;
  readonly steps: readonly LiveSteps[];
  readonly absences: readonly Absence[];
  /** The step that the page stands at; −1 for the present. */
  readonly at: number;
  /** Milliseconds since 1970, by the clock of that member. */
  readonly now: number;
}

export interface Seen {
  readonly run: Loaded;
  readonly moment: Moment;
  readonly algorithm: string;
  /** How many entries are counted, and not shown. */
  readonly left: number;
  /** Whether members tell nothing where the page stands. */
  readonly isInGap: boolean;
  /** The time 0 of the run, in milliseconds since 1970. */
  readonly since: number;
}

/** The same load on more and more sites, or more and more load on as many. */
export interface SweepSpec {
  readonly spec: RunSpec;
  readonly algorithms: readonly string[];
  readonly over: 'nodes' | 'rate';
  readonly values: readonly number[];
}

/** One point of a curve. */
export interface Swept {
  /** The most messages for an entry that the paper claims there, and its formula; null where it has no limit. */
  readonly most: number | null;
  readonly claim: string;
  readonly algorithm: string;
  readonly value: number;
  readonly figures: Figures | null;
  /** Why there are none. */
  readonly error: string;
}

export interface Compared {
  /** Messages per entry, as the paper says. */
  readonly claim: string;
  readonly algorithm: string;
  readonly title: string;
  readonly run: Loaded | null;
  /** What it has measured up to several moments, the end included. */
  readonly course: readonly { readonly time: number; readonly figures: Figures }[];
  /** Why there is none. */
  readonly error: string;
}

/** What a reader wrote, and what to do with it. */
export interface OwnSpec {
  readonly code: string;
  readonly nodes: number;
  readonly entries: number;
}

export interface Trial {
  readonly run: Loaded;
  readonly moment: Moment;
  readonly enabled: readonly Choice[];
  readonly wrong: { readonly property: string; readonly why: string; readonly step: number } | null;
}

export type Ask = {
  readonly [M in keyof Methods]: {
    readonly number: number;
    readonly method: M;
    readonly given: Parameters<Methods[M]>[0];
  };
}[keyof Methods];

export type Answer =
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly error: string }
  | { readonly number: number; readonly progress: string };
