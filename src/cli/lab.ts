/** Serves the lab, which the build has put beside the program, to this machine alone. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { UsageError } from '../core/errors.ts';
import type { ExitCode } from './main.ts';
import { whole } from './values.ts';

const PORT = 7190;
const FOLDER = fileURLToPath(new URL('../lab', import.meta.url));

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Its own scripts, workers and styles, charts as images, and nothing from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** The worker that runs what a reader wrote: that code, and no network. */
const OWN_CODE = "default-src 'none'; script-src 'self' blob:";

const headersFor = (url: string) => ({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': url.endsWith('?own') ? OWN_CODE : POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
});

export function lab(answer: (code: ExitCode) => void): Command {
  return new Command('lab')
    .description('watch, break, compare and check the algorithms, in a browser')
    .option(
      '--port <p>',
      `where it is served (default: ${PORT}, or a free one)`,
      whole('--port', 0, 65_535),
    )
    .action(async ({ port }: { readonly port?: number }) => answer(await serve(port)));
}

async function serve(port: number | undefined): Promise<number> {
  if (!existsSync(join(FOLDER, 'index.html'))) {
    throw new UsageError('the lab is not built: run npm run build in the folder of the package');
  }
  const server = createServer(async (request, response) => {
    const { status, type, body } = await fileOf(request.method ?? 'GET', request.url ?? '/');
    response.writeHead(status, { ...headersFor(request.url ?? '/'), 'Content-Type': type });
    response.end(body);
  });
  const taken = await listen(server, port);
  process.stdout.write(`\nthe lab is at http://127.0.0.1:${taken}/\n\nCtrl-C stops it\n`);
  return new Promise((resolve) => {
    const stop = () => {
      server.close(() => resolve(0));
      server.closeAllConnections();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
}

/** A port that was asked for is that port or none; the usual one gives way to a free one. */
async function listen(server: Server, port: number | undefined): Promise<number> {
  const attempt = (at: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(at, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  try {
    await attempt(port ?? PORT);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw error;
    if (port !== undefined) {
      throw new UsageError(
        `port ${port} is taken by another program: name another, or leave --port out`,
      );
    }
    await attempt(0);
  }
  return (server.address() as AddressInfo).port;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
}

const plain = (status: number, body: string): Answer => ({ status, type: 'text/plain', body });

async function fileOf(method: string, url: string): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'only GET\n');
  const path = new URL(url, 'http://lab').pathname;
  const file = normalize(join(FOLDER, path === '/' ? 'index.html' : path));
  const type = TYPES[extname(file)];
  // Nothing outside the folder, and nothing that a build does not make.
  if (!file.startsWith(FOLDER + sep) || type === undefined) return plain(404, 'no such file\n');
  try {
    return { status: 200, type, body: await readFile(file) };
  } catch {
    return plain(404, 'no such file\n');
  }
}
