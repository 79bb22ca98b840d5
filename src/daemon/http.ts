/**
 * The page, its JSON, /metrics and /healthz. Read-only, and by default for this machine alone: all users who can
 * reach it see the names of all locks.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import type { MemberStatus } from '../member/status.ts';
import { formatAddress } from '../net/address.ts';
import { listen } from '../net/sockets.ts';
import { hostOf } from '../net/tcp.ts';
import { AddressLimit } from './address-limit.ts';
import { isLabBuilt, labFile } from './lab-files.ts';
import { type LiveSource, LiveStreams } from './live-streams.ts';
import { page, sections } from './page.ts';
import type { DaemonStatus } from './status.ts';

export interface StatusSource extends LiveSource {
  /** What this member knows by itself: for probes, which must not wait for other members. */
  member(): MemberStatus;
  /** A survey of the group as it is now. */
  status(): Promise<DaemonStatus>;
  /** The same, up to a second old: all browsers share it. */
  recentStatus(): Promise<DaemonStatus>;
  metrics(): Promise<string>;
  readonly metricsType: string;
}

const REFRESH_MS = 1_000;
const MAX_WATCHERS = 100;
const MAX_CONNECTIONS = 256;
/** The most connections of one address: more than the streams of the page, and half of all, so that others find room. */
const MAX_CONNECTIONS_PER_ADDRESS = 128;
const HEADERS_MS = 5_000;
const REQUEST_MS = 10_000;

/** The page loads nothing from elsewhere. */
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
  readonly #live: LiveStreams;
  readonly #host: string;
  readonly #hosts: ReadonlySet<string>;
  #timer: NodeJS.Timeout | undefined;

  /** Port 0 takes a free one. */
  static async open(
    address: string,
    hosts: readonly string[],
    source: StatusSource,
  ): Promise<Dashboard> {
    const at = hostOf(address);
    const dashboard = new Dashboard(at.host, hosts, source);
    await listen(dashboard.#server, address, at);
    return dashboard;
  }

  private constructor(host: string, hosts: readonly string[], source: StatusSource) {
    this.#host = host;
    this.#hosts = new Set(['localhost', host, ...hosts].map((name) => name.toLowerCase()));
    this.#source = source;
    this.#live = new LiveStreams(source);
    const limits = { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS };
    this.#server = createServer(limits, (request, response) => {
      this.#answer(request, response).catch((error: Error) => {
        if (response.headersSent) response.destroy();
        else send(response, 500, 'text/plain', `${error.message}\n`);
      });
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
    const addresses = new AddressLimit(MAX_CONNECTIONS_PER_ADDRESS);
    this.#server.prependListener('connection', (socket) => {
      if (!addresses.admit(socket)) socket.destroy();
    });
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://${formatAddress(this.#host, port)}/`;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const watcher of this.#watchers) watcher.end();
    this.#live.close();
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#isKnownHost(request.headers.host)) {
      const text = 'this page is not known under that name: add it to the setting `hosts`\n';
      return send(response, 421, 'text/plain', text);
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return send(response, 405, 'text/plain', 'this page is read-only\n');
    }
    const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://page');
    if (pathname.startsWith('/lab/')) return this.#lab(response, pathname.slice(4), search);
    switch (pathname) {
      case '/':
        return send(response, 200, 'text/html', page(await this.#source.recentStatus()));
      case '/status.json': {
        const text = `${JSON.stringify(await this.#source.status())}\n`;
        return send(response, 200, 'application/json', text);
      }
      case '/events':
        return this.#watch(response);
      case '/live':
        if (!this.#mayStream(response)) return;
        return this.#live.open(response, searchParams);
      case '/lab':
        response.writeHead(308, { Location: '/lab/' }).end();
        return;
      case '/metrics':
        return send(response, 200, this.#source.metricsType, await this.#source.metrics());
      case '/healthz':
        return this.#health(response);
      default:
        return send(
          response,
          404,
          'text/plain',
          'there is /, /lab/, /live, /status.json, /metrics and /healthz\n',
        );
    }
  }

  /**
   * A hostile web site may point a name of its own at this machine, and then read the page in the user's
   * browser. It cannot do that with an address, with localhost, or with a name that the settings list.
   */
  #isKnownHost(header: string | undefined): boolean {
    const host = header?.replace(/:\d+$/, '').toLowerCase() ?? '';
    return this.#hosts.has(host) || isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
  }

  /** The health of this process: that another member is missing is said, and is no reason to end this one. */
  #health(response: ServerResponse): void {
    const { view, waitsFor } = this.#source.member();
    const without = waitsFor.length === 0 ? '' : `, without ${waitsFor.join(', ')}`;
    if (view === null) send(response, 503, 'text/plain', `no view${without}\n`);
    else send(response, 200, 'text/plain', `ok${without}\n`);
  }

  async #lab(response: ServerResponse, path: string, query: string): Promise<void> {
    if (!isLabBuilt()) {
      const text = 'the lab is not built: run npm run build in the folder of the package\n';
      return send(response, 404, 'text/plain', text);
    }
    const { status, headers, body } = await labFile(path, query, '../');
    response.writeHead(status, headers);
    response.end(body);
  }

  /** Sends the head of a stream of events, unless there are too many. */
  #mayStream(response: ServerResponse): boolean {
    if (this.#watchers.size + this.#live.size >= MAX_WATCHERS) {
      send(response, 503, 'text/plain', 'too many browsers watch this page\n');
      return false;
    }
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream' });
    response.flushHeaders();
    return true;
  }

  #watch(response: ServerResponse): void {
    if (!this.#mayStream(response)) return;
    this.#watchers.add(response);
    response.on('close', () => {
      this.#watchers.delete(response);
      if (this.#watchers.size === 0) clearInterval(this.#timer);
    });
    if (this.#watchers.size === 1) this.#timer = setInterval(() => this.#show(), REFRESH_MS);
    this.#show();
  }

  #show(): void {
    this.#source
      .recentStatus()
      .then((status) => {
        const event = `data: ${JSON.stringify(sections(status))}\n\n`;
        for (const watcher of this.#watchers) {
          // A browser that has not read the last rendering gets the next one.
          if (!watcher.writableNeedDrain) watcher.write(event);
        }
      })
      .catch(() => {
        // The next second brings another rendering.
      });
  }
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  const charset = type.includes('charset') ? type : `${type}; charset=utf-8`;
  response.writeHead(status, { ...HEADERS, 'Content-Type': charset });
  response.end(text);
}
