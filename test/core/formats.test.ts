/** Traces in other formats, each read by a small parser that knows the format's own rules and nothing else. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { find } from '../../src/algorithms/catalogue.ts';
import { check } from '../../src/check/check.ts';
import { initialStates } from '../../src/cli/trace-file.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { UsageError } from '../../src/core/errors.ts';
import { convert, findFormat } from '../../src/core/formats/formats.ts';
import { parseTrace, type Trace, toNative } from '../../src/core/formats/native.ts';
import type { TraceHeader, TraceStep } from '../../src/core/trace.ts';
import { type Settings, simulate } from '../../src/sim/index.ts';
import { makeWorld } from '../../src/topologies/world.ts';
import { newestFirst } from '../support/broken.ts';

const headerOf = (algorithm: string, nodes: number, rest: Partial<TraceHeader>): TraceHeader => ({
  latchkey: 'trace',
  version: 1,
  source: 'simulate',
  algorithm,
  nodes,
  k: 1,
  links: 'any',
  topology: 'complete',
  options: [],
  ...rest,
});

function simulated(id: string, nodes: number, options: string[], settings: Settings): Trace {
  const algorithm = find(id);
  const steps: TraceStep[] = [];
  const world = makeWorld(algorithm, { nodes, options });
  simulate(algorithm, world, { ...settings, trace: (step) => steps.push(step) });
  return { header: headerOf(id, nodes, { options, links: algorithm.links }), steps };
}

function counterexample(): Trace {
  const lamport = find('lamport');
  const world = makeWorld(lamport, { nodes: 2 });
  const { violation, trace } = check(lamport, world, { links: 'any' });
  const state = { clock: 0, waiting: false, queue: [0, 0], later: [false, false] };
  const header = headerOf('lamport', 2, { source: 'check', violation: violation! });
  return { header, steps: trace!, initial: [state, state] };
}

/** A waiting exclusive request that was downgraded: the shortest trace to a violated invariant. */
function downgraded(): Trace {
  const lendingToken = find('lending-token');
  const world = makeWorld(lendingToken, { nodes: 2 });
  const nobodyReads: Invariant = ({ sites }) =>
    !sites.some(({ inside, mode }) => inside && mode === 'shared');
  const claimed = { ...lendingToken, invariants: { 'nobody reads': nobodyReads } };
  const { violation, trace } = check(claimed, world, { downgrade: true });
  const { links } = lendingToken;
  const header = headerOf('lending-token', 2, { source: 'check', links, violation: violation! });
  return { header, steps: trace!, initial: initialStates(lendingToken, world) };
}
type Invariant = NonNullable<AnyAlgorithm['invariants']>[string];

const FAULTS = [
  { at: 25, crash: 1 },
  { at: 95, restart: 1 },
  { from: 1, until: 60, lose: 0.1 },
  { from: 1, until: 200, duplicate: 0.4 },
];
const delay = 'exponential:5';
const faults = JSON.stringify(FAULTS);
const samples: [name: string, trace: Trace][] = [
  ['a counterexample', counterexample()],
  ['a run', simulated('raymond', 5, [], { delay, entries: 30, rate: 0.05 })],
  ['all at once', simulated('ricart-agrawala', 6, [], { workload: 'once', cs: 0 })],
  [
    'faults',
    simulated('maekawa', 4, [], {
      ...{ delay, entries: 12, seed: 10 },
      faults: JSON.stringify(FAULTS.slice(2)),
    }),
  ],
  [
    'a crash',
    simulated('raymond', 4, ['recovery'], { delay, entries: 12, rate: 0.05, faults, seed: 6 }),
  ],
  [
    'a partition',
    simulated('lamport', 3, [], {
      workload: 'once',
      faults: '[{"at":2,"partition":[[0,1]]},{"at":18,"heal":true}]',
    }),
  ],
  [
    'interventions',
    simulated('suzuki-kasami', 3, [], {
      workload: 'once',
      interventions: [
        { after: 2, delay: 2, by: 30 },
        { after: 4, cut: [0, 1] },
        { after: 5, heal: [0, 1] },
        { after: 6, duplicate: 1 },
      ],
    }),
  ],
  ['broadcasts', simulated('ricart-agrawala', 3, ['broadcast'], { delay, entries: 8 })],
  ['one order', simulated('ricart-agrawala', 3, ['broadcast-sequenced'], { delay, entries: 8 })],
  [
    'out and asking again',
    simulated('lending-token', 3, [], { workload: 'saturated', readers: 0.4, entries: 20 }),
  ],
  ['a writer that downgrades to reading', downgraded()],
];
const as = (format: string, trace: Trace): string => convert(trace, findFormat(format));

describe('the sample traces', () => {
  const events = new Set(samples.flatMap(([, { steps }]) => steps.map(({ event }) => event)));
  const sent = samples.flatMap(([, { steps }]) => steps.flatMap(({ sends }) => sends));
  test('every kind of event occurs in a sample', () => {
    const all =
      'request deliver exit rerequest downgrade crash restart lose duplicate delay cut partition heal'.split(
        ' ',
      );
    expect([...events]).toEqual(expect.arrayContaining(all));
    expect(new Set(sent.map(({ to }) => Math.min(to, 0)))).toEqual(new Set([0, -1, -2]));
  });
  test.each(samples)('%s: reading a written trace gives the same trace', (_, trace) => {
    const { header, steps } = trace;
    expect(parseTrace(toNative(trace))).toEqual({ header, steps });
    expect(as('native', trace)).toBe(toNative(trace));
  });
});

describe('ITF', () => {
  // ADR-015: strings, booleans, lists, records, and what has a # in its name; never a bare number.
  function checkValue(value: unknown): void {
    if (typeof value === 'string' || typeof value === 'boolean') return;
    expect(typeof value, `${value}`).toBe('object');
    expect(value).not.toBeNull();
    if (Array.isArray(value)) {
      for (const item of value) checkValue(item);
      return;
    }
    const fields = value as Record<string, unknown>;
    const special = Object.keys(fields).find((name) => name.startsWith('#'));
    if (special === undefined) {
      for (const field of Object.values(fields)) checkValue(field);
      return;
    }
    expect(Object.keys(fields)).toEqual([special]);
    expect(['#bigint', '#tup']).toContain(special);
    if (special === '#bigint') expect(fields[special]).toMatch(/^-?[0-9]+$/);
    else checkValue(fields[special]);
  }
  /** The type of a value: what Apalache asks to be the same in all states. */
  function typeOf(value: unknown): string {
    if (typeof value !== 'object') return typeof value;
    if (Array.isArray(value)) return `[${merged(value.map(typeOf))}]`;
    const fields = value as Record<string, unknown>;
    if ('#bigint' in fields) return 'int';
    if ('tag' in fields) return 'variant';
    return `{${Object.keys(fields).map((name) => `${name}:${typeOf(fields[name])}`)}}`;
  }
  const merged = (types: string[]): string => [...new Set(types)].sort().join('|');
  const read = (trace: Trace) => JSON.parse(as('itf', trace));

  test.each(samples)(
    '%s: every value is a value of ITF, and every state has every variable',
    (_, trace) => {
      const { vars, states, loop, '#meta': meta } = read(trace);
      expect(meta).toMatchObject({ format: 'ITF' });
      expect(loop).toBeUndefined();
      expect(states).toHaveLength(trace.steps.length + 1);
      expect(vars).toEqual(['phase', 'local', 'underWay', 'mbt::actionTaken', 'mbt::nondetPicks']);
      for (const [index, { '#meta': stateMeta, ...state }] of states.entries()) {
        expect(stateMeta.index).toBe(index);
        expect(Object.keys(state)).toEqual(vars);
        checkValue(state);
        expect([state.phase.length, state.local.length]).toEqual(Array(2).fill(trace.header.nodes));
      }
    },
  );
  test.each(samples)('%s: a variable has one type in all states', (_, trace) => {
    const { states } = read(trace);
    for (const name of ['phase', 'local', 'mbt::actionTaken', 'mbt::nondetPicks']) {
      const types = states.map((state: Record<string, unknown>) => typeOf(state[name]));
      // A list that is empty now and then says nothing about what is in it.
      const full = new Set(types.map((type: string) => type.replace(/\[[^[\]]*\]/g, '[]')));
      expect([...full]).toHaveLength(1);
    }
  });
  test('the counterexample is converted state by state', () => {
    const { states, '#meta': meta } = read(counterexample());
    expect(meta).toMatchObject({
      status: 'violation',
      violation: { property: 'mutual-exclusion' },
    });
    const brief = states.map((s: Record<string, unknown>) => [
      s['mbt::actionTaken'],
      (s['phase'] as string[]).join(),
      (s['underWay'] as { message: { tag: string } }[]).map(({ message }) => message.tag).join(),
    ]);
    expect(brief).toEqual([
      ['init', 'idle,idle', ''],
      ['request', 'waiting,idle', 'REQUEST'],
      ['request', 'waiting,waiting', 'REQUEST,REQUEST'],
      ['deliver', 'inside,waiting', 'REQUEST,REPLY'],
      ['deliver', 'inside,inside', 'REQUEST'],
    ]);
    expect(states[0].local[0].clock).toEqual({ '#bigint': '0' });
    expect(states[3]['mbt::nondetPicks']).toMatchObject({
      site: { tag: 'Some', value: { '#bigint': '0' } },
      id: { tag: 'Some', value: { '#bigint': '2' } },
      mode: { tag: 'None', value: { '#tup': [] } },
    });
  });
  test('a field that is ever null is an option; so is the first state without an algorithm', () => {
    const step = { step: 1, time: 0.5, site: 0, event: 'exit', sends: [], enters: false } as const;
    const states = [
      { next: null, half: 0.5, big: 2 ** 53 },
      { next: 1, half: 1, big: -7 },
    ];
    const steps = states.map((state, i) => ({ ...step, step: i + 1, state }));
    const trace = { header: headerOf('x', 2, {}), steps };
    const [first, second, third] = read(trace).states;
    expect(first.local[0]).toEqual({ tag: 'None', value: { '#tup': [] } });
    const unit = { '#tup': [] };
    const next = { tag: 'None', value: unit };
    const big = { '#bigint': '9007199254740992' };
    expect(second.local[0]).toEqual({ tag: 'Some', value: { next, half: '0.5', big } });
    expect(second['#meta']).toEqual({ index: 1, time: 0.5 });
    expect(third.local[0].value.next).toEqual({ tag: 'Some', value: { '#bigint': '1' } });
  });
  test('the last state of a lasso is the state before the loop', () => {
    const world = makeWorld(newestFirst, { nodes: 3 });
    const { trace, loop } = check(newestFirst, world, { entries: Number.POSITIVE_INFINITY });
    const header = { ...headerOf('central', 3, { source: 'check' }), loop: loop! };
    const initial = initialStates(newestFirst, world);
    const itf = read({ header, steps: trace!, initial });
    expect(itf.loop).toBe(loop);
    const brief = ({ phase, local, underWay }: Record<string, unknown>) => {
      const ids = (underWay as { id: unknown }[]).map(({ id: _, ...letter }) => letter);
      return { phase, local, ids };
    };
    expect(brief(itf.states.at(-1))).toEqual(brief(itf.states[itf.loop - 1]));
  });
});

describe('ShiViz', () => {
  type Clock = Record<string, number>;
  /** As ShiViz reads a file: the first line reads the rest, the second divides runs. */
  function read(text: string): { host: string; clock: Clock; event: string }[] {
    const [parser, delimiter, ...log] = text.trimEnd().split('\n');
    expect(parser).toBe(String.raw`(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`);
    expect(delimiter).toBe('');
    const pair = new RegExp(`^${parser}$`);
    expect(log.length % 2).toBe(0);
    return Array.from({ length: log.length / 2 }, (_, i) => {
      const { host, clock, event } = pair.exec(`${log[2 * i]}\n${log[2 * i + 1]}`)!.groups!;
      return { host: host!, clock: JSON.parse(clock!), event: event! };
    });
  }
  test.each(samples)('%s: clocks follow the rules of ShiViz', (_, trace) => {
    const events = read(as('shiviz', trace));
    expect(events).toHaveLength(trace.steps.length);
    const histories: Record<string, Clock[]> = {};
    for (const { host, clock } of events) {
      const own = histories[host] ?? [];
      histories[host] = own;
      const before = own.at(-1) ?? {};
      // Its own component goes up by one, from 1.
      expect(clock[host]).toBe(own.length + 1);
      for (const [other, time] of Object.entries(clock)) {
        if (other === host) continue;
        expect(time).toBeGreaterThanOrEqual(Math.max(1, before[other] ?? 0));
        // What is new is copied from an event that there has been, with all that was known to it.
        const source = histories[other]![time - 1]!;
        for (const known in source) expect(clock[known]).toBeGreaterThanOrEqual(source[known]!);
      }
      expect(Object.keys(clock)).toEqual(expect.arrayContaining(Object.keys(before)));
      own.push(clock);
    }
  });
  test.each(samples)(
    "%s: a delivery's clock includes the sending, and no more than follows from it",
    (_, trace) => {
      const events = read(as('shiviz', trace));
      const sent = new Map<number, Clock>();
      const last: Record<string, Clock> = {};
      for (const [i, step] of trace.steps.entries()) {
        const { host, clock } = events[i]!;
        const sources = [last[host] ?? {}, 'id' in step ? sent.get(step.id)! : {}];
        for (const [other, time] of Object.entries(clock)) {
          if (other === host) continue;
          expect(time).toBe(Math.max(...sources.map((source) => source[other] ?? 0)));
        }
        for (const { id } of step.sends) sent.set(id, clock);
        last[host] = clock;
      }
    },
  );
  test('losses, duplications and partitions happen at the network', () => {
    const eventsOf = (sample: string) =>
      read(as('shiviz', samples.find(([name]) => name === sample)![1]));
    const network = ['a crash', 'a partition']
      .flatMap(eventsOf)
      .flatMap(({ host, event }) => (host === 'network' ? [event] : []));
    expect(network).toEqual(expect.arrayContaining(['partition 0 1', 'heals']));
    expect(network.some((event) => /^loses .* from \d to \d$/.test(event))).toBe(true);
    expect(network.some((event) => /^doubles .* from \d to \d$/.test(event))).toBe(true);
    const crashes = eventsOf('a crash').filter(({ event }) => event === 'crashes');
    expect(crashes).toMatchObject([{ host: 'site1' }]);
  });
  test('the counterexample, to the letter', () => {
    expect(as('shiviz', counterexample())).toBe(
      String.raw`(?<host>\S*) (?<clock>{.*})\n(?<event>.*)

site0 {"site0":1}
asks, sends REQUEST at=1 to 1
site1 {"site1":1}
asks, sends REQUEST at=1 to 0
site0 {"site0":2,"site1":1}
receives REQUEST at=1 from 1, sends REPLY at=2 to 1, goes in
site1 {"site1":2,"site0":2}
receives REPLY at=2 from 0, goes in
`,
    );
  });
});

describe('Chrome', () => {
  type Event = { ph: string; name: string; ts: number; dur: number; pid: number; tid: number } & {
    id: number;
    cat: string;
    args: Record<string, unknown>;
    s: string;
    bp: string;
  };
  const read = (trace: Trace): Event[] => JSON.parse(as('chrome', trace)).traceEvents;
  const REQUIRED: Record<string, (keyof Event)[]> = {
    M: ['name', 'pid', 'tid', 'args'],
    X: ['name', 'cat', 'pid', 'tid', 'ts', 'dur'],
    i: ['name', 'pid', 'tid', 'ts', 's'],
    s: ['name', 'cat', 'pid', 'tid', 'ts', 'id'],
    f: ['name', 'cat', 'pid', 'tid', 'ts', 'id', 'bp'],
    C: ['name', 'pid', 'ts', 'args'],
  };
  test.each(samples)(
    '%s: each phase of event has its fields, and times do not go back',
    (_, trace) => {
      let last = 0;
      for (const event of read(trace)) {
        expect(Object.keys(REQUIRED)).toContain(event.ph);
        for (const field of REQUIRED[event.ph]!) expect(event).toHaveProperty(field);
        if (event.ph === 'M') continue;
        expect(Number.isSafeInteger(event.ts)).toBe(true);
        expect(event.ts).toBeGreaterThanOrEqual(last);
        last = event.ts;
        if (event.ph === 'i') expect('tpg').toContain(event.s);
      }
    },
  );
  test.each(samples)('%s: every used thread has a name', (_, trace) => {
    const events = read(trace);
    const named = events.filter(({ name }) => name === 'thread_name').map(({ tid }) => tid);
    expect(named).toEqual(Array.from({ length: trace.header.nodes }, (_, i) => i + 1));
    expect(events.filter(({ name }) => name === 'process_name')).toHaveLength(1);
    for (const { tid } of events) expect(named).toContain(tid);
  });
  test.each(samples)('%s: slices nest, and each arrow has a slice at both ends', (_, trace) => {
    // As Perfetto reads them: in the order of the file, each thread a stack.
    const stacks: Record<number, Event[]> = {};
    const arrows = new Map<number, Event[]>();
    for (const event of read(trace)) {
      const stack = stacks[event.tid] ?? [];
      stacks[event.tid] = stack;
      if (event.ph === 'M') continue;
      while (stack.length > 0 && stack.at(-1)!.ts + stack.at(-1)!.dur <= event.ts) stack.pop();
      if (event.ph === 'X') {
        expect(event.dur).toBeGreaterThan(0);
        const around = stack.at(-1);
        if (around) expect(event.ts + event.dur).toBeLessThanOrEqual(around.ts + around.dur);
        stack.push(event);
      }
      if (event.ph === 's' || event.ph === 'f') {
        expect(stack.at(-1)).toMatchObject({ cat: 'step', ts: event.ts });
        arrows.set(event.id, [...(arrows.get(event.id) ?? []), event]);
      }
    }
    for (const ends of arrows.values()) {
      expect(ends.map(({ ph }) => ph)).toEqual(['s', 'f']);
      const [start, finish] = ends as [Event, Event];
      expect(finish.ts).toBeGreaterThan(start.ts);
      expect([finish.name, finish.cat, finish.bp]).toEqual([start.name, start.cat, 'e']);
    }
    const delivered = trace.steps.filter(({ event }) => event === 'deliver');
    expect(arrows.size).toBe(delivered.length);
  });
  test.each(samples)('%s: phases last as long as in the trace', (_, trace) => {
    const phases = read(trace).filter(({ cat }) => cat === 'phase');
    const inside = phases.filter(({ name }) => name === 'inside');
    expect(inside).toHaveLength(trace.steps.filter(({ enters }) => enters).length);
    // Within a microsecond for each step: as many as may coincide.
    for (const { event, site, time } of trace.steps) {
      if (event !== 'exit') continue;
      const near = inside.some(
        ({ tid, ts, dur }) =>
          tid === site + 1 && Math.abs(ts + dur - time * 1e6) < trace.steps.length,
      );
      expect(near).toBe(true);
    }
  });
  test.each(samples)('%s: counters show messages in flight and waiting sites', (_, trace) => {
    const counts = read(trace).filter(({ ph }) => ph === 'C');
    const values = counts.flatMap(({ args }) => Object.values(args) as number[]);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    const last = counts.findLast(({ name }) => name === 'messages')!;
    const n = trace.header.nodes;
    const reached = trace.steps.reduce((sum, { sends }) => {
      return sum + sends.reduce((s, { to }) => s + (to === -1 ? n - 1 : to === -2 ? n : 1), 0);
    }, 0);
    const of = (kind: string) => trace.steps.filter(({ event }) => event === kind).length;
    const left = reached + of('duplicate') - of('deliver') - of('lose');
    expect(last.args).toEqual({ 'under way': left });
  });
});

describe('Mermaid', () => {
  const short = samples.filter(([, { steps }]) => steps.length < 300);
  // The lines of the grammar that we use. A text ends at ; and # there.
  const TEXT = '[^;#\\n]+';
  const LINES = {
    comment: /^%% .*$/,
    participant: new RegExp(`^participant (s\\d+) as ${TEXT}$`),
    message: new RegExp(`^(s\\d+)(->>|-x|--\\))(s\\d+): ${TEXT}$`),
    note: new RegExp(`^Note over (s\\d+)(?:,(s\\d+))?: ${TEXT}$`),
    activation: /^(activate|deactivate) (s\d+)$/,
  };
  test.each(short)('%s: every line is one of a sequence diagram', (_, trace) => {
    const [first, ...lines] = as('mermaid', trace).trimEnd().split('\n');
    expect(first).toBe('sequenceDiagram');
    const participants = new Set<string>();
    const active = new Set<string>();
    for (const line of lines.map((l) => l.trim())) {
      const kinds = Object.entries(LINES).filter(([, pattern]) => pattern.test(line));
      expect(kinds, line).toHaveLength(1);
      const [kind, pattern] = kinds[0]!;
      const parts = pattern
        .exec(line)!
        .slice(1)
        .filter((part) => /^s\d+$/.test(part ?? ''));
      if (kind === 'participant') participants.add(parts[0]!);
      for (const part of parts) expect(participants).toContain(part);
      if (line.startsWith('activate')) active.add(parts[0]!);
      // Mermaid refuses to end a bar that has not begun.
      if (line.startsWith('deactivate')) expect(active.delete(parts[0]!)).toBe(true);
    }
    expect(participants.size).toBe(trace.header.nodes);
    expect(active.size).toBe(0);
    const arrows = (arrow: string) => lines.filter((line) => line.includes(arrow)).length;
    const of = (kind: string) => trace.steps.filter(({ event }) => event === kind).length;
    expect([arrows('->>s'), arrows('-xs')]).toEqual([of('deliver'), of('lose')]);
  });
  test('most samples are short enough for a diagram', () => {
    expect(short.length).toBeGreaterThanOrEqual(5);
  });
  test('the counterexample, to the letter', () => {
    expect(as('mermaid', counterexample())).toBe(`sequenceDiagram
  %% lamport, 2 sites, links that may reorder
  participant s0 as site 0
  participant s1 as site 1
  Note over s0: asks
  Note over s1: asks
  s1->>s0: REQUEST at=1
  Note over s0: goes in
  activate s0
  s0->>s1: REPLY at=2
  Note over s1: goes in
  activate s1
  s0--)s1: REQUEST at=1
  deactivate s0
  deactivate s1
  Note over s0,s1: mutual-exclusion: 0 and 1 are inside at once
`);
  });
  test('a cycle has a frame around it', () => {
    const world = makeWorld(newestFirst, { nodes: 3 });
    const { trace, loop } = check(newestFirst, world, { entries: Number.POSITIVE_INFINITY });
    const header = { ...headerOf('central', 3, { source: 'check' }), loop: loop! };
    const lines = as('mermaid', { header, steps: trace! }).split('\n');
    const drawn = lines.map((line) => line.trim());
    const [begin, end] = [drawn.indexOf('loop for ever'), drawn.indexOf('end')];
    const arrivals = (part: readonly string[]) => part.filter((line) => line.includes('->>'));
    const delivered = trace!.slice(loop! - 1).filter(({ event }) => event === 'deliver');
    expect(begin).toBeGreaterThan(0);
    expect(arrivals(drawn.slice(begin, end))).toHaveLength(delivered.length);
    expect(arrivals(drawn.slice(end))).toEqual([]);
  });
  test('characters that end a text are left out, and long texts are cut', () => {
    const { header } = counterexample();
    const violation = { property: 'a; #b\nc', why: 'x'.repeat(500) };
    const text = as('mermaid', { header: { ...header, violation }, steps: [] });
    expect(text).toMatch(/Note over s0,s1: a b c: x+…\n$/);
  });
  test('more than 200 messages are refused, with the way out', () => {
    const long = simulated('ricart-agrawala', 4, [], { entries: 34 });
    expect(() => as('mermaid', long)).toThrow(
      new UsageError(
        'a mermaid diagram has at most 200 messages, and this one would have 204: simulate with fewer --entries or --nodes, or take shiviz or chrome, which show any number',
      ),
    );
    const quiet = simulated('central', 1, [], { entries: 1500 });
    expect(() => as('mermaid', quiet)).toThrow('at most 50000 characters');
  });
});

describe('CSV', () => {
  /** RFC 4180: fields between commas, in quotes if need be, quotes doubled, lines ended by CRLF. */
  function read(text: string): string[][] {
    const rows: string[][] = [];
    let row: string[] = [];
    const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
    while (field.lastIndex < text.length) {
      const match = field.exec(text);
      expect(match).not.toBeNull();
      const [, quoted, bare, end] = match!;
      row.push(quoted === undefined ? bare! : quoted.replaceAll('""', '"'));
      if (end === ',') continue;
      rows.push(row);
      row = [];
    }
    return rows;
  }
  test.each(samples)('%s: the rows read back as the same steps', (_, trace) => {
    const [header, ...rows] = read(as('csv', trace));
    expect(rows).toHaveLength(trace.steps.length);
    const words = new Set(['event', 'mode', 'timer', 'type']);
    const steps = rows.map((row) => {
      expect(row).toHaveLength(header!.length);
      const filled = row.map((cell, i) => [header![i]!, cell] as const).filter(([, c]) => c !== '');
      const values = filled.map(([name, c]) => [name, words.has(name) ? c : JSON.parse(c)]);
      const { type, ...step } = Object.fromEntries(values);
      expect(type).toBe(step.message?.type);
      return step;
    });
    expect(steps).toEqual(trace.steps);
  });
  test('quotes, commas and line ends stay within a cell', () => {
    const { header, steps } = counterexample();
    const text = as('csv', { header, steps: [{ ...steps[0]!, state: 'a "b",\r\nc' }] });
    expect(read(text)[1]!.at(-1)).toBe('a "b",\r\nc');
  });
});

describe('a broken trace is refused with the line, the rule and the value', () => {
  const whole = toNative(counterexample());
  const lines = whole.trimEnd().split('\n');
  const withLine = (number: number, change: (line: string) => string): string =>
    lines.map((line, i) => `${i + 1 === number ? change(line) : line}\n`).join('');
  const swap = (number: number, from: string, to: string) =>
    withLine(number, (line) => {
      expect(line).toContain(from);
      return line.replace(from, to);
    });
  test.each([
    [
      '',
      'line 1: a trace begins with its header, {"latchkey":"trace","version":1,…}, and the file is empty',
    ],
    [
      whole.slice(0, -1),
      'line 5: it does not end: the file was cut off, so record the trace again',
    ],
    [
      whole.slice(0, -90),
      'line 5: it does not end: the file was cut off, so record the trace again',
    ],
    [
      swap(1, '"version":1', '"version":2'),
      'line 1: "version" is 1, the only one this program reads, got 2',
    ],
    [
      withLine(1, () => '{"a":1}'),
      'line 1: a trace begins with its header, {"latchkey":"trace","version":1,…}, got {"a":1}',
    ],
    [withLine(1, () => '[]'), 'line 1: each line is one JSON object, got []'],
    [swap(1, '"nodes":2', '"nodes":0'), 'line 1: "nodes" is a whole number of 1 or more, got 0'],
    [swap(1, '"links":"any"', '"links":"some"'), 'line 1: "links" is any or fifo, got "some"'],
    [swap(1, '"source":"check",', ''), 'line 1: "source" is simulate or check, got nothing'],
    [swap(1, '"options"', '"loop":9,"options"'), 'line 1: "loop" is one of its 4 steps, got 9'],
    [withLine(3, () => ''), 'line 3: each line is one JSON object: Unexpected end of JSON input'],
    [withLine(3, () => 'null'), 'line 3: each line is one JSON object, got null'],
    [
      lines
        .filter((_, i) => i !== 2)
        .map((line) => `${line}\n`)
        .join(''),
      'line 3: steps are numbered from 1 without a gap, 2 is next, got 3',
    ],
    [
      swap(4, '"time":3', '"time":1.5'),
      'line 4: time does not go back, and the step before is at 2, got 1.5',
    ],
    [swap(4, '"site":0', '"site":2'), 'line 4: "site" is a site from 0 to 1, got 2'],
    [
      swap(3, '"event":"request"', '"event":"ask"'),
      'line 3: "event" is request or rerequest or deliver or lose or duplicate or start or downgrade or exit or crash or restart or timer or peer or delay or partition or heal or cut, got "ask"',
    ],
    [swap(3, '"mode":"exclusive"', '"mode":1'), 'line 3: "mode" is exclusive or shared, got 1'],
    [swap(4, '"enters":true', '"enters":1'), 'line 4: "enters" is true or false, got 1'],
    [
      swap(4, '"to":1', '"to":-3'),
      'line 4: "sends" is a list of { id, to, message }, got [{"id":3,"to":-3,"message":{"type":"REPLY","at":2}}]',
    ],
    [
      swap(4, '"sends":[{"id":3', '"sends":[{"id":5'),
      'line 4: messages are numbered as they are sent, 3 is next, got 5',
    ],
    [swap(4, '"id":2', '"id":7'), 'line 4: step 3 cannot be: message 7 is not under way to 0'],
    [
      swap(4, '"from":1', '"from":0'),
      'line 4: step 3 cannot be: message 2 was sent by 1, not by 0',
    ],
    [
      swap(4, '"at":1', '"at":8'),
      'line 4: step 3 cannot be: message 2 was sent with other contents',
    ],
    [
      swap(1, '"links":"any"', '"links":"fifo"'),
      'line 5: step 4 cannot be: message 3 overtakes message 1, and links keep the order',
    ],
    [
      swap(3, '"event":"request","mode":"exclusive"', '"event":"exit"'),
      'line 3: step 2 cannot be: site 1 is idle, and exit takes one that is inside',
    ],
    [swap(5, ',"state":', ',"statt":'), 'line 5: "state" is there, be it null, got nothing'],
  ])('%#', (text, message) => {
    expect(() => parseTrace(text)).toThrow(new UsageError(message));
  });
  test('a message arrives twice only if it was duplicated', () => {
    const repeated = lines[3]!.replace('"step":3', '"step":4').replace('"time":3', '"time":4');
    expect(() => parseTrace(`${lines.slice(0, 4).join('\n')}\n${repeated}\n`)).toThrow(
      'line 5: step 4 cannot be: message 2 is not under way to 0',
    );
  });
});

describe('the commands latchkey convert and simulate --format', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-'));
    writeFileSync(join(folder, 'native.jsonl'), toNative(counterexample()));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const run = (line: string, shell = '') => {
    const call = `node bin/latchkey.js ${line.replaceAll('DIR', folder)} ${shell}`;
    const env = { ...process.env, NO_COLOR: '1' };
    const { status, stdout, stderr } = spawnSync('bash', ['-c', call], { encoding: 'utf8', env });
    return { status, stdout, stderr };
  };
  const native = 'DIR/native.jsonl';

  test.each(['native', 'itf', 'shiviz', 'chrome', 'mermaid', 'csv'])('%s is printed', (format) => {
    const expected = { status: 0, stdout: as(format, counterexample()), stderr: '' };
    expect(run(`convert ${native} --format ${format}`)).toEqual(expected);
  });
  test('with --out the result goes to a file, and nothing is printed', () => {
    expect(run(`convert ${native} --format csv --out DIR/t.csv`).stdout).toBe('');
    expect(readFileSync(join(folder, 't.csv'), 'utf8')).toBe(as('csv', counterexample()));
  });
  test('a trace of an unknown algorithm is converted', () => {
    const path = join(folder, 'other.jsonl');
    writeFileSync(path, toNative(counterexample()).replace('"lamport"', '"other"'));
    expect(run('convert DIR/other.jsonl --format csv').status).toBe(0);
    const { status, stdout, stderr } = run('convert DIR/other.jsonl --format itf');
    expect(status).toBe(0);
    expect(stderr).toMatch(/there is no algorithm "other".*None until its first step\n$/);
    expect(JSON.parse(stdout).states[0].local[0].tag).toBe('None');
  });
  test.each(['itf', 'shiviz', 'chrome', 'mermaid', 'csv'])(
    'simulate --format %s is the same',
    (format) => {
      const call = 'simulate lamport --nodes 3 --workload once --seed 4 --delay uniform:1,9 --json';
      run(`${call} --trace DIR/s.jsonl`);
      run(`${call} --trace DIR/s.${format} --format ${format}`);
      const { stdout } = run(`convert DIR/s.jsonl --format ${format}`);
      expect(readFileSync(join(folder, `s.${format}`), 'utf8')).toBe(stdout);
    },
  );
  test('a reader that closes the pipe causes no stack trace', () => {
    run('simulate lamport --entries 2000 --trace DIR/long.jsonl');
    const { stderr, stdout } = run('convert DIR/long.jsonl --format csv', '| head -1');
    expect({ stderr, lines: stdout.trim().split('\n').length }).toEqual({ stderr: '', lines: 1 });
  });
  test('a full disk gives one line, exit code 2 and no complete-looking file', () => {
    const full = /^latchkey: \S+ cannot (write "\/dev\/full"|print): .*ENOSPC.*\n$/;
    const calls = [
      run(`convert ${native} --format itf --out /dev/full`),
      run(`convert ${native} --format itf`, '> /dev/full'),
      run('simulate lamport --entries 20 --trace /dev/full'),
      run('simulate lamport --entries 5 --trace /dev/full --format chrome'),
      run('check lamport --links any --nodes 2 --trace /dev/full'),
    ];
    for (const { status, stderr } of calls) {
      expect(stderr).toMatch(full);
      expect(status).toBe(2);
    }
    expect(existsSync('/dev/full.partial')).toBe(false);
  });
  test('a device that is written to stays a device', () => {
    const { stdout } = run(`convert ${native} --format csv --out /dev/stdout`, '| cat');
    expect(stdout).toBe(as('csv', counterexample()));
  });
  test('a failure half way leaves no file', () => {
    const before = readdirSync(folder);
    const long = run('simulate ricart-agrawala --entries 100 --trace DIR/no.mmd --format mermaid');
    expect(long.stderr).toMatch(/^latchkey: a mermaid diagram has at most 200 messages.*\n$/);
    const wrong = run('simulate raymond --delay never --trace DIR/no.jsonl');
    expect([long.status, wrong.status]).toEqual([2, 2]);
    expect(readdirSync(folder)).toEqual(before);
  });
  test('a kill half way leaves no file under the final name', () => {
    const meanwhile = `& until [ -s ${folder}/killed.jsonl.partial ] || ! kill -0 $!; do sleep 0.1; done; kill -9 $!`;
    run('simulate lamport --entries 100000000 --trace DIR/killed.jsonl', meanwhile);
    expect(existsSync(join(folder, 'killed.jsonl'))).toBe(false);
    const partial = join(folder, 'killed.jsonl.partial');
    expect(existsSync(partial)).toBe(true);
    rmSync(partial);
  });
  test.each([
    [
      `convert ${native} --format itff`,
      'there is no format "itff": take one of native, itf, shiviz, chrome, mermaid, csv (did you mean "itf"?)',
    ],
    [`convert ${native}`, "required option '--format <f>' not specified"],
    ['convert DIR/nowhere --format csv', 'convert cannot read "DIR/nowhere": no such file'],
    ['convert package.json --format csv', '"package.json", line 1: each line is one JSON object'],
    [`convert ${native} --format csv --out /nowhere/x`, '--out cannot write "/nowhere/x"'],
    [`convert ${native} --format csv --out DIR`, '--out cannot write "DIR"'],
    [
      'simulate lamport --format csv',
      '--format is of a trace: say where it goes with --trace FILE',
    ],
    ['simulate lamport --trace DIR/x --format doc', 'there is no format "doc"'],
  ])('%s: a wrong call gives one line and exit code 2', (call, message) => {
    const { status, stdout, stderr } = run(call);
    expect(stderr.startsWith(`latchkey: ${message.replace('DIR', folder)}`), stderr).toBe(true);
    expect(stderr.trimEnd()).not.toContain('\n');
    expect([status, stdout]).toEqual([2, '']);
  });
});
