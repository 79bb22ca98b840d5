/** The live page in a browser: it follows what happens, and leaves people's hands where they are. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { chromiumIsThere, openPage, type Page } from '../support/chromium.ts';
import { daemonAlone } from '../support/daemon-alone.ts';
import { until } from '../support/program.ts';

let alone: Awaited<ReturnType<typeof daemonAlone>>;
let page: Page;

describe.skipIf(!chromiumIsThere)('in Chromium (needs chromium)', () => {
  beforeEach(async () => {
    alone = await daemonAlone({ dashboard: '127.0.0.1:0' });
    page = await openPage(alone.daemon.page!);
  });
  afterEach(async () => {
    page.close();
    await alone.close();
  });

  const shows = (text: string) => async () =>
    String(await page.evaluate('document.body.innerText')).includes(text);

  test('a lock that is taken appears, and goes, and nothing else moves', async () => {
    await until(shows('No process holds or waits for a lock'));
    await page.evaluate("document.querySelector('footer a').focus(); window.mark = 'kept'");
    const client = await connect({ socket: alone.socket, as: 'a visitor' });
    const held = await client.locks.acquire('<i>build</i>');
    await until(shows('<i>build</i>'));
    expect(await shows(String(held.fence))()).toBe(true);
    expect(await shows('a visitor')()).toBe(true);
    await held.release();
    await until(shows('No process holds or waits for a lock'));
    // The page was changed in place, not loaded again.
    expect(await page.evaluate('window.mark')).toBe('kept');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('status.json');
    await client.close();
  });

  test('when the daemon is gone, what is seen is said to be old', async () => {
    await until(shows('All 1 member in one view.'));
    expect(await page.evaluate("document.getElementById('stale').hidden")).toBe(true);
    await alone.daemon.close();
    await until(shows('This member does not answer'));
  });
});
