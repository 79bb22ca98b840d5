/** What `postgres(url)`, `etcd(url)` and `nats(url)` return, and `join({ engine })` takes. */
import { UsageError } from '../core/errors.ts';
import type { Plain } from '../core/plain.ts';
import type { Wire } from '../core/wire.ts';
import type { Engine } from '../group/engine.ts';
import { leased } from './leased.ts';
import { wire } from './leased-peers.ts';
import { RIGHT } from './leased-plan.ts';
import { Keys } from './leased-records.ts';
import type { Register } from './register.ts';
import { type DriverSettings, RegisterDriver } from './register-driver.ts';

const DEFAULT_LEASE_MS = 10_000;
/** Below this, the delays of an ordinary network and of garbage collection would end leases. */
const SHORTEST_LEASE_MS = 500;
/** The part of W after which a call of the register is given up. */
const CALL_TIMEOUT = 1 / 5;

export interface EngineSettings {
  /** W: a member that is dead or cut off is left out after so many milliseconds. Default 10,000. */
  readonly leaseMs?: number | undefined;
}

/** The member that runs an engine on a register. */
export interface EngineContext {
  readonly group: string;
  /** Where the other members reach this one. */
  readonly address: string;
  readonly step: DriverSettings['step'];
  readonly log: DriverSettings['log'];
}

export interface EngineFactory {
  /** `postgres`, `etcd` or `nats`: all members of a group must use the same. */
  readonly name: string;
  readonly leaseMs: number;
  /** How long a member may act after it sent a renewal that the store has acknowledged. */
  readonly rightMs: number;
  /** The messages between the engines of the members. */
  readonly wire: Wire<Plain>;
  /** Connects to the store, checks its version and its settings, and makes the engine. Rejects if it cannot be used. */
  open(context: EngineContext): Promise<{ engine: Engine; driver: RegisterDriver }>;
}

/** The time limit of the calls that open a store. Nothing depends on the store yet, so it is longer than a part of W. */
const OPEN_MS = 10_000;

/**
 * Tries again, for some seconds, as long as the store does not answer in time. Each try may take twice as long as the
 * try before: on a busy machine, a process that starts may need longer for a connection than for any later call.
 */
async function patiently<T>(leastMs: number, connect: (openMs: number) => Promise<T>): Promise<T> {
  const until = performance.now() + OPEN_MS;
  for (let openMs = leastMs; ; openMs = Math.min(2 * openMs, OPEN_MS)) {
    try {
      return await connect(openMs);
    } catch (error) {
      const isLate = /no answer|time(d )?out/i.test((error as Error).message);
      if (!isLate || performance.now() > until) throw error;
    }
  }
}

interface ConnectContext {
  /** After this time each call of the register is given up. */
  readonly timeoutMs: number;
  /** The same for the calls that open it. */
  readonly openMs: number;
  readonly log: (message: string) => void;
}

/** An engine on a register that `connect` opens. */
export function engineOn(
  name: string,
  settings: EngineSettings,
  connect: (context: ConnectContext) => Promise<Register>,
): EngineFactory {
  const { leaseMs = DEFAULT_LEASE_MS } = settings;
  if (!(Number.isSafeInteger(leaseMs) && leaseMs >= SHORTEST_LEASE_MS)) {
    throw new UsageError(
      `expected \`leaseMs\` to be a whole number from ${SHORTEST_LEASE_MS} up, got ${leaseMs}`,
    );
  }
  return {
    name,
    leaseMs,
    rightMs: Math.floor(RIGHT * leaseMs),
    wire,
    async open({ group, address, step, log }) {
      const timeoutMs = CALL_TIMEOUT * leaseMs;
      const register = await patiently(timeoutMs, (openMs) => connect({ timeoutMs, openMs, log }));
      const { view } = new Keys(group);
      const engine = leased({ group, leaseMs, address });
      return {
        engine,
        driver: new RegisterDriver({ register, timeoutMs, watch: view, step, log }),
      };
    },
  };
}
