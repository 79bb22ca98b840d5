/** A run that is stopped, looked at, and disturbed. */
import { describe, expect, test } from 'vitest';
import { catalogue, find, printed } from '../../src/algorithms/catalogue.ts';
import type { AnyAlgorithm, AnyWorld } from '../../src/core/algorithm.ts';
import type { Reason } from '../../src/core/blame.ts';
import { Machine } from '../../src/core/machine.ts';
import type { TraceStep } from '../../src/core/trace.ts';
import { Columns, DELIVERED, EVENTS, LOST } from '../../src/sim/columns.ts';
import {
  makeWorld,
  type OpenRun,
  openRun,
  requestScript,
  type Settings,
  simulate,
} from '../../src/sim/index.ts';

const worldOf = (algorithm: AnyAlgorithm, nodes = 5) =>
  makeWorld(algorithm, { nodes, ...(algorithm.k && { k: 2 }) });

function traceOf(algorithm: AnyAlgorithm, world: AnyWorld, settings: Settings): TraceStep[] {
  const steps: TraceStep[] = [];
  simulate(algorithm, world, { ...settings, trace: (step) => steps.push(step) });
  return steps;
}

describe('a run that is advanced is the run that simulate makes', () => {
  test.each(catalogue.map((a) => [a.id, a] as const))('%s', (_, algorithm) => {
    const world = worldOf(algorithm);
    for (const seed of [1, 2, 3]) {
      const settings: Settings = { seed, entries: 20, rate: 0.02, delay: 'uniform:1,9' };
      const whole = traceOf(algorithm, world, settings);
      const steps: TraceStep[] = [];
      const run = openRun(algorithm, world, { ...settings, trace: (step) => steps.push(step) });
      while (!run.isOver) run.advance(1 + (steps.length % 7));
      expect(steps).toEqual(whole);
      expect(run.result()).toEqual(simulate(algorithm, world, settings));
      const second = openRun(algorithm, world, settings);
      second.advance(30);
      const at = whole.slice(0, second.at);
      for (const [site, state] of second.states.entries()) {
        const last = at.findLast((step) => step.site === site);
        if (last !== undefined) expect(state).toEqual(last.state);
      }
    }
  });
});

/** Whether what a reason says is so. */
function isTrue(reason: Reason, run: OpenRun, algorithm: AnyAlgorithm, world: AnyWorld): boolean {
  const { kind, site } = reason;
  const phase = run.phases[site];
  const machine = new Machine(algorithm, world, () => 0);
  machine.site.begin(site);
  switch (kind) {
    case 'inside':
      return phase === 'inside';
    case 'down':
      return phase === 'down';
    case 'token':
      return run.tokens.length > 0 ? run.tokens[site]! > 0 : phase !== 'inside';
    case 'message':
      return run.underWay().some((m) => m.id === reason.message && m.to === reason.to);
    case 'vote':
      return algorithm.grantedTo!(run.states[site], machine.site).includes(reason.to!);
    case 'earlier':
      return phase === 'waiting';
    case 'defers':
      return phase !== 'down';
    case 'timer':
      return run.timers().some((timer) => timer.site === site);
    default:
      return false; // without faults nobody waits for ever
  }
}

describe('why a site waits', () => {
  test.each(catalogue.map((a) => [a.id, a] as const))('%s', (_, algorithm) => {
    const variants = [[], ...Object.keys(algorithm.options).map((name) => [name])];
    let moments = 0;
    for (const options of variants) {
      let world: AnyWorld;
      try {
        world = makeWorld(algorithm, { nodes: 5, options, ...(algorithm.k && { k: 2 }) });
      } catch {
        continue; // an option that takes a value, or another
      }
      const settings: Settings = { seed: 7, entries: 400, rate: 0.05, delay: 'uniform:1,9' };
      const run = openRun(algorithm, world, settings);
      while (!run.isOver && moments < 4000) {
        run.advance(3);
        for (const [site, phase] of run.phases.entries()) {
          const reasons = run.waits(site);
          if (phase !== 'waiting') expect(reasons).toEqual([]);
          else {
            moments++;
            expect(reasons.length).toBeGreaterThan(0);
            const untrue = reasons.filter((reason) => !isTrue(reason, run, algorithm, world));
            expect(untrue, `${options} at step ${run.at}`).toEqual([]);
          }
        }
      }
    }
    expect(moments).toBeGreaterThan(1000);
  });

  test('Raymond: where the privilege is, and how far', () => {
    const raymond = find('raymond');
    const world = makeWorld(raymond, { nodes: 7 });
    const script = '0 request 3 stay 50\n20 request 6';
    const run = openRun(raymond, world, { workload: 'script', script });
    while (run.time < 40) run.advance(1);
    expect(run.waits(6)).toEqual([
      { kind: 'inside', site: 3, text: '3 is inside, 4 hops away, with the token' },
    ]);
  });

  test('Maekawa: which site has the vote of an arbiter', () => {
    const maekawa = find('maekawa');
    const world = makeWorld(maekawa, { nodes: 9 });
    const script = '0 request 0 stay 100\n20 request 8';
    const run = openRun(maekawa, world, { workload: 'script', script });
    while (run.time < 25 || run.underWay().length > 0) run.advance(1);
    expect(run.waits(8).map(({ text }) => text)).toEqual([
      'the vote of 2 is with 0, which is inside',
      'the vote of 6 is with 0, which is inside',
    ]);
  });

  test('a token that was lost', () => {
    const { find: _, ...settings } = { find, workload: 'once' as const, delay: 'constant:5' };
    const ring = find('suzuki-kasami');
    const world = makeWorld(ring, { nodes: 3 });
    const token = traceOf(ring, world, settings).find((s) => s.sends.some(isPrivilege))!;
    const { id } = token.sends.find(isPrivilege)!;
    const run = openRun(ring, world, {
      ...settings,
      interventions: [{ after: token.step, lose: id }],
    });
    run.advance(1000);
    expect(run.violation?.property).toBe('deadlock-freedom');
    const waiter = run.phases.indexOf('waiting');
    expect(run.waits(waiter)).toEqual([
      {
        kind: 'faults',
        site: waiter,
        text: expect.stringMatching(/^the token was lost on its way/),
      },
    ]);
  });
});
const isPrivilege = ({ message }: { message: { type: string } }) => message.type === 'PRIVILEGE';

describe('interventions', () => {
  const raymond = find('raymond');
  const world = makeWorld(raymond, { nodes: 7 });
  const settings: Settings = { seed: 5, entries: 60, rate: 0.01, delay: 'uniform:1,9' };
  const before = traceOf(raymond, world, settings);
  const requestsOf = (steps: readonly TraceStep[]) =>
    steps.filter(({ event }) => event === 'request').map(({ site, time }) => `${site}@${time}`);

  test('what came before is the same, to the byte', () => {
    const sent = before.find(({ step, sends }) => step > 30 && sends.length > 0)!;
    const delayed = { after: sent.step, delay: sent.sends[0]!.id, by: 25 };
    const after = traceOf(raymond, world, { ...settings, interventions: [delayed] });
    expect(after.slice(0, sent.step)).toEqual(before.slice(0, sent.step));
    expect(after[sent.step]).toMatchObject({ event: 'delay', by: 25, forced: true });
    const arrival = (steps: readonly TraceStep[]) =>
      steps.find((s) => s.event === 'deliver' && s.id === delayed.delay)!.time;
    expect(arrival(after)).toBeCloseTo(arrival(before) + 25);
  });

  test('a site that asks out of turn changes only what it causes', () => {
    const quiet = before.find(
      ({ step, site, event }) => step > 60 && event === 'exit' && site === 6,
    )!;
    const asks = { after: quiet.step, request: 6 };
    const after = traceOf(raymond, world, { ...settings, interventions: [asks] });
    const old = new Set(requestsOf(before));
    const kept = requestsOf(after).filter((request) => old.has(request));
    // All but few requests come at their old times: think times depend on the site alone.
    expect(kept.length).toBeGreaterThan(0.3 * old.size);
    const links = (steps: readonly TraceStep[]) => {
      const sentAt = new Map(steps.flatMap((s) => s.sends.map(({ id }) => [id, s.time] as const)));
      const delays = new Map<string, number[]>();
      for (const s of steps) {
        if (s.event !== 'deliver') continue;
        const link = `${s.from}→${s.site}`;
        delays.set(link, [...(delays.get(link) ?? []), s.time - sentAt.get(s.id)!]);
      }
      return delays;
    };
    const [a, b] = [links(before), links(after)];
    let compared = 0;
    for (const [link, delays] of a) {
      const sorted = (list: readonly number[]) => [...list].sort((x, y) => x - y);
      const others = b.get(link) ?? [];
      const count = Math.min(delays.length, others.length) - 3;
      if (count <= 0) continue;
      const known = new Set(sorted(others).map((delay) => delay.toFixed(6)));
      const same = sorted(delays).filter((delay) => known.has(delay.toFixed(6))).length;
      expect(same).toBeGreaterThanOrEqual(count);
      compared += count;
    }
    expect(compared).toBeGreaterThan(50);
  });

  test('crash, restart, cut, heal, exit, lose and duplicate are steps of the trace', () => {
    const algorithm = find('majority');
    const around = makeWorld(algorithm, { nodes: 3 });
    const run: TraceStep[] = [];
    const interventions = [
      { after: 1, lose: 1 },
      { after: 2, request: 1 },
      { after: 3, duplicate: 2 },
      { after: 5, cut: [0, 2] },
      { after: 6, crash: 2 },
      { after: 9, restart: 2 },
      { after: 12, heal: true },
    ];
    simulate(algorithm, around, {
      workload: 'script',
      script: '0 request 0',
      interventions,
      trace: (step) => run.push(step),
    });
    const forced = run.filter((step) => step.forced);
    expect(forced.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['lose', 'request', 'duplicate', 'cut', 'crash', 'restart', 'heal']),
    );
  });

  test('a site leaves before its time, and not again when its time has come', () => {
    const entered = before.find(({ enters }) => enters)!;
    const leaves = { after: entered.step, exit: entered.site };
    const after = traceOf(raymond, world, { ...settings, interventions: [leaves] });
    expect(after[entered.step]).toMatchObject({ event: 'exit', site: entered.site, forced: true });
    const mine = after.filter(
      ({ site, event, enters }) => site === entered.site && (event === 'exit' || enters),
    );
    for (const [i, { event, enters }] of mine.entries()) {
      expect(enters).toBe(i % 2 === 0);
      expect(event === 'exit').toBe(i % 2 === 1);
    }
  });

  test('over fifo links a delayed message is not overtaken', () => {
    const lamport = find('lamport');
    const around = makeWorld(lamport, { nodes: 3 });
    const once: Settings = { workload: 'saturated', entries: 12 };
    const steps = traceOf(lamport, around, {
      ...once,
      interventions: [{ after: 3, delay: 1, by: 40 }],
    });
    const delivered = steps.filter((s) => s.event === 'deliver' && s.from === 0 && s.site === 1);
    const ids = delivered.map((s) => (s as { id: number }).id);
    expect(ids).toEqual([...ids].sort((x, y) => x - y));
    expect(delivered[0]!.time).toBe(45);
  });

  test.each([
    [{ after: 3, lose: 999 }, 'message 999 is not under way after step 3'],
    [{ after: 0, exit: 2 }, 'site 2 cannot leave after step 0: it is idle'],
    [{ after: 1e6, crash: 2 }, 'an intervention after step 1000000 is never made'],
    [{ after: 2, restart: 2 }, 'site 2 cannot restart after step 2: it is idle'],
    [{ after: 2, cut: [1, 1] }, 'a link has two ends, as in [0, 3]'],
    [{ after: 2, los: 1 }, 'after a step comes exactly one of'],
    [{ after: 2, delay: 1 }, '"by" says how much later it arrives'],
    [{ after: 2, crash: 1, by: 3 }, 'crash after a step has no "by"'],
    [{ after: -1, crash: 1 }, '"after" is the number of a step'],
    [{ after: 2, request: 1, mode: 'shared' }, 'the modes of raymond are exclusive'],
  ])('%j is refused', (intervention, message) => {
    expect(() => simulate(raymond, world, { ...settings, interventions: [intervention] })).toThrow(
      message,
    );
  });
});

describe('columns say what the trace says', () => {
  test.each(['raymond', 'ricart-agrawala', 'maekawa', 'suzuki-kasami'])('%s', (id) => {
    const algorithm = find(id);
    const world = makeWorld(algorithm, { nodes: 5 });
    const columns = new Columns();
    const steps: TraceStep[] = [];
    simulate(algorithm, world, {
      ...{ entries: 200, rate: 0.02, delay: 'exponential:5', seed: 3 },
      faults:
        '[{"from":100,"until":110,"duplicate":0.3},{"at":900,"cut":[0,1]},{"at":950,"heal":true}]',
      columns,
      trace: (step) => steps.push(step),
    });
    expect(columns.steps).toBe(steps.length);
    const sends = new Map<number, { type: string; step: number; from: number }>();
    for (const [row, step] of steps.entries()) {
      expect(EVENTS[columns.event[row]!]).toBe(step.event);
      expect(columns.time[row]).toBe(step.time);
      expect(columns.site[row]).toBe(step.site);
      expect(columns.enters[row] === 1).toBe(step.enters);
      for (const { id: number, message } of step.sends) {
        sends.set(number, { type: message.type, step: row, from: step.site });
      }
      if (step.event !== 'deliver') continue;
      const copy = columns.copy[row]!;
      const sent = sends.get(step.id)!;
      expect(columns.id[copy]).toBe(step.id);
      expect([columns.from[copy], columns.to[copy]]).toEqual([sent.from, step.site]);
      expect(Object.keys(algorithm.messages)[columns.type[copy]!]).toBe(sent.type);
      expect(columns.endedAt[copy]).toBe(row);
      expect(columns.fate[copy]).toBe(DELIVERED);
    }
    expect(columns.fate.subarray(0, columns.copies).includes(LOST)).toBe(false);
  });
});

test('every algorithm and every printed form names the fields of its state, and names no others', () => {
  const forms = Object.values(printed).flatMap((ofOne) => ofOne.map(({ algorithm }) => algorithm));
  for (const algorithm of [...catalogue, ...forms]) {
    const variants = [[], ...Object.keys(algorithm.options).map((name) => [name])];
    const known = new Set<string>();
    for (const options of variants) {
      try {
        const world = makeWorld(algorithm, { nodes: 4, options });
        const state = new Machine(algorithm, world, () => 0).init(0) as object;
        for (const field of Object.keys(state)) known.add(field);
      } catch {
        // an option that takes a value, or another
      }
    }
    const named = Object.keys(algorithm.fields ?? {});
    expect(named.length, algorithm.id).toBeGreaterThan(0);
    expect(
      named.filter((field) => !known.has(field)),
      algorithm.id,
    ).toEqual([]);
  }
});

test('one script makes the same requests to all algorithms', () => {
  const script = requestScript(5, { seed: 4, rate: 0.002, entries: 60 });
  const requests = ['raymond', 'ricart-agrawala', 'maekawa', 'central'].map((id) => {
    const algorithm = find(id);
    const steps = traceOf(algorithm, makeWorld(algorithm, { nodes: 5 }), {
      workload: 'script',
      script,
    });
    return steps
      .filter(({ event }) => event === 'request')
      .map(({ time, site }) => `${time} request ${site}`);
  });
  // A site that is still busy asks when it has left; all others ask when the script says.
  for (const made of requests) {
    expect(made).toHaveLength(60);
    const asWritten = made.filter((line) => script.split('\n').includes(line));
    expect(asWritten.length).toBeGreaterThan(50);
  }
  const mean = script.split('\n').at(-1)!.split(' ')[0]!;
  expect(60 / Number(mean) / 5).toBeGreaterThan(0.0012);
  expect(60 / Number(mean) / 5).toBeLessThan(0.003);
});
