/**
 * The page, its JSON, /metrics and /healthz. Read-only, and by default for this machine alone: whoever can
 * reach it sees the names of all locks.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { missingOf } from '../member/status.ts';
import { formatAddress } from '../net/address.ts';
import { hostOf } from '../net/tcp.ts';
import { ListenError } from '../net/transport.ts';
import type { DaemonStatus } from './daemon.ts';
import { page, sections } from './page.ts';

export interface StatusSource {
  status(): Promise<DaemonStatus>;
  metrics(): Promise<string>;
  readonly metricsType: string;
}

const REFRESH_MS = 1_000;
const MOST_WATCHERS = 100;

/** Nothing from elsewhere, nothing that is not in the page itself. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

export class Dashboard {
  readonly #source: StatusSource;
  readonly #server: Server;
  readonly #watchers = new Set<ServerResponse>();
  readonly #host: string;
  #timer: NodeJS.Timeout | undefined;

  /** Port 0 takes a free one. */
  static async open(address: string, source: StatusSource): Promise<Dashboard> {
    const at = hostOf(address);
    const dashboard = new Dashboard(at.host, source);
    await new Promise<void>((resolve, reject) => {
      dashboard.#server.once('error', (cause) => reject(new ListenError(address, cause)));
      dashboard.#server.listen(at, resolve);
    });
    return dashboard;
  }

  private constructor(host: string, source: StatusSource) {
    this.#host = host;
    this.#source = source;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: Error) => {
        if (response.headersSent) response.destroy();
        else send(response, 500, 'text/plain', `${error.message}\n`);
      });
    });
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://${formatAddress(this.#host, port)}/`;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const watcher of this.#watchers) watcher.end();
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#isForUs(request.headers.host)) {
      return send(response, 421, 'text/plain', 'this page is not known under that name\n');
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return send(response, 405, 'text/plain', 'this page is read-only\n');
    }
    switch (request.url?.split('?')[0]) {
      case '/':
        return send(response, 200, 'text/html', page(await this.#source.status()));
      case '/status.json':
        return send(
          response,
          200,
          'application/json',
          `${JSON.stringify(await this.#source.status())}\n`,
        );
      case '/events':
        return this.#watch(response);
      case '/metrics':
        return send(response, 200, this.#source.metricsType, await this.#source.metrics());
      case '/healthz':
        return this.#health(response);
      default:
        return send(
          response,
          404,
          'text/plain',
          'there is /, /status.json, /metrics and /healthz\n',
        );
    }
  }

  /** Another site's page may have its own name point to this machine, and so read ours: not here. */
  #isForUs(host: string | undefined): boolean {
    if (!LOOPBACK.has(this.#host)) return true;
    return host !== undefined && LOOPBACK.has(host.replace(/:\d+$/, ''));
  }

  /** Of this process, not of others: that one is missing is said, and no reason to end the rest. */
  async #health(response: ServerResponse): Promise<void> {
    const status = await this.#source.status();
    const missing = missingOf(status);
    const without = missing.length === 0 ? '' : `, without ${missing.join(', ')}`;
    if (status.view === null) return send(response, 503, 'text/plain', `no view${without}\n`);
    send(response, 200, 'text/plain', `ok${without}\n`);
  }

  #watch(response: ServerResponse): void {
    if (this.#watchers.size >= MOST_WATCHERS) {
      send(response, 503, 'text/plain', 'too many watch this page\n');
      return;
    }
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream' });
    this.#watchers.add(response);
    response.on('close', () => {
      this.#watchers.delete(response);
      if (this.#watchers.size === 0) clearInterval(this.#timer);
    });
    if (this.#watchers.size === 1) this.#timer = setInterval(() => this.#show(), REFRESH_MS);
    this.#show();
  }

  #show(): void {
    this.#source.status().then(
      (status) => {
        const event = `data: ${JSON.stringify(sections(status))}\n\n`;
        for (const watcher of this.#watchers) {
          // Who does not keep up gets the next one.
          if (!watcher.writableNeedDrain) watcher.write(event);
        }
      },
      () => {},
    );
  }
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

function send(response: ServerResponse, status: number, type: string, text: string): void {
  const charset = type.includes('charset') ? type : `${type}; charset=utf-8`;
  response.writeHead(status, { ...HEADERS, 'Content-Type': charset });
  response.end(text);
}
