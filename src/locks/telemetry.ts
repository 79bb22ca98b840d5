/**
 * Locks as OpenTelemetry sees them, for as long as a provider is registered; otherwise this costs nothing.
 *
 * Spans: `latchkey.lock.wait` from asking to the outcome, and `latchkey.lock.hold` from entering to the end,
 * which is the active span inside a callback. Attributes: `latchkey.lock.name`, `.mode`, `.permits`,
 * `.fence`, and `.outcome` of a wait.
 *
 * Metrics: `latchkey.lock.requests` by `outcome`, `latchkey.lock.held`, `latchkey.lock.waiting`,
 * and the histograms `latchkey.lock.wait.duration` and `latchkey.lock.hold.duration`, in seconds.
 */
import {
  type Attributes,
  type BatchObservableCallback,
  context,
  createNoopMeter,
  type Histogram,
  type Meter,
  type MeterProvider,
  metrics,
  type Span,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import type { Fence, RequestSpec } from '../group/backend.ts';
import { fenceValue } from '../group/fence.ts';
import { BUCKETS, type Stats } from './stats.ts';

const SCOPE = 'latchkey';
/** Providers are registered when a process starts: looking once in a while is enough. */
const LOOK_EVERY_MS = 1000;
const OUTCOMES = [
  'granted',
  'busy',
  'timedOut',
  'aborted',
  'deadlocked',
  'failed',
  'lost',
  'stolen',
] as const;

export class Telemetry {
  tracer: Tracer | undefined;
  #provider: MeterProvider | undefined;
  #wait: Histogram | undefined;
  #hold: Histogram | undefined;
  #stopObserving: (() => void) | undefined;
  #nextLook = 0;
  readonly #stats: Stats;
  readonly #client: Attributes;

  constructor(stats: Stats, clientId: string) {
    this.#stats = stats;
    this.#client = { 'latchkey.client': clientId };
  }

  look(now: number): void {
    if (now < this.#nextLook) return;
    this.#nextLook = now + LOOK_EVERY_MS;
    this.tracer = registeredTracer();
    const provider = metrics.getMeterProvider();
    if (provider === this.#provider) return;
    this.stop();
    this.#provider = provider;
    const meter = provider.getMeter(SCOPE);
    if (meter !== createNoopMeter()) this.#measure(meter);
  }

  waited(spec: RequestSpec, ms: number): void {
    this.#wait?.record(ms / 1000, { 'latchkey.lock.mode': spec.mode });
  }

  held(spec: RequestSpec, ms: number): void {
    this.#hold?.record(ms / 1000, { 'latchkey.lock.mode': spec.mode });
  }

  stop(): void {
    this.#stopObserving?.();
    this.#stopObserving = undefined;
    this.#wait = undefined;
    this.#hold = undefined;
  }

  #measure(meter: Meter): void {
    const advice = { explicitBucketBoundaries: [...BUCKETS] };
    const seconds = { unit: 's', advice };
    this.#wait = meter.createHistogram('latchkey.lock.wait.duration', seconds);
    this.#hold = meter.createHistogram('latchkey.lock.hold.duration', seconds);
    const requests = meter.createObservableCounter('latchkey.lock.requests');
    const held = meter.createObservableUpDownCounter('latchkey.lock.held');
    const waiting = meter.createObservableUpDownCounter('latchkey.lock.waiting');
    const observe: BatchObservableCallback = (result) => {
      for (const outcome of OUTCOMES) {
        result.observe(requests, this.#stats[outcome], { ...this.#client, outcome });
      }
      result.observe(held, this.#stats.held, this.#client);
      result.observe(waiting, this.#stats.waiting, this.#client);
    };
    const observed = [requests, held, waiting];
    meter.addBatchObservableCallback(observe, observed);
    this.#stopObserving = () => meter.removeBatchObservableCallback(observe, observed);
  }
}

/** The spans of one request. */
export class Spans {
  readonly #tracer: Tracer;
  readonly #attributes: Attributes;
  // A grant comes from the network, where the active context is not the context of the request.
  readonly #around = context.active();
  #span: Span;

  constructor(tracer: Tracer, { name, mode, permits }: RequestSpec) {
    this.#tracer = tracer;
    this.#attributes = { 'latchkey.lock.name': name, 'latchkey.lock.mode': mode };
    if (permits > 0) this.#attributes['latchkey.lock.permits'] = permits;
    this.#span = this.#begin('latchkey.lock.wait');
  }

  /** The wait is over. */
  outcome(outcome: string, error?: unknown): void {
    this.#span.setAttribute('latchkey.lock.outcome', outcome);
    this.end(error);
  }

  enter(fence: Fence): void {
    this.#attributes['latchkey.lock.fence'] = fenceValue(fence).toString();
    this.outcome('granted');
    this.#span = this.#begin('latchkey.lock.hold');
  }

  run<A, R>(callback: (argument: A) => R, argument: A): R {
    return context.with(trace.setSpan(this.#around, this.#span), callback, undefined, argument);
  }

  end(error?: unknown): void {
    if (error !== undefined) {
      this.#span.recordException(error instanceof Error ? error : String(error));
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }

  #begin(name: string): Span {
    return this.#tracer.startSpan(name, { attributes: this.#attributes }, this.#around);
  }
}

function registeredTracer(): Tracer | undefined {
  // Until a provider is registered, the API returns a proxy, whose tracers cost time and do nothing.
  const provider: TracerProvider & { getDelegateTracer?: (scope: string) => Tracer | undefined } =
    trace.getTracerProvider();
  return provider.getDelegateTracer === undefined
    ? provider.getTracer(SCOPE)
    : provider.getDelegateTracer(SCOPE);
}
