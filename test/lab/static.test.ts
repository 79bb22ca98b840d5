/** The built folder on a host that serves files and knows nothing else: in a folder of its own, without a policy, offline. */
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumIsThere, type Lab, startLab, until } from '../support/lab.ts';

const FOLDER = '/some/where/';
const TYPES: { readonly [extension: string]: string } = {
  ...{ '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' },
};

describe.skipIf(!chromiumIsThere)('the lab on a static host (install chromium to run this)', () => {
  let server: Server;
  let lab: Lab;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url!, 'http://host');
      const name = pathname.slice(FOLDER.length) || 'index.html';
      if (!pathname.startsWith(FOLDER)) response.writeHead(404).end();
      else {
        readFile(join('dist/lab', name)).then(
          (file) => response.writeHead(200, { 'Content-Type': TYPES[extname(name)]! }).end(file),
          () => response.writeHead(404).end(),
        );
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    lab = await startLab(`http://127.0.0.1:${port}${FOLDER}`);
  }, 60_000);
  afterAll(async () => {
    await lab?.close();
    server.close();
  });

  test('every view works, and nothing is asked of any other host', async () => {
    const page = await lab.open('');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.reload();
    const views = page.getByRole('navigation', { name: 'Views' });
    const goTo = (name: string) => views.getByRole('button', { name, exact: true }).click();
    await until(page, "document.querySelector('canvas.diagram')?.scene?.arrows.length > 10");
    await goTo('Learn');
    await page.getByRole('button', { name: 'Next' }).click();
    await goTo('Compare');
    await page.locator('.figures-table tbody tr').nth(3).waitFor();
    await goTo('Find a bug');
    await page.getByRole('button', { name: /Maekawa 1985: original/ }).click();
    await page.getByRole('heading', { name: 'Violated in 13 steps.' }).waitFor();
    await goTo('Papers');
    await page.locator('.row-head').first().waitFor();
    await goTo('Write your own');
    await page.getByRole('button', { name: 'Check it' }).click();
    await page.getByRole('heading', { name: /^Violated in \d+ steps/ }).waitFor();
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter((url) => !url.startsWith(lab.url) && !/^(blob|data):/.test(url))).toEqual(
      [],
    );
    expect(lab.errors).toEqual([]);
    // A group is shown only by a member of it.
    await goTo('Live');
    await page.getByText('No member serves this page.').waitFor();
    await page.context().close();
  }, 90_000);
});
