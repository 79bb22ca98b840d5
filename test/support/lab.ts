/** The built lab, served by `latchkey lab`, in Debian's Chromium. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumIsThere } from './chromium.ts';

export { chromiumIsThere };

const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

export interface Lab {
  readonly url: string;
  /** A page of its own profile at that address; what goes wrong in it is kept in `errors`. */
  open(hash: string, size?: Size): Promise<Page>;
  /** The same browser at an address that another process serves. */
  elsewhere(url: string): Lab;
  readonly errors: string[];
  close(): Promise<void>;
}

export interface Size {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: Theme;
}

export type Theme = 'light' | 'dark';

/** Served by `latchkey lab`; or by whatever serves that address. */
export async function startLab(served?: string): Promise<Lab> {
  const server =
    served === undefined
      ? spawn(process.execPath, ['bin/latchkey.js', 'lab', '--port', '0'])
      : undefined;
  const [url, browser] = await Promise.all([
    served ?? addressOf(server!),
    chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS }),
  ]);
  return labIn(browser, url, async () => {
    await browser.close();
    server?.kill('SIGINT');
  });
}

function labIn(browser: Browser, url: string, close: () => Promise<void>): Lab {
  const errors: string[] = [];
  return {
    url,
    errors,
    async open(hash, { width = 1280, height = 800, theme = 'light' } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        reducedMotion: 'reduce',
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      const page = await context.newPage();
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
      await page.goto(`${url}${hash}`);
      await until(page, 'globalThis.lab?.picture.value !== undefined');
      await untilDrawn(page);
      return page;
    },
    elsewhere: (other) => labIn(browser, other, async () => undefined),
    close,
  };
}

/** The names in the diagrams of the page that lie on a bar, a resting token, a step or another name, or do not fit the place that they have. */
export async function unreadableNames(page: Page): Promise<string[]> {
  const all =
    (await page.evaluate(`[...document.querySelectorAll('canvas.diagram')].map((canvas) => {
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = getComputedStyle(document.body).font.replace(/[\\d.]+px.*/, '12px system-ui');
    const { labels, bars, ribbons, dots } = canvas.scene;
    return { bars: [...bars, ...ribbons], dots: dots.map(({ x, y }) => ({ x, y, width: 0, height: 0 })), labels: labels.map((label) => ({ ...label, needs: pen.measureText(label.text).width })) };
  })`)) as {
      bars: Rect[];
      dots: Rect[];
      labels: (Rect & { readonly text: string; readonly needs: number })[];
    }[];
  const meet = (a: Rect, b: Rect) =>
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  return all.flatMap(({ labels, bars, dots }) =>
    labels
      .filter(
        (label, i) =>
          label.needs > label.width ||
          [...bars, ...dots, ...labels.slice(i + 1)].some((other) => meet(label, other)),
      )
      .map(({ text, x, y, width, needs }) => `${text} at ${x},${y}: ${width} wide, needs ${needs}`),
  );
}

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Megabytes that the process of the page has in memory: the page, its workers, and shared libraries. */
export async function memoryOf(page: Page): Promise<number> {
  const session = await page.context().browser()!.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))![1]));
  return Math.max(...sizes) / 1024;
}

/** Dark or light, as the system of the reader says from now on. */
export async function inTheme(page: Page, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await until(page, `document.documentElement.dataset.theme === '${theme}'`);
  await untilDrawn(page);
}

/** Pictures for people to look at. LATCHKEY_SHOTS=docs/lab makes those of the documentation anew. */
const SHOTS = process.env['LATCHKEY_SHOTS'] ?? join(tmpdir(), 'latchkey-lab-shots');

/** The page as it is, light and dark: NAME.png and NAME-dark.png; on a narrow screen NAME-narrow.png and so on. */
export async function shoot(
  page: Page,
  name: string,
  themes: readonly Theme[] = ['light', 'dark'],
): Promise<void> {
  mkdirSync(SHOTS, { recursive: true });
  const width = page.viewportSize()?.width ?? 0;
  for (const theme of themes) {
    await inTheme(page, theme);
    const suffix = `${width < 700 ? '-narrow' : ''}${theme === 'dark' ? '-dark' : ''}`;
    await page.screenshot({ path: join(SHOTS, `${name}${suffix}.png`) });
  }
}

/** What axe finds wrong in the page as it is, in the theme that it has. */
export async function faultsByAxe(page: Page): Promise<string[]> {
  // Colours that fade are measured where they end.
  await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))');
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
}

function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    server.stdout!.on('data', (chunk) => {
      text += chunk;
      const url = /http:\S+/.exec(text)?.[0];
      if (url !== undefined) resolve(url);
    });
    server.once('exit', (code) => reject(new Error(`latchkey lab ended with ${code}: ${text}`)));
  });
}

/** Waits until an expression holds in the page, whose policy allows no evaluation of its own. */
export async function until(page: Page, expression: string): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; await page.waitForTimeout(20)) {
    if (await page.evaluate(`Boolean(${expression})`)) return;
  }
  throw new Error(`it never came to be that ${expression}`);
}

/** Waits until the page has drawn the moment that it stands at. */
export async function untilDrawn(page: Page): Promise<void> {
  await until(
    page,
    "lab.view.value !== 'watch' || (lab.moment.value !== null && lab.moment.value.at >= lab.at.value && document.querySelector('canvas.diagram')?.scene !== undefined)",
  );
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  );
}

/** Another link, in the same page. */
export async function follow(page: Page, hash: string): Promise<void> {
  await page.evaluate(`(location.hash = ${JSON.stringify(hash)}, lab.open())`);
  await untilDrawn(page);
}

/** What is seen, as data: the marks of the first diagram, to a hundredth of a pixel. */
export const marksOf = (page: Page): Promise<string> =>
  page.evaluate(
    "JSON.stringify(document.querySelector('canvas.diagram').scene, (_, v) => (typeof v === 'number' ? Math.round(100 * v) / 100 : v))",
  );

/**
 * Where two pictures, as `marksOf` gives them, differ by more than a hundredth of a pixel. A link has times, and a
 * picture has positions: the way from one to the other and back rounds.
 */
export function differenceOf(one: string, other: string): string | undefined {
  const find = (a: unknown, b: unknown, at: string): string | undefined => {
    if (typeof a === 'number' && typeof b === 'number') {
      return Math.abs(a - b) < 0.0101 ? undefined : `${at}: ${a}, ${b}`;
    }
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
      return a === b ? undefined : `${at}: ${a}, ${b}`;
    }
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const found = find(a[key as never], b[key as never], `${at}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return find(JSON.parse(one), JSON.parse(other), 'picture');
}
