import type {
  Connection,
  ConnectionHandler,
  Listener,
  Transport,
} from '../../src/net/transport.ts';

/** The transport of a process that can be killed: all connections close, and no handler is called any more. */
export class Killable implements Transport {
  readonly #transport: Transport;
  readonly #connections = new Set<Connection>();
  readonly #listeners: Listener[] = [];
  #isDead = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async listen(...[address, incoming]: Parameters<Transport['listen']>): Promise<Listener> {
    const listener = await this.#transport.listen(address, {
      accept: (remote, cut) => {
        const client = incoming.accept(remote, cut);
        return {
          established: (connection) => {
            this.#connections.add(connection);
            return this.#unlessDead(client.established(connection));
          },
          failed: (error) => client.failed(error),
          closed: () => client.closed(),
        };
      },
    });
    this.#listeners.push(listener);
    return listener;
  }

  dial(address: string, handler: ConnectionHandler): Connection {
    const connection = this.#transport.dial(address, this.#unlessDead(handler));
    this.#connections.add(connection);
    return connection;
  }

  async kill(): Promise<void> {
    this.#isDead = true;
    const closed = this.#listeners.map((listener) => listener.close());
    for (const connection of this.#connections) connection.destroy();
    await Promise.all(closed);
  }

  /** Breaks all its connections; the process lives on. */
  cut(): void {
    for (const connection of this.#connections) connection.destroy();
    this.#connections.clear();
  }

  #unlessDead(handler: ConnectionHandler): ConnectionHandler {
    return {
      opened: () => this.#isDead || handler.opened(),
      data: (bytes, length) => this.#isDead || handler.data(bytes, length),
      drained: () => this.#isDead || handler.drained(),
      closed: (error) => this.#isDead || handler.closed(error),
    };
  }
}
