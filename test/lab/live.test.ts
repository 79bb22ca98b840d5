/** A running group in the lab: three processes, watched through the page of one of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INSIDE, Picture } from '../../lab/diagram/picture.ts';
import { live } from '../../lab/engine/live.ts';
import type { Seen } from '../../lab/engine/protocol.ts';
import { type Absence, LiveRun } from '../../lab/live/merge.ts';
import { type Stall, stallsAfter } from '../../lab/model/stalls.ts';
import { connect } from '../../src/client/connect.ts';
import type { LiveFrame, LiveStep, LiveSteps } from '../../src/daemon/live-protocol.ts';
import {
  chromiumIsThere,
  faultsByAxe,
  type Lab,
  shoot,
  startLab,
  unreadableNames,
  untilDrawn,
  until as untilInPage,
} from '../support/lab.ts';
import { killTheRest, latchkey, type Run } from '../support/program.ts';

const FRAME: LiveFrame = {
  ...{ name: 'x', permits: 0, epoch: 7, algorithm: 'raymond', nodes: 2, k: 1, options: {} },
  ...{ topology: { kind: 'complete' }, members: ['a', 'b'] },
};
const step = (at: number, site: number, more: Partial<LiveStep> = {}): LiveStep => ({
  ...{ at, site, event: 'timer', phase: 0, enters: false, tokens: 0, state: {}, sends: [] },
  ...{ grants: [], ...more },
});
const sending = (id: number, to: number) => ({ sends: [{ to, id, message: { type: 'REQUEST' } }] });
const receiving = (id: number, from: number) => ({ event: 'deliver' as const, id, from });
const none = { entries: 0 };

describe('steps of several members', () => {
  test('are put into one order, although the clock of one is five seconds ahead', () => {
    const run = new LiveRun(FRAME, 'a');
    const ahead = 5_000;
    run.add({
      ...{ member: 'a', epoch: 7, left: none },
      steps: [step(100, 0, sending(1, 1)), step(104, 0, receiving(2, 1)), step(110, 0)],
    });
    run.add({
      ...{ member: 'b', epoch: 7, left: none },
      steps: [step(ahead + 102, 1, { ...receiving(1, 0), ...sending(2, 0) }), step(ahead + 106, 1)],
    });
    const { steps: merged } = run.merged();
    expect(merged.map(({ member }) => member)).toEqual(['a', 'b', 'a', 'b', 'a']);
    expect(merged.map(({ at }) => Math.round(at))).toEqual([100, 102, 104, 106, 110]);
  });

  test('no message arrives before it was sent, whatever the clocks say', () => {
    const run = new LiveRun(FRAME, 'a');
    const steps = (member: string, all: LiveStep[]) =>
      run.add({ member, epoch: 7, left: none, steps: all });
    steps('b', [step(50, 1, receiving(1, 0)), step(60, 1)]);
    steps('a', [step(90, 0, sending(1, 1))]);
    expect(run.merged().steps.map(({ member, at }) => [member, at])).toEqual([
      ...[['a', 90] as const, ['b', 90] as const, ['b', 90] as const],
    ]);
  });

  test('messages of two views are not taken for each other', () => {
    const run = new LiveRun(FRAME, 'a');
    run.add({ member: 'a', epoch: 7, left: none, steps: [step(10, 0, sending(1, 1))] });
    run.add({ member: 'b', epoch: 8, left: none, steps: [step(5, 1, receiving(1, 0))] });
    expect(run.merged().steps.map(({ member }) => member)).toEqual(['b', 'a']);
  });
});

describe('what members tell at different times', () => {
  const inside = { phase: 2 as const, enters: true, tokens: 1 };
  const seenOf = (steps: readonly LiveSteps[], absences: readonly Absence[] = [], now = 1_000) => {
    // Another frame first: the module keeps the lock that it was last asked about.
    const other = { ...FRAME, name: `${Math.random()}` };
    live({ ...{ frame: other, self: 'a', steps: [], absences: [], at: -1, now: 0 } });
    return live({ ...{ frame: null, self: 'a', steps, absences, at: -1, now } })!;
  };
  /** Pairs of bars of different sites that are inside at the same time. */
  const bothInside = ({ run }: Seen): number => {
    const bars = new Picture(run).bars.flatMap(({ from, to, kind }, site) =>
      [...from].flatMap((f, i) => (kind[i] === INSIDE ? [{ site, from: f, to: to[i]! }] : [])),
    );
    return bars.filter((a) => bars.some((b) => a.site < b.site && a.from < b.to && b.from < a.to))
      .length;
  };
  test('a reader who stands at a step stays at it, however much happens meanwhile', () => {
    const own = (first: number) => ({
      ...{ member: 'a', epoch: 7, left: none },
      steps: Array.from({ length: 3_000 }, (_, i) => step(first + i / 100, 0)),
    });
    seenOf([own(100)]);
    const ask = { frame: null, self: 'a', absences: [], now: 1_000 };
    const before = live({ ...ask, steps: [], at: 10 })!.moment;
    expect(live({ ...ask, steps: [own(200)], at: 10 })!.moment.time).toBe(before.time);
    expect(live({ ...ask, steps: [], at: -1 })!.moment.time).toBeGreaterThan(200);
  });

  const told: readonly LiveSteps[] = [
    { member: 'a', epoch: 7, left: none, pausedAt: 104, steps: [step(100, 0, inside)] },
    // The exit of a at 105 is left out. b enters, and leaves at 130.
    {
      ...{ member: 'b', epoch: 7, left: none },
      steps: [step(100, 1), step(110, 1, inside), step(130, 1)],
    },
  ];
  const resumed: LiveSteps = {
    ...{ member: 'a', epoch: 7, left: { entries: 4 } },
    steps: [step(200, 0, { event: 'start' }), step(210, 0, inside), step(220, 0)],
  };

  test('steps are shown once all members have had the time to tell theirs', () => {
    // At 115 the page has heard b enter at 110; what a did since 104 is still on its way.
    const [, b] = told as [LiveSteps, LiveSteps];
    const a = { ...told[0]!, pausedAt: undefined };
    expect(seenOf([a, b], [], 105).moment.phases).toEqual(['inside', 'idle']);
    const exit = { ...a, steps: [...a.steps, step(105, 0)] };
    expect(seenOf([exit, b], [], 120).moment.phases).toEqual(['idle', 'inside']);
  });

  test('a member that reaches the limit is not shown inside beside the site that enters after its exit', () => {
    for (const all of [told, [...told, resumed]]) expect(bothInside(seenOf(all))).toBe(0);
  });

  test('a member that reaches the limit leaves a gap until it tells its steps again, and no entry is forgotten', () => {
    const now = seenOf(told);
    expect(now.isInGap).toBe(true);
    expect(now.run.gaps).toHaveLength(1);
    const later = seenOf([...told, resumed]);
    expect(later.isInGap).toBe(false);
    expect(later.run.figures.entries).toBe(2);
    // Four that a counted, and the entry of b within the gap.
    expect(later.left).toBe(5);
    expect(later.moment.phases).toEqual(['idle', 'idle']);
  });

  test('a gap ends when its member dies, and where its end is told with its beginning', () => {
    const dead = seenOf(told, [{ member: 'a', at: 140, isAway: true }]);
    expect(dead.isInGap).toBe(false);
    // The limit was reached just before the second began anew: both come at once.
    const together = seenOf([{ ...resumed, pausedAt: 190 }]);
    expect([together.isInGap, together.run.gaps!.length]).toEqual([false, 1]);
  });
});

test('a stall names the holders of that lock, and not the holders of a semaphore of the same name; also when it has ended', () => {
  const of = (clientId: string, permits: number) => ({
    ...{ name: 'x', permits, mode: 'exclusive' as const, member: 'a', clientId, forMs: 2_000 },
  });
  const held = [of('holder', 0), of('other', 3)];
  let stalls = stallsAfter([], [of('waiter', 0)], 10_000, held);
  expect(stalls.map(({ waitsFor }) => waitsFor)).toEqual([['holder']]);
  stalls = stallsAfter(stalls, [], 11_000, []);
  expect(stalls.map(({ until, waitsFor }) => [until, waitsFor])).toEqual([[11_000, ['holder']]]);
});

test('a stall that has ended stays in the list, below the stalls that last', () => {
  const pending = (clientId: string, forMs: number) => ({
    ...{ name: 'x', permits: 0, mode: 'exclusive' as const, member: 'a', clientId, forMs },
  });
  let stalls: readonly Stall[] = stallsAfter([], [pending('first', 900)], 10_000);
  expect(stalls).toEqual([]);
  stalls = stallsAfter(stalls, [pending('first', 1_900), pending('second', 1_200)], 11_000);
  stalls = stallsAfter(stalls, [pending('second', 2_200)], 12_000);
  expect(stalls.map(({ clientId, until, forMs }) => [clientId, until, forMs])).toEqual([
    ['second', null, 2_200],
    ['first', 12_000, 2_900],
  ]);
});

test('one wait is one line, though surveys are up to a second old; a shorter one of the same caller is another', () => {
  const pending = (forMs: number) => ({
    ...{ name: 'x', permits: 0, mode: 'exclusive' as const, member: 'a', clientId: 'first', forMs },
  });
  const told = [1_500, 3_500, 3_600, 1_100];
  let stalls: readonly Stall[] = [];
  told.forEach((forMs, i) => {
    stalls = stallsAfter(stalls, [pending(forMs)], 10_000 + 1_000 * i);
    if (i < 3) expect(stalls.map(({ until }) => until)).toEqual([null]);
  });
  expect(stalls.map(({ forMs, until }) => [forMs, until])).toEqual([
    [1_100, null],
    [4_500, 13_000],
  ]);
});

describe.skipIf(!chromiumIsThere)('a group in Chromium (install chromium to run this)', () => {
  let folder: string;
  let up: Run;
  let address: string;
  let lab: Lab;
  const socket = (member: string) => join(folder, 'latchkey', 'latchkey', `${member}.sock`);
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-'));
    up = latchkey(['up', '--port', '0'], { XDG_RUNTIME_DIR: folder });
    const [, page] = await up.says(/page +(http:\S+)/);
    await up.says(/lab +http:\S+\/lab\//);
    await up.says(/Ctrl-C stops/);
    address = page!;
    lab = await startLab(`${address}lab/`);
  }, 60_000);
  afterAll(async () => {
    await lab?.close();
    killTheRest();
    rmSync(folder, { recursive: true, force: true });
  });
  const holder = (page: Page) =>
    page.evaluate(
      'lab.live.seen.value?.moment.phases.map((phase, site) => phase === "inside" ? lab.live.seen.value.picture.loaded.names[site] : "").join("")',
    ) as Promise<string>;
  const watch = (query: string) => lab.open(`#v=1&view=live${query}`);

  test('the first address that latchkey up prints is the lab, one click away from the group and its dashboard', async () => {
    const [printed] = /http:\S+/.exec(up.out.stdout)!;
    const page = await lab.elsewhere(printed).open('');
    // The laboratory: a run with its structure and a sentence, and no form to fill in.
    await page.locator('.ways').getByRole('button', { name: 'Break it' }).waitFor();
    await page.locator('.structure').waitFor();
    await shoot(page, 'start');
    const views = page.getByRole('navigation', { name: 'Views' });
    await views.getByRole('button', { name: 'Live', exact: true }).click();
    await page.getByText('seen by a: all 3 members in one view').waitFor();
    await views.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByText('All 3 members in one view.').waitFor();
    expect(page.url()).toBe(address);
    await page.context().close();
  });

  test('the page of the member leads to the lab, by clicks', async () => {
    const page = await watch('');
    await page.goto(address);
    await page.getByRole('link', { name: 'Watch this group live' }).click();
    await page.getByText('seen by a: all 3 members in one view').waitFor();
    await page.goto(address);
    await page.getByRole('link', { name: /^The lab/ }).click();
    await page.locator('.ways').waitFor();
    await page.context().close();
  });

  test("a teacher's five minutes begin at the address that npm start prints first", async () => {
    const page = await watch('');
    await page.goto(/http:\S+/.exec(up.out.stdout)![0]);
    await page.locator('.ways').getByRole('button', { name: 'Find a bug' }).click();
    await page.getByRole('button', { name: /Maekawa 1985: original/ }).click();
    await page.getByRole('heading', { name: 'Violated in 13 steps.' }).waitFor();
    await page.getByText('Deadlock: 0, 1 and 2 wait').waitFor();
    await page.getByRole('button', { name: 'Search the corrected one' }).click();
    await page.getByRole('heading', { name: /^Proved for this number of sites/ }).waitFor();
    await page.context().close();
  }, 60_000);

  test('a lock that is handed over is seen to move, with the messages between all three members', async () => {
    const page = await watch('&lock=0,build');
    await untilInPage(page, 'lab.live.seen.value !== null');
    const clients = await Promise.all(['a', 'b', 'c'].map((m) => connect({ socket: socket(m) })));
    for (const round of [1, 2]) {
      for (const [i, client] of clients.entries()) {
        const held = await client.locks.acquire('build');
        for (const end = Date.now() + 20_000; (await holder(page)) !== 'abc'[i]; ) {
          if (Date.now() > end) throw new Error(`round ${round}: ${'abc'[i]} is never inside`);
          await page.waitForTimeout(20);
        }
        held.release();
      }
    }
    const { sites, links, late } = (await page.evaluate(
      '(({ rows }) => ({ sites: [...new Set(rows.site)].filter((s) => s >= 0).length, links: new Set([...rows.from].map((f, i) => 100 * f + rows.to[i])).size, late: [...rows.endedAt].filter((e, i) => e >= 0 && e < rows.sentAt[i]).length }))(lab.live.seen.value.picture.loaded)',
    )) as { sites: number; links: number; late: number };
    // Every site has stepped, and messages have gone between others than the member of the page.
    expect(sites).toBe(3);
    expect(links).toBeGreaterThanOrEqual(4);
    expect(late).toBe(0);
    await Promise.all(clients.map((client) => client.close()));
  }, 60_000);

  test('a wait names its cause, in the list and in the picture, and stays when it has ended', async () => {
    const page = await watch('&lock=0,stalled');
    const [holds, waits] = await Promise.all(
      ['a', 'b'].map((m) => connect({ socket: socket(m), as: `at-${m}` })),
    );
    await untilInPage(page, 'lab.live.seen.value !== null');
    for (let i = 0; i < 4; i++) {
      for (const client of [holds!, waits!]) {
        await client.locks.request('stalled', () => new Promise((done) => setTimeout(done, 30)));
      }
    }
    const held = await holds!.locks.acquire('stalled');
    const waiting = waits!.locks.acquire('stalled');
    const row = page.getByRole('region', { name: 'Longest waits' }).getByRole('row');
    await row.filter({ hasText: 'at-b' }).filter({ hasText: 'at-a' }).waitFor();
    // The list of locks has the queue of each.
    const locks = page.getByRole('region', { name: 'Locks' }).getByRole('row');
    await locks.filter({ hasText: /stalled.*at-a.*1: .*at-b/ }).waitFor();
    await page.getByText(/^\d \(b\) waits: \d \(a\) is inside/).waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await shoot(page, 'live');
    }
    held.release();
    (await waiting).release();
    await row.filter({ hasText: 'at-b' }).filter({ hasText: 'ended' }).waitFor();
    await Promise.all([holds!.close(), waits!.close()]);
  }, 60_000);

  test('messages of a busy moment have names that can be read, wide and narrow', async () => {
    const page = await watch('&lock=0,crowd');
    await untilInPage(page, 'lab.live.seen.value?.moment.states.every((state) => state !== null)');
    const clients = await Promise.all(['a', 'b', 'c'].map((m) => connect({ socket: socket(m) })));
    // Every picture of the exclusive lock, as it comes: how often two sites are inside at once.
    await page.evaluate(
      "(together = 0, lab.live.seen.subscribe((now) => { if (now?.moment.phases.filter((phase) => phase === 'inside').length > 1) together++; }), 0)",
    );
    const short = () => new Promise<void>((done) => setTimeout(done, 2));
    for (let round = 0; round < 5; round++) {
      await new Promise((done) => setTimeout(done, 70));
      await Promise.all(clients.map((client) => client.locks.request('crowd', short)));
    }
    await untilInPage(page, 'lab.live.seen.value.picture.loaded.figures.entries === 15');
    expect(await page.evaluate('globalThis.together')).toBe(0);
    let names = 0;
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await untilInPage(page, `document.querySelector('canvas.diagram').clientWidth <= ${width}`);
      await page.locator('canvas.diagram').hover();
      // The newest steps; then all of them, and few: the names are placed anew at every zoom.
      for (const turn of [0, 90, 90, 90, -120, -120, -120, -120, -120]) {
        await page.mouse.wheel(0, turn);
        await untilDrawn(page);
        expect(await unreadableNames(page), `at ${width}, after ${turn}`).toEqual([]);
        names += (await page.evaluate(
          "document.querySelector('canvas.diagram').scene.labels.length",
        )) as number;
      }
    }
    expect(names).toBeGreaterThan(30);
    await Promise.all(clients.map((client) => client.close()));
    await page.context().close();
  }, 60_000);

  test('one goes back through the last minutes, and returns to the present', async () => {
    const page = await watch('&lock=0,history');
    // All three members tell their steps.
    await untilInPage(page, 'lab.live.seen.value?.moment.states.every((state) => state !== null)');
    // In turns: a lock that one client takes again and again is lent to it, and the group has no part in that.
    const clients = await Promise.all(['a', 'b', 'c'].map((m) => connect({ socket: socket(m) })));
    for (const client of [...clients, ...clients]) {
      await client.locks.request('history', async () => {});
    }
    await untilInPage(page, 'lab.live.seen.value?.picture.loaded.figures.entries === 6');
    // The present is at the right edge of the picture.
    const stepsSeen = async () =>
      (await page.evaluate(
        "(({ dots }) => dots.map(({ step }) => step))(document.querySelector('canvas.diagram').scene)",
      )) as number[];
    const { width } = (await page.locator('canvas.diagram').boundingBox())!;
    await untilInPage(
      page,
      `Math.max(...document.querySelector('canvas.diagram').scene.dots.map(({ x }) => x)) > ${0.5 * width}`,
    );
    await page.locator('canvas.diagram').hover();
    for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -120);
    await page.getByLabel('Step of the lock').fill('3');
    await untilInPage(page, 'lab.live.seen.value.moment.at === 3');
    await untilDrawn(page);
    // Wherever the window was, the step that was chosen is in it.
    expect(await stepsSeen()).toContain(2);
    await page.getByRole('button', { name: 'Now' }).click();
    await untilInPage(page, 'lab.live.seen.value.moment.at > 3');
    await Promise.all(clients.map((client) => client.close()));
  }, 60_000);

  test('of a busy lock, seconds whose steps are no longer kept still have their entries, by member', async () => {
    const page = await watch('&lock=0,saturated');
    await untilInPage(page, 'lab.live.seen.value?.moment.states.every((state) => state !== null)');
    const clients = await Promise.all(['a', 'b', 'c'].map((m) => connect({ socket: socket(m) })));
    let isOver = false;
    // More steps than members tell, and yet some time for Chromium.
    const loops = clients.map(async ({ locks }) => {
      while (!isOver) await locks.request('saturated', () => sleep(2));
    });
    try {
      // Until the first busy second lies outside the frame of what is kept in full.
      const oldest =
        '(({ since, picture }) => since + picture.loaded.rows.time[0])(lab.live.seen.value)';
      const forgotten = `lab.live.seconds.value.filter(({ number, entries }) => entries.size === 3 && 1000 * (number + 1) < ${oldest})`;
      await untilInPage(page, `${forgotten}.length > 0`);
      const second = (await page.evaluate(`${forgotten}[0].number`)) as number;
      await page.getByLabel('Second of the history').fill(`${second}`);
      const history = page.getByRole('region', { name: 'History of the lock, by second' });
      await history
        .getByText(/ [1-9][\d,]* entries \(a [1-9][\d,]*, b [1-9][\d,]*, c [1-9]/)
        .waitFor();
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await untilDrawn(page);
        await history.scrollIntoViewIfNeeded();
        await shoot(page, 'live-history');
      }
    } finally {
      isOver = true;
    }
    await Promise.all(loops);
    await Promise.all(clients.map((client) => client.close()));
    await page.context().close();
  }, 60_000);

  test('axe finds nothing wrong, wide and narrow, and nothing is wider than the screen', async () => {
    const page = await watch('&lock=0,build');
    await untilInPage(page, 'lab.live.seen.value !== null');
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await untilInPage(page, `document.querySelector('canvas.diagram').clientWidth <= ${width}`);
      await untilDrawn(page);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(await faultsByAxe(page)).toEqual([]);
    }
    await page.context().close();
  }, 60_000);

  test('through latchkey lab --live it is the same group', async () => {
    const served = latchkey(['lab', '--port', '0', '--live', address], {});
    const [url] = await served.says(/http:\S+/);
    const other = lab.elsewhere(url!.split('#')[0]!);
    const page = await other.open('#v=1&view=live');
    await page.getByText('seen by a: all 3 members in one view').waitFor();
    const dashboard = page.getByRole('link', { name: 'Dashboard' });
    expect(await dashboard.getAttribute('href')).toBe(address);
    expect(other.errors).toEqual([]);
    await page.context().close();
  }, 60_000);

  test('without a member the page says how to get one', async () => {
    const served = latchkey(['lab', '--port', '0'], {});
    const [url] = await served.says(/http:\S+/);
    const other = lab.elsewhere(url!);
    const page = await other.open('#v=1&view=live');
    await page.getByText('No member serves this page.').waitFor();
    expect(await page.getByRole('link', { name: 'Dashboard' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Copy as command' }).count()).toBe(0);
    await page.context().close();
  }, 60_000);

  test('nothing went wrong in any page', () => {
    expect(lab.errors).toEqual([]);
  });

  // The last one: it kills a member.
  test('a member that is killed is shown as away, in words and in the picture, and so is its return', async () => {
    const page = await watch('&lock=0,build');
    await untilInPage(page, 'lab.live.seen.value !== null');
    const status = JSON.parse(
      (await latchkey(['status', '--json', '--socket', socket('c')], {}).end).stdout,
    ) as { pid: number };
    process.kill(status.pid, 'SIGKILL');
    await page.getByText('c does not answer').first().waitFor();
    await untilInPage(page, "lab.live.seen.value.moment.phases.includes('down')");
    latchkey(['node', '--config', join(folder, 'latchkey', 'latchkey', 'c.yaml')], {});
    await page.getByText('all 3 members in one view').waitFor();
    await untilInPage(page, "!lab.live.seen.value.moment.phases.includes('down')");
  }, 60_000);
});
