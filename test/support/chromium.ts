/** Debian's Chromium, without a window, spoken to over a pipe; no driver needed. */
import { spawn, spawnSync } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { install, waitForInstalls } from './install.ts';

const BROWSER = 'chromium';
const run = (command: string, args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;
const isThere = () => run(BROWSER, ['--version']);

waitForInstalls();
// With what it recommends: fonts.
if (!isThere()) install(BROWSER, '');
export const chromiumIsThere = isThere();

export interface Page {
  /** The value of an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  close(): void;
}

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe'];

export async function openPage(url: string): Promise<Page> {
  const browser = spawn(BROWSER, FLAGS, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const answers = new Map<number, (result: Record<string, unknown>) => void>();
  const [, , , to, from] = browser.stdio as unknown as [null, null, null, Writable, Readable];
  let number = 0;
  let heard = '';
  from.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = (heard + chunk).split('\0');
    heard = messages.pop()!;
    for (const text of messages) {
      const { id, result } = JSON.parse(text);
      answers.get(id)?.(result ?? {});
    }
  });
  const call = (method: string, params: object, sessionId?: string) =>
    new Promise<Record<string, unknown>>((resolve) => {
      answers.set(++number, resolve);
      to.write(`${JSON.stringify({ id: number, method, params, sessionId })}\0`);
    });
  const { targetId } = await call('Target.createTarget', { url });
  const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
  return {
    async evaluate(expression) {
      const params = { expression, returnByValue: true };
      const { result } = await call('Runtime.evaluate', params, sessionId as string);
      return (result as { value: unknown } | undefined)?.value;
    },
    close: () => browser.kill('SIGKILL'),
  };
}
