/** Serves the lab, which the build has put beside the program, to this machine alone. */
import {
  createServer,
  get,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { Command } from 'commander';
import { UsageError } from '../core/errors.ts';
import { isLabBuilt, labFile } from '../daemon/lab-files.ts';
import { listen } from '../net/sockets.ts';
import type { ExitCode } from './main.ts';
import { whole } from './values.ts';

const PORT = 7190;

interface Flags {
  readonly port?: number;
  readonly live?: URL;
}

export function lab(answer: (code: ExitCode) => void): Command {
  return new Command('lab')
    .description('watch, break, compare and check the algorithms, in a browser')
    .option(
      '--port <p>',
      `where it is served (default: ${PORT}, or a free one)`,
      whole('--port', 0, 65_535),
    )
    .option('--live <url>', 'the page of a member, to watch its group as well', pageOf)
    .action(async (flags: Flags) => answer(await serve(flags)));
}

function pageOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:') return url;
  throw new UsageError(
    `--live takes the page of a member, as in http://127.0.0.1:7180/, got "${text}"`,
  );
}

async function serve({ port, live }: Flags): Promise<number> {
  if (!isLabBuilt()) {
    throw new UsageError('the lab is not built: run npm run build in the folder of the package');
  }
  const server = createServer((request, response) => void answerTo(request, response, live));
  const taken = await listenAt(server, port);
  const view = live === undefined ? '' : '#v=1&view=live';
  process.stdout.write(`\nthe lab is at http://127.0.0.1:${taken}/${view}\n\nCtrl-C stops it\n`);
  return new Promise((resolve) => {
    const stop = () => {
      server.close(() => resolve(0));
      server.closeAllConnections();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
}

async function answerTo(
  request: IncomingMessage,
  response: ServerResponse,
  live: URL | undefined,
): Promise<void> {
  const plain = (status: number, text: string) =>
    response.writeHead(status, { 'Content-Type': 'text/plain' }).end(text);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    plain(405, 'only GET\n');
    return;
  }
  const { pathname, search } = new URL(request.url ?? '/', 'http://lab');
  if (pathname === '/live' && live !== undefined) {
    if (isForThisMachine(request.headers.host)) forward(new URL(`live${search}`, live), response);
    else plain(421, 'the lab is known as localhost and by its address alone\n');
    return;
  }
  const { status, headers, body } = await labFile(pathname, search, live?.href);
  response.writeHead(status, headers).end(body);
}

/** A hostile web site may point a name of its own at this machine, and would then read the names of locks. */
function isForThisMachine(header: string | undefined): boolean {
  const host = header?.replace(/:\d+$/, '') ?? '';
  return host === 'localhost' || isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

/** The stream of a member comes through this server, so that the page needs no connection elsewhere. */
function forward(from: URL, response: ServerResponse): void {
  const source = get(from, (stream) => {
    response.writeHead(stream.statusCode ?? 502, {
      'Cache-Control': 'no-store',
      'Content-Type': stream.headers['content-type'] ?? 'text/plain',
    });
    stream.pipe(response);
  });
  source.on('error', ({ message }) => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502, { 'Content-Type': 'text/plain' }).end(`${message}\n`);
  });
  response.on('close', () => source.destroy());
}

/** A port that was asked for is that port or none; the usual one gives way to a free one. */
async function listenAt(server: Server, port: number | undefined): Promise<number> {
  const host = '127.0.0.1';
  try {
    await listen(server, `${host}:${port ?? PORT}`, { host, port: port ?? PORT });
  } catch (error) {
    const isTaken = ((error as Error).cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (!isTaken) throw new UsageError((error as Error).message, { cause: error });
    if (port !== undefined) {
      throw new UsageError(
        `port ${port} is taken by another program: name another, or leave --port out`,
      );
    }
    await listen(server, host, { host, port: 0 });
  }
  return (server.address() as AddressInfo).port;
}
