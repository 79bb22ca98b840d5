import type { Links, Mode, NodeId } from './algorithm.ts';
import type { AnyMessage } from './message.ts';

/**
 * A recorded run: a header that says what ran, then one step per event, each with all its effects.
 * Simulator and checker write the same format, as JSON Lines. Every other format derives from it.
 */
export interface TraceHeader {
  readonly latchkey: 'trace';
  readonly version: 1;
  readonly source: 'simulate' | 'check';
  readonly algorithm: string;
  /** The name of the printed form, where the run is not of our corrected one. */
  readonly asPrinted?: string;
  readonly nodes: number;
  readonly k: number;
  readonly links: Links;
  readonly topology: string;
  readonly options: readonly string[];
  readonly seed?: number;
  /** Of a simulation, the settings that it ran under: with them it runs again, to the byte. */
  readonly settings?: TraceSettings;
  /** In a trace of starvation: the step that begins the cycle, which ends with the last step. */
  readonly loop?: number;
  /** What went wrong at the last step, if anything did. */
  readonly violation?: { readonly property: string; readonly why: string };
}

/** The settings of a simulated run that its header keeps, besides seed and links. */
export interface TraceSettings {
  readonly workload: string;
  readonly rate: number;
  readonly entries?: number;
  readonly delay: string;
  readonly cs: number;
  readonly readers: number;
  /** The text of the script, for that workload. */
  readonly script?: string;
  /** Faults and interventions, as JSON. */
  readonly faults?: string;
}

export type TraceEvent =
  | { readonly event: 'request' | 'rerequest'; readonly mode: Mode }
  | {
      readonly event: 'deliver' | 'lose' | 'duplicate';
      readonly from: NodeId;
      /** The number of the message, as its `sends` entry gave it. */
      readonly id: number;
      readonly message: AnyMessage;
    }
  /** By an intervention: it arrives so much later. */
  | {
      readonly event: 'delay';
      readonly from: NodeId;
      readonly id: number;
      readonly message: AnyMessage;
      readonly by: number;
    }
  | { readonly event: 'start' | 'downgrade' | 'exit' | 'crash' | 'restart' }
  | { readonly event: 'timer'; readonly timer: string }
  | { readonly event: 'peer'; readonly peer: NodeId; readonly alive: boolean }
  | {
      readonly event: 'partition' | 'heal';
      readonly sides: readonly (readonly NodeId[])[];
      /** For `heal`, the one link that is mended, where it is one. */
      readonly link?: readonly [NodeId, NodeId];
    }
  | { readonly event: 'cut'; readonly link: readonly [NodeId, NodeId] };

export type TraceStep = TraceEvent & {
  /** 1 for the first. */
  readonly step: number;
  /** Simulated time; in a checker's trace, which has no time, the number of the step. */
  readonly time: number;
  /** The site that took the step; −1 for an event of the whole network. */
  readonly site: NodeId;
  readonly sends: readonly TraceSend[];
  /** True when the site entered. */
  readonly enters: boolean;
  /** The state of the site after the step. */
  readonly state: unknown;
  /** The numbers that the site drew, if it drew some. */
  readonly draws?: readonly number[];
  /** The timers that it set, or, with 0 ticks, cancelled; left out if it did neither. */
  readonly timers?: readonly { readonly name: string; readonly ticks: number }[];
  /** True where an intervention made this happen. */
  readonly forced?: true;
};

export interface TraceSend {
  readonly id: number;
  /** −1: every other site, as one message. −2: every site, by a totally ordered broadcast. */
  readonly to: NodeId;
  readonly message: AnyMessage;
}
