/** The lab in a real browser: what it shows is what the simulator does. */
import { execSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue, find } from '../../src/algorithms/catalogue.ts';
import { Random } from '../../src/core/random.ts';
import { Columns } from '../../src/sim/columns.ts';
import { makeWorld, openRun, simulate } from '../../src/sim/index.ts';
import { chromiumIsThere, type Lab, startLab, until, untilDrawn } from '../support/lab.ts';

const files = readdirSync('lab', { recursive: true, encoding: 'utf8' });

describe('the folder of the lab', () => {
  test('takes less than 180 kB gzipped, of which the first view loads 160, and the published rows of the papers 55 kB more', () => {
    const built = readdirSync('dist/lab', {
      recursive: true,
      encoding: 'utf8',
      withFileTypes: true,
    });
    const isData = (name: string) => name.startsWith('_virtual_papers');
    // The parser of TypeScript, with the numbers of its tokens, for the editor; and the view of the papers.
    const isLater = (name: string) => isData(name) || /^(parser|types|papers)-/.test(name);
    const bytes = (isCounted: (name: string) => boolean) =>
      built
        .filter((entry) => entry.isFile() && isCounted(entry.name))
        .map((entry) => gzipSync(readFileSync(join(entry.parentPath, entry.name))).length)
        .reduce((a, b) => a + b, 0);
    expect(bytes((name) => !isData(name))).toBeLessThan(180_000);
    expect(bytes((name) => !isLater(name))).toBeLessThan(160_000);
    expect(bytes(isData)).toBeLessThan(55_000);
  });

  test('names no algorithm outside stories, exercises and first choices', () => {
    const names = catalogue.map(({ id }) => id);
    const isAllowed = (file: string) => /^stories\/|exercises/.test(file);
    const naming = files
      .filter((file) => /\.tsx?$/.test(file) && !isAllowed(file))
      .filter((file) =>
        names.some((id) => readFileSync(join('lab', file), 'utf8').includes(`'${id}'`)),
      );
    expect(naming).toEqual([]);
  });
});

describe.skipIf(!chromiumIsThere)('the lab in Chromium (install chromium to run this)', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab();
  }, 60_000);
  afterAll(() => lab.close());

  test('shows the steps that simulate makes, for all algorithms and three seeds', async () => {
    const page = await lab.open('#v=1');
    for (const algorithm of catalogue) {
      for (const seed of [1, 2, 3]) {
        const seen = await page.evaluate(
          `(async () => {
            const spec = { ...lab.spec.value, algorithm: '${algorithm.id}', nodes: 5, entries: 12, seed: ${seed} };
            if (${seed} === 1) await lab.setSpec(spec);
            const { rows } = ${seed} === 1 ? lab.picture.value.loaded : await lab.engine.ask('run', spec);
            return [rows.time, rows.site, rows.event, rows.to].map((column) => column.join());
          })()`,
        );
        const columns = new Columns();
        const world = makeWorld(algorithm, { nodes: 5, seed });
        const { violations } = simulate(algorithm, world, {
          ...{ seed, entries: 12, delay: 'uniform:2,8', columns, maxEvents: 20_000 },
        });
        const [times, sites, events, receivers] = seen as [string, string, string, string];
        const count = (column: string) => column.split(',').length;
        const own = [columns.time, columns.site, columns.event].map((c) =>
          c.slice(0, count(times)).join(),
        );
        expect(
          [times, sites, events].map((column, i) => column === own[i]),
          algorithm.id,
        ).toEqual([true, true, true]);
        expect(columns.to.slice(0, count(receivers)).join() === receivers).toBe(true);
        if (violations.length > 0) continue; // of one that goes on in vain, all is idle at the end
        // Nothing that anybody wanted is left out: at most the idle rounds of a token at the end.
        expect(
          columns.event.slice(count(times), columns.steps).every((e) => e === 2 || e === 11),
        ).toBe(true);
      }
    }
  }, 240_000);

  test('goes to any step, back and forth: states and reasons for waiting are those of a run from the start', async () => {
    const page = await lab.open('#v=1&a=ricart-agrawala&n=5&load=saturated&entries=60');
    const algorithm = find('ricart-agrawala');
    const world = makeWorld(algorithm, { nodes: 5 });
    const random = new Random(9, 'seeks');
    const steps = (await page.evaluate('lab.steps.value')) as number;
    expect(steps).toBeGreaterThan(500);
    for (let i = 0; i < 200; i++) {
      const at = random.below(steps + 1);
      await page.evaluate(`lab.goTo(${at})`);
      await until(page, `lab.moment.value.at === ${at}`);
      const run = openRun(algorithm, world, {
        ...{ workload: 'saturated', entries: 60, delay: 'uniform:2,8' },
      });
      run.advance(at);
      const seen = (await page.evaluate(
        '(({ states, phases, waits }) => ({ states, phases, waits }))(lab.moment.value)',
      )) as { states: unknown; phases: unknown; waits: unknown };
      expect(seen.states).toEqual(run.states);
      expect(seen.phases).toEqual(run.phases);
      expect(seen.waits).toEqual(run.phases.map((_, site) => run.waits(site)));
    }
  }, 120_000);

  test('steps both ways, follows messages, and finds the next entry, by keys', async () => {
    const page = await lab.open('#v=1&at=20');
    const at = () => page.evaluate('lab.at.value') as Promise<number>;
    await page.keyboard.press('ArrowRight');
    expect(await at()).toBe(21);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await at()).toBe(19);
    await page.keyboard.press('n');
    expect(await page.evaluate('lab.picture.value.loaded.rows.enters[lab.at.value - 1]')).toBe(1);
    const arrived = await at();
    await page.keyboard.press('[');
    const sent = await at();
    expect(sent).toBeLessThan(arrived);
    await page.keyboard.press(']');
    expect(await at()).toBeGreaterThan(sent);
    await page.keyboard.press('0');
    const [from, to] = (await page.evaluate('lab.seen.value')) as [number, number];
    expect(to - from).toBeGreaterThan(
      (await page.evaluate('lab.picture.value.axis.length')) as number,
    );
  });

  test('the list of keys has the focus while it is open, and escape gives the focus back', async () => {
    const page = await lab.open('#v=1&at=20');
    await page.getByRole('button', { name: 'Keys' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('previous step of the same site').waitFor();
    await until(page, "document.activeElement.textContent === 'Close'");
    // The run behind it does not move.
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await until(page, "document.activeElement.ariaLabel === 'Keys'");
    expect(await page.evaluate('lab.at.value')).toBe(20);
    await page.context().close();
  });

  test('keys work from the slider too, and the step is told to screen readers', async () => {
    const page = await lab.open('#v=1&at=20');
    await page.getByRole('slider', { name: 'Step' }).focus();
    await page.keyboard.press('ArrowRight');
    await until(page, 'lab.at.value === 21');
    await page.keyboard.press('n');
    expect(await page.evaluate('lab.picture.value.loaded.rows.enters[lab.at.value - 1]')).toBe(1);
    await untilDrawn(page);
    const at = (await page.evaluate('lab.at.value')) as number;
    await page.locator('[aria-live]', { hasText: `Step ${at}: ` }).waitFor({ state: 'attached' });
    await until(
      page,
      `document.querySelector('canvas.diagram tr[aria-current]')?.firstChild.textContent === '${at}'`,
    );
    await page.context().close();
  });

  test('causes and effects of a step are lit by a key as by the mouse', async () => {
    const page = await lab.open('#v=1&at=20');
    const pixels = () =>
      page.evaluate("document.querySelector('canvas.diagram').toDataURL()") as Promise<string>;
    const before = await pixels();
    await page.keyboard.press('l');
    await untilDrawn(page);
    expect(await pixels()).not.toBe(before);
    await page.keyboard.press('l');
    await untilDrawn(page);
    expect(await pixels()).toBe(before);
    await page.context().close();
  });

  test('where a run goes wrong is marked, and zoomed out so are its longest waits', async () => {
    const scene = "document.querySelector('canvas.diagram').scene";
    const words = (page: Page) =>
      page.evaluate(`${scene}.labels.map(({ text }) => text)`) as Promise<string[]>;
    const script = encodeURIComponent('0 request 1\n2 request 2\n3 request 3');
    const lost = await lab.open(
      `#v=1&a=suzuki-kasami&n=4&load=script&script=${script}&delay=constant:5&break=5.lose.10`,
    );
    expect(await lost.evaluate('lab.picture.value.loaded.violation?.property')).toBe(
      'deadlock-freedom',
    );
    await lost.keyboard.press('0');
    await untilDrawn(lost);
    expect(await lost.evaluate(`${scene}.violation`)).toBeGreaterThan(64);
    expect(await words(lost)).toContain('deadlock');
    await lost.context().close();

    const long = await lab.open('#v=1&a=suzuki-kasami&n=8&load=saturated&entries=400');
    await long.keyboard.press('0');
    await untilDrawn(long);
    expect(await long.evaluate(`${scene}.detail`)).toBe('shares');
    expect(await long.evaluate(`${scene}.longWaits.length`)).toBe(3);
    const most = (await long.evaluate('lab.picture.value.loaded.figures.waitingMax')) as number;
    expect(await words(long)).toContain(`waits ${Number(most.toPrecision(3))}`);
    await long.context().close();
  });

  test('why a site waits, for all algorithms: at a thousand moments a cause that is there', async () => {
    const page = await lab.open('#v=1');
    for (const { id } of catalogue) {
      const { moments, untrue } = (await page.evaluate(`(async () => {
        const spec = { ...lab.spec.value, algorithm: '${id}', nodes: 5, rate: 0.05, entries: 600, seed: 7 };
        const isTrue = ({ phases, tokens, underWay, timers }, { kind, site, message, to, text }) => {
          if (/all others|everybody|every other/.test(text)) return false;
          if (kind === 'inside') return phases[site] === 'inside';
          if (kind === 'message') return underWay.some((m) => m.id === message && m.to === to);
          if (kind === 'token') return tokens.length > 0 ? tokens[site] > 0 : phases[site] !== 'inside';
          if (kind === 'earlier') return phases[site] === 'waiting';
          if (kind === 'timer') return timers.some((timer) => timer.site === site);
          return (kind === 'vote' || kind === 'defers') && phases[site] !== 'down';
        };
        const untrue = [];
        let moments = 0;
        for (let at = 3, last = -1; moments < 1000; at += 3) {
          const now = await lab.engine.ask('moment', { spec, at });
          if (now.at === last) break;
          last = now.at;
          now.waits.forEach((why, site) => {
            if ((now.phases[site] === 'waiting') !== why.length > 0) untrue.push({ at, site, why });
            if (now.phases[site] === 'waiting') moments++;
            untrue.push(...why.filter((reason) => !isTrue(now, reason)));
          });
        }
        return { moments, untrue: untrue.slice(0, 3) };
      })()`)) as { moments: number; untrue: unknown[] };
      expect(untrue, id).toEqual([]);
      expect(moments, id).toBeGreaterThanOrEqual(1000);
    }
    await page.context().close();
  }, 240_000);

  test('the first view loads the page, its styles, its scripts and one worker, and nothing else', async () => {
    const page = await lab.open('');
    const names = (await page.evaluate(
      "performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1).replace(/-.*[.]/, '.'))",
    )) as string[];
    expect([...new Set(names)].sort()).toEqual(['index.css', 'index.js', 'worker.js']);
    // No form at first: the picture, one sentence, and three things to do.
    expect(await page.getByLabel('seed').isVisible()).toBe(false);
    for (const name of ['Break it', 'Compare', 'Find a bug']) {
      expect(await page.locator('.ways').getByRole('button', { name }).isVisible()).toBe(true);
    }
    await page.context().close();
  });

  test('plays by itself, and pauses', async () => {
    const page = await lab.open('#v=1&at=3');
    await page.keyboard.press(' ');
    await until(page, 'lab.at.value > 6');
    await page.getByRole('button', { name: 'Pause' }).click();
    const at = await page.evaluate('lab.at.value');
    await page.waitForTimeout(300);
    expect(await page.evaluate('lab.at.value')).toBe(at);
  });

  test('played from its end, a run begins anew', async () => {
    const page = await lab.open('#v=1&at=240');
    expect(await page.evaluate('lab.at.value === lab.steps.value')).toBe(true);
    await page.keyboard.press(' ');
    await until(page, 'lab.at.value > 0 && lab.at.value < 100 && lab.isPlaying.value');
    await page.context().close();
  });

  test('a script of requests is written in the page, and is a command; a wrong line is told and stays', async () => {
    const page = await lab.open('#v=1&n=3');
    await page.getByLabel('load').selectOption('script');
    // It begins with the requests of the run.
    const field = page.getByLabel('Script', { exact: true });
    expect((await field.inputValue()).split('\n')).toHaveLength(40);
    const run = page.getByRole('button', { name: 'Run the script' });
    await field.fill('0 request 2\n5 request 7');
    await run.click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'line 2 of the script, "5 request 7": a site is a whole number' })
      .waitFor();
    expect(await field.inputValue()).toBe('0 request 2\n5 request 7');
    await field.fill('0 request 2 # 100 %\n5 request 1');
    await run.click();
    await until(page, "lab.problem.value === '' && lab.spec.value.script.includes('%')");
    await page.getByText('2 entries').waitFor();
    await page.getByRole('button', { name: 'Copy as command' }).click();
    const command = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(execSync(`${command.slice(0, command.indexOf(' |'))}`).toString()).toBe(
      '0 request 2 # 100 %\n5 request 1',
    );
    await page.context().close();
  });

  test('says why a site waits, and shows its state in the names of the paper', async () => {
    const page = await lab.open('#v=1&at=14&site=2');
    await page.getByText('2 waits: 6 is inside, one hop away, with the token.').waitFor();
    for (const name of ['HOLDER', 'USING', 'REQUEST_Q', 'ASKED']) {
      await page.getByRole('rowheader', { name, exact: true }).waitFor();
    }
  });

  test('a site of the structure is chosen by keys, and in a story it is only looked at', async () => {
    const page = await lab.open('#v=1&at=14');
    const node = page.locator('.structure').getByRole('button', { name: /^site 3, / });
    await node.focus();
    await until(page, "document.activeElement.getAttribute('aria-label')?.startsWith('site 3, ')");
    await page.keyboard.press('Enter');
    expect(await page.evaluate('lab.site.value')).toBe(3);
    await page.context().close();
    const story = await lab.open('#v=1&view=learn');
    await story.locator('.structure').waitFor();
    expect(await story.locator('.structure').getByRole('button').count()).toBe(0);
    await story.context().close();
  });

  test('what is seen is saved as SVG, with every mark of the canvas', async () => {
    const page = await lab.open('#v=1&at=14');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'SVG' }).click(),
    ]);
    const svg = readFileSync(await download.path(), 'utf8');
    const count = (tag: string) => svg.split(`<${tag} `).length - 1;
    const scene = (await page.evaluate("document.querySelector('canvas.diagram').scene")) as {
      [marks: string]: unknown[];
    };
    expect(count('circle')).toBe(scene['dots']!.length);
    expect(count('path')).toBeLessThanOrEqual(scene['arrows']!.length);
    expect(count('path')).toBeGreaterThan(10);
    expect(count('rect')).toBe(
      1 + scene['bars']!.length + scene['ribbons']!.length + scene['labels']!.length,
    );
    expect(svg).toContain('>PRIVILEGE<');
    // In print nothing stands beside it: it has the meaning of its colours in it.
    for (const word of ['inside', 'waits', 'REQUEST', 'PRIVILEGE']) {
      expect(svg, word).toMatch(new RegExp(`text-anchor="start">${word}<`));
    }
    await page.context().close();
  });

  test('the names of many lanes do not lie on each other in what is saved', async () => {
    const page = await lab.open('#v=1&a=ricart-agrawala&n=60&entries=10&at=30');
    const svg = (await page.evaluate("document.querySelector('canvas.diagram').asSvg()")) as string;
    const heights = [...svg.matchAll(/<text x="\d+" y="([\d.]+)"[^>]*>site \d+</g)]
      .map(([, y]) => Number(y))
      .sort((a, b) => a - b);
    expect(heights.length).toBeGreaterThan(10);
    for (const [i, y] of heights.slice(1).entries()) {
      expect(y - heights[i]!).toBeGreaterThanOrEqual(12);
    }
    await page.context().close();
  });

  test.each([
    ['#v=1&n=0', 'the number of nodes is a whole number from 1 to 10000000, got 0'],
    ['#v=1&n=1000000', 'the page draws up to 2,000 sites, got 1000000'],
    ['#v=1&delay=never', 'a delay is'],
    ['#v=1&a=raymont', 'there is no algorithm "raymont"'],
    ['#v=1&break=9999.crash.1', 'never made'],
    ['#v=1&load=script&script=nonsense', 'line 1 of the script'],
    ['#v=1&faults=nonsense', 'faults'],
    ['#v=1&break=12.lo', 'an intervention is as in 12.lose.7, got "12.lo"'],
    ['#v=1&a=raym', 'there is no algorithm "raym"'],
    ['#v=1&at=now', '"at" of the link: a number of 0 or more, got "now"'],
    ['#v=1&colour=red', '"colour" of the link: there is no such field'],
    ['#v=1&message=7', '"message" of the link: the number of a message and its receiver'],
    ['#v=1&message=7000.3', '"message" of the link: the run has no message 7000 to site 3'],
    ['#v=2', '"v" of the link: this page reads version 1, got "2"'],
  ])('%s: a sentence beside the field, and a run all the same', async (hash, sentence) => {
    const page = await lab.open(hash);
    await page.getByRole('alert').filter({ hasText: sentence }).first().waitFor();
    expect(await page.evaluate('lab.steps.value')).toBeGreaterThan(10);
    await page.context().close();
  });

  test('a mistake in a link does not push the timeline out of sight', async () => {
    const page = await lab.open('#v=1&colour=red&size=9');
    expect(await page.getByRole('alert').count()).toBe(2);
    const { y, height } = (await page.locator('.minimap').boundingBox())!;
    expect(y + height).toBeLessThanOrEqual(800);
    await page.context().close();
  });

  test('a run that takes long says so, and is stopped; the last one stays, and the next one runs', async () => {
    const page = await lab.open('#v=1&at=5');
    await page.evaluate(
      "void lab.setSpec({ ...lab.spec.value, algorithm: 'relative-consensus-voting', topology: '', nodes: 300, entries: 100000 })",
    );
    await page.getByRole('status').filter({ hasText: 'running …' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('alert').filter({ hasText: 'the run was stopped' }).waitFor();
    expect(await page.evaluate('[lab.spec.value.algorithm, lab.at.value]')).toEqual(['raymond', 5]);
    await page.getByRole('spinbutton', { name: 'sites' }).fill('3');
    await page.getByRole('spinbutton', { name: 'sites' }).press('Enter');
    await until(page, "lab.spec.value.nodes === 3 && lab.problem.value === ''");
    expect(await page.locator('.progress').count()).toBe(0);
    await page.context().close();
  });

  test('an engine that dies in the middle of a run says so, and how to go on', async () => {
    const page = await lab.open('#v=1&at=5');
    await page.evaluate(
      "lab.engine.stop('the engine of the page stopped: reload the page, or change the run'), void lab.setSpec({ ...lab.spec.value, entries: 50000 }), lab.engine.stop('the engine of the page stopped: reload the page, or change the run')",
    );
    await page.getByRole('alert').filter({ hasText: 'the engine of the page stopped' }).waitFor();
    await page.context().close();
  });

  test('an engine that dies is started anew by the next change', async () => {
    const page = await lab.open('#v=1&at=5');
    await page.evaluate("lab.engine.stop('the engine was killed')");
    await page.keyboard.press('ArrowRight');
    await until(page, 'lab.moment.value.at === 6');
    await page.getByLabel('seed').fill('4');
    await page.getByLabel('seed').press('Enter');
    await until(page, 'lab.spec.value.seed === 4');
    await untilDrawn(page);
  });

  test('nothing went wrong in any page', () => {
    expect(lab.errors).toEqual([]);
  });
});
