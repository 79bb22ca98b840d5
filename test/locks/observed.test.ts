/** What others can see of locks: counters, Node's diagnostics channels, OpenTelemetry. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  type Attributes,
  type BatchObservableCallback,
  type Context,
  type ContextManager,
  context,
  createNoopMeter,
  type Meter,
  metrics,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BUCKETS, LockManager, Semaphore } from '../../src/locks/index.ts';
import { Durations } from '../../src/locks/stats.ts';
import { deferred } from '../support/locks-suite.ts';
import { OneProcess } from '../support/one-process.ts';

let locks: LockManager;
let semaphore: Semaphore;
const make = () => {
  const backend = new OneProcess().backend('a');
  locks = new LockManager(backend, { selfWaitMs: 0 });
  semaphore = new Semaphore(backend, 's', 2);
};
beforeEach(make);

/** One request for each way in which a request can end. */
async function everything(): Promise<void> {
  await locks.request('ok', () => {});
  await locks.request('bad', () => Promise.reject(new Error('odd'))).catch(() => {});
  const held = await locks.acquire('x');
  await locks.tryAcquire('x');
  await locks.acquire('x', { timeoutMs: 1 }).catch(() => {});
  const controller = new AbortController();
  const aborted = locks.acquire('x', { signal: controller.signal });
  controller.abort(new Error('enough'));
  await aborted.catch(() => {});
  await locks.request('y', () => locks.acquire('y').catch(() => {}));
  await locks.request('x', { steal: true }, () => {});
  held.release();
  await semaphore.request(() => {});
}

describe('stats', () => {
  test('count each outcome, and what is under way', async () => {
    const inside = deferred<void>();
    const open = locks.request('z', () => inside.promise);
    const waits = locks.acquire('z', { mode: 'shared' });
    await everything();
    const counted = {
      granted: 7,
      busy: 1,
      timedOut: 1,
      aborted: 1,
      deadlocked: 1,
      failed: 0,
      lost: 0,
      stolen: 1,
    };
    expect(locks.stats).toMatchObject({ ...counted, held: 1, waiting: 1 });
    expect(locks.stats.wait.count).toBe(7);
    expect(locks.stats.hold.count).toBe(6);
    inside.resolve();
    await open;
    (await waits).release();
    expect(locks.stats).toMatchObject({ granted: 8, held: 0, waiting: 0 });
    expect(locks.stats.hold.buckets.reduce((sum, count) => sum + count)).toBe(8);
    expect(locks.stats.hold.sumSeconds).toBeGreaterThan(0);
  });
  test('durations fall into the first bucket that holds them', () => {
    const durations = new Durations();
    for (const ms of [0, 0.1, 0.2, 1000, 60_000, 60_001]) durations.add(ms);
    const filled = durations.buckets.flatMap((count, i) => (count ? [[BUCKETS[i], count]] : []));
    expect(filled).toEqual([
      [0.0001, 2],
      [0.0005, 1],
      [1, 1],
      [60, 1],
      [undefined, 1],
    ]);
    expect(durations.sumSeconds).toBeCloseTo(121.0013, 9);
  });
});

describe("Node's diagnostics channels", () => {
  const channels = ['start', 'grant', 'miss', 'end'].map((event) => `locks.request.${event}`);
  const seen: unknown[] = [];
  const listen = (message: unknown, channel: string | symbol) => {
    seen.push([String(channel).slice('locks.request.'.length), message]);
  };
  beforeEach(() => {
    seen.splice(0);
    for (const channel of channels) subscribe(channel, listen);
  });
  afterEach(() => {
    for (const channel of channels) unsubscribe(channel, listen);
  });
  const x = { name: 'x', mode: 'exclusive', permits: 0 };
  const end = { ...x, steal: false, ifAvailable: false, error: undefined };

  test('start, grant, end', async () => {
    await locks.request('x', async () => seen.push('inside'));
    expect(seen).toEqual([['start', x], ['grant', x], 'inside', ['end', end]]);
  });
  test('start, miss, end; also without a callback', async () => {
    const held = await locks.acquire('x');
    seen.splice(0);
    await locks.request('x', { ifAvailable: true, mode: 'shared' }, () => seen.push('null'));
    await locks.tryAcquire('x', { mode: 'shared' });
    const shared = { ...x, mode: 'shared' };
    const missed = ['end', { ...end, mode: 'shared', ifAvailable: true }];
    expect(seen).toEqual([
      ['start', shared],
      ['miss', shared],
      'null',
      missed,
      ['start', shared],
      ['miss', shared],
      missed,
    ]);
    held.release();
    expect(seen.at(-1)).toEqual(['end', end]);
  });
  test('what it ended with: thrown, aborted, stolen', async () => {
    const odd = new Error('odd');
    await locks.request('x', () => Promise.reject(odd)).catch(() => {});
    expect(seen.at(-1)).toEqual(['end', { ...end, error: odd }]);
    const victim = locks.acquire('x');
    await victim;
    const controller = new AbortController();
    const wait = locks.request('x', { signal: controller.signal }, () => {});
    controller.abort('enough');
    await wait.catch(() => {});
    expect(seen.at(-1)).toEqual(['end', { ...end, error: 'enough' }]);
    seen.splice(0);
    await locks.request('x', { steal: true }, () => {});
    const ends = seen.filter((it) => (it as string[])[0] === 'end');
    expect(ends).toEqual([
      ['end', { ...end, error: expect.objectContaining({ name: 'AbortError' }) }],
      ['end', { ...end, steal: true }],
    ]);
  });
  test('semaphores are told apart by their permits', async () => {
    await semaphore.request(() => {});
    expect(seen[0]).toEqual(['start', { name: 's', mode: 'exclusive', permits: 2 }]);
  });
});

describe('OpenTelemetry', () => {
  interface SeenSpan {
    readonly name: string;
    readonly attributes: Attributes;
    readonly parent: string | undefined;
    isEnded: boolean;
    error?: unknown;
  }
  let spans: SeenSpan[] = [];
  let recorded: [string, number, Attributes | undefined][] = [];
  const observers: [BatchObservableCallback, unknown[]][] = [];

  const nameOf = (span: Span | undefined) => (span as unknown as { seen?: SeenSpan })?.seen?.name;
  const tracer = {
    startSpan(name: string, options: SpanOptions = {}, around: Context = context.active()): Span {
      const attributes = { ...options.attributes };
      const parent = nameOf(trace.getSpan(around));
      const seen: SeenSpan = { name, attributes, parent, isEnded: false };
      spans.push(seen);
      const span = {
        seen,
        setAttribute: (key: string, value: string) => {
          attributes[key] = value;
        },
        recordException: (error: unknown) => {
          seen.error = error;
        },
        setStatus: () => {},
        end: () => {
          seen.isEnded = true;
        },
      };
      return span as unknown as Span;
    },
  };
  const meter = {
    ...createNoopMeter(),
    createHistogram: (name: string) => ({
      record: (value: number, attributes?: Attributes) => recorded.push([name, value, attributes]),
    }),
    createObservableCounter: (name: string) => ({ name }),
    createObservableUpDownCounter: (name: string) => ({ name }),
    addBatchObservableCallback: (callback: BatchObservableCallback, of: unknown[]) =>
      observers.push([callback, of]),
    removeBatchObservableCallback: () => observers.pop(),
  };
  /** What is observed now, by name and attributes. */
  function observed(): Record<string, number> {
    const found: Record<string, number> = {};
    for (const [callback] of observers) {
      callback({
        observe: (metric, value, attributes) => {
          const { name } = metric as unknown as { name: string };
          found[[name, attributes?.['outcome']].filter(Boolean).join(' ')] = value;
        },
      });
    }
    return found;
  }
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (around, callback, self, ...passed) =>
      storage.run(around, () => Reflect.apply(callback, self, passed)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };

  beforeEach(() => {
    spans = [];
    recorded = [];
    trace.setGlobalTracerProvider({ getTracer: () => tracer as unknown as Tracer });
    metrics.setGlobalMeterProvider({ getMeter: () => meter as unknown as Meter });
    context.setGlobalContextManager(manager);
    make();
  });
  afterEach(() => {
    trace.disable();
    metrics.disable();
    context.disable();
    observers.splice(0);
  });
  const common = { 'latchkey.lock.name': 'x', 'latchkey.lock.mode': 'exclusive' };

  test('a span for the wait and one for the hold, which is active inside', async () => {
    const around = trace.setSpan(ROOT_CONTEXT, tracer.startSpan('the request of a user'));
    const held = await locks.acquire('x');
    spans.splice(1);
    const { fence, active } = await context.with(around, async () => {
      const waits = locks.request('x', ({ fence }) => ({
        fence: fence.toString(),
        active: nameOf(trace.getActiveSpan()),
      }));
      queueMicrotask(() => context.with(ROOT_CONTEXT, () => held.release()));
      return waits;
    });
    expect(active).toBe('latchkey.lock.hold');
    expect(spans.slice(1)).toEqual([
      {
        name: 'latchkey.lock.wait',
        attributes: { ...common, 'latchkey.lock.outcome': 'granted' },
        parent: 'the request of a user',
        isEnded: true,
      },
      {
        name: 'latchkey.lock.hold',
        attributes: { ...common, 'latchkey.lock.fence': fence },
        parent: 'the request of a user',
        isEnded: true,
      },
    ]);
  });
  test('every span ends, with what went wrong', async () => {
    await everything();
    expect(spans.filter(({ isEnded }) => !isEnded)).toEqual([]);
    const outcomes = spans.flatMap(({ attributes }) => attributes['latchkey.lock.outcome'] ?? []);
    expect(outcomes.toSorted()).toEqual(
      ['aborted', 'busy', 'deadlocked', 'timedOut', ...Array(6).fill('granted')].toSorted(),
    );
    const errors = spans.flatMap(({ error }) => (error === undefined ? [] : [error as Error]));
    expect(errors.map(({ name }) => name).toSorted()).toEqual(
      ['AbortError', 'Error', 'Error', 'SelfDeadlockError', 'TimeoutError'].toSorted(),
    );
    expect(spans.at(-1)!.attributes).toMatchObject({ 'latchkey.lock.permits': 2 });
  });
  test('metrics: outcomes, gauges, durations', async () => {
    await everything();
    const held = await locks.acquire('x');
    expect(observed()).toEqual({
      'latchkey.lock.requests granted': 7,
      'latchkey.lock.requests busy': 1,
      'latchkey.lock.requests timedOut': 1,
      'latchkey.lock.requests aborted': 1,
      'latchkey.lock.requests deadlocked': 1,
      'latchkey.lock.requests failed': 0,
      'latchkey.lock.requests lost': 0,
      'latchkey.lock.requests stolen': 1,
      'latchkey.lock.held': 1,
      'latchkey.lock.waiting': 0,
    });
    held.release();
    const count = (name: string) => recorded.filter(([of]) => of === name).length;
    expect(count('latchkey.lock.wait.duration')).toBe(7);
    expect(count('latchkey.lock.hold.duration')).toBe(7);
    expect(recorded[0]![2]).toEqual({ 'latchkey.lock.mode': 'exclusive' });
    locks.close();
    expect(observed()).toEqual({});
  });
  test('a provider that comes later, or goes, is noticed within a second', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    try {
      metrics.disable();
      make();
      await locks.request('x', () => {});
      expect(recorded).toEqual([]);
      metrics.setGlobalMeterProvider({ getMeter: () => ({ ...meter }) as unknown as Meter });
      now += 1000;
      await locks.request('x', () => {});
      now += 1000;
      await locks.request('x', () => {});
      expect([recorded.length, observers.length]).toEqual([4, 1]);
      metrics.disable();
      now += 1000;
      await locks.request('x', () => {});
      expect([recorded.length, observers.length]).toEqual([4, 0]);
    } finally {
      clock.mockRestore();
    }
  });
  test('without a provider nothing is made', async () => {
    trace.disable();
    metrics.disable();
    make();
    await everything();
    expect([spans, recorded, observers]).toEqual([[], [], []]);
  });
});
