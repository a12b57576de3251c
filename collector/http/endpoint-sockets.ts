import type { Server } from 'node:http';
import type { Endpoint } from '../../config/endpoint.js';
import type { Listening } from './listen.js';
import { stopListening } from './node-server.js';

/** What sockets are opened with. */
export interface EndpointSocketsOptions {
  readonly endpoint: Endpoint;
  readonly listen: (endpoint: Endpoint, createServer: () => Server) => Promise<Listening<Server>>;
  readonly createServer: () => Server;
  /** Hears, for example, that no file is left for a new connection; the others go on. */
  readonly onFault: (error: unknown) => void;
}

/** The listening sockets of one endpoint, one for each of its addresses, all on one port. */
export class EndpointSockets {
  readonly #options: EndpointSocketsOptions;
  #servers: readonly Server[] = [];
  #port: number;

  constructor(options: EndpointSocketsOptions) {
    this.#options = options;
    this.#port = options.endpoint.port;
  }

  /** The real one once open. */
  get port(): number {
    return this.#port;
  }

  get isOpen(): boolean {
    return this.#servers.length > 0;
  }

  /** Throws `LISTEN_FAILED`. */
  async open(): Promise<void> {
    const { servers, port } = await this.#listening(this.#options.endpoint);
    this.#servers = servers;
    this.#port = port;
  }

  /** Takes no new connections; those that are there stay. Resolves when the last of them is gone. */
  async stop(): Promise<void> {
    await Promise.all(this.#servers.map(stopListening));
  }

  /** Takes new connections again, on the same port. Throws `LISTEN_FAILED`. */
  async resume(): Promise<void> {
    const { servers } = await this.#listening({ ...this.#options.endpoint, port: this.#port });
    this.#servers = [...this.#servers, ...servers];
  }

  async #listening(endpoint: Endpoint): Promise<Listening<Server>> {
    const { listen, createServer, onFault } = this.#options;
    const listening = await listen(endpoint, createServer);
    for (const server of listening.servers) server.on('error', onFault);
    return listening;
  }
}
