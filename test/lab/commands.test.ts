/** What the page shows is also a command of the shell, with the same numbers. */
import { spawnSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumIsThere, type Lab, startLab, until } from '../support/lab.ts';

/** What the command that the page copies prints with `--json`. */
async function answerOf<T>(page: Page): Promise<T> {
  await page.getByRole('button', { name: 'Copy as command' }).click();
  const command = (await page.evaluate('navigator.clipboard.readText()')) as string;
  const script = `latchkey() { "${process.execPath}" bin/latchkey.js "$@" --json; }\n${command}`;
  const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  expect(stdout, `${command}\n${stderr}`).not.toBe('');
  return JSON.parse(stdout) as T;
}

describe.skipIf(!chromiumIsThere)('the lab as commands (install chromium to run this)', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab();
  }, 60_000);
  afterAll(() => lab.close());

  test.each([
    '#v=1&n=5&entries=30&seed=7',
    '#v=1&a=maekawa&n=9&topology=grid&entries=30&load=saturated',
    '#v=1&a=majority&n=5&entries=30&break=12.crash.2',
    '#v=1&a=ricart-agrawala&n=3&load=script&script=0%200%0A5%202',
  ])('a run: %s', async (hash) => {
    const page = await lab.open(hash);
    const { entries, messages } = (await page.evaluate('lab.picture.value.loaded.figures')) as {
      entries: number;
      messages: number;
    };
    expect(await answerOf(page)).toMatchObject([{ entries, messages }]);
    expect(messages).toBeGreaterThan(3);
    await page.context().close();
  });

  test('a comparison: every row of its table', async () => {
    const page = await lab.open('#v=1&view=compare&n=5&with=raymond,ricart-agrawala,central');
    await page.locator('.figures-table tbody tr').nth(2).waitFor();
    const seen = (await page.evaluate(
      "[...document.querySelectorAll('.figures-table tbody tr')].map((row) => row.querySelector('.measure').textContent)",
    )) as string[];
    const answer = await answerOf<{ messagesPerEntry: number }[]>(page);
    expect(answer.map(({ messagesPerEntry }) => messagesPerEntry.toFixed(2))).toEqual(seen);
    await page.context().close();
  });

  test('a search: the same number of states, and the same verdict', async () => {
    const page = await lab.open('#v=1&view=check');
    await page.getByRole('button', { name: /Maekawa 1985: original/ }).click();
    await page.getByRole('heading', { name: 'Violated in 13 steps.' }).waitFor();
    await until(page, 'lab.search.value !== null');
    const seen = (await page.locator('.verdict').textContent())!;
    const answer = await answerOf<{ verdict: string; states: number }>(page);
    expect(answer.verdict).toBe('violated');
    expect(seen).toContain(`${answer.states.toLocaleString('en')} states`);
    await page.context().close();
  });
});
