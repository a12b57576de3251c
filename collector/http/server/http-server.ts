import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoint } from '../../../config/values/endpoint.js';
import { endpointText, endpointUrl } from '../endpoints/addresses.js';
import type { DrainDeadline } from './drain-deadline.js';
import type { EndpointLimits } from './endpoint-limits.js';
import { EndpointTransport, type EndpointTransportOptions, type TransportSettings } from './endpoint-transport.js';
import { HeldRequests } from './held-requests.js';
import type { Listening } from './listen.js';
import { createNodeServer, stopListening } from './node-server.js';
import type { RequestGate } from './request-gate.js';
import { TurnQueue } from './turn-queue.js';

interface HttpServerOptions extends Omit<EndpointTransportOptions, 'endpoint'> {
  readonly endpoint: Endpoint;
  /** Listens on every address of the endpoint. Throws `LISTEN_FAILED`. */
  readonly listen: (endpoint: Endpoint, createServer: () => Server) => Promise<Listening<Server>>;
  readonly drain: DrainDeadline;
  readonly onClosed: () => void;
}

/** How long idle connections stay open after the last request, so that a request already on its way gets a 503 instead of a reset. */
const LINGER_MS = 100;

/** A component, as the server sees it. */
export interface ServedComponent {
  readonly component: string;
  readonly gate: RequestGate;
  /** Undefined: it takes those of the others. */
  readonly transport: TransportSettings | undefined;
}

/** The sockets of one endpoint. A reload: `beginReload`, `serve`, close and open gates, `endReload`. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #transport: EndpointTransport;
  /** Requests that wait during a reload. */
  readonly held = new HeldRequests((request, response) => this.#listener?.(request, response));
  readonly #turns = new TurnQueue();
  #listener: RequestListener | undefined;
  #gates: readonly RequestGate[] = [];
  /** Keeps sockets open without an open gate during a reload. */
  #isReloading = false;
  /** Whether nothing that runs, or is about to start, is served here. */
  isUnused = true;
  /** One server for each address. */
  #servers: readonly Server[] = [];
  /** The bound port once the server listens. */
  port: number;
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: HttpServerOptions) {
    const { endpoint } = options;
    this.#options = options;
    this.port = endpoint.port;
    this.#transport = new EndpointTransport({ ...options, endpoint: endpointText(endpoint) });
  }

  /** The endpoint as configured. */
  get text(): string {
    return endpointText(this.#options.endpoint);
  }

  /** The host on which it listens, as configured. */
  get host(): string {
    return this.#options.endpoint.host;
  }

  get limits(): EndpointLimits {
    return this.#transport.limits;
  }

  /** Base URL, for example `http://localhost:4318`; undefined unless it listens. */
  get url(): string | undefined {
    if (this.#servers.length === 0) return undefined;
    const scheme = this.#transport.isTls ? 'https' : 'http';
    return endpointUrl({ host: this.host, port: this.port }, scheme);
  }

  /** Sends requests to a listener from now on. TLS and limits of all components apply before the first one listens. */
  serve(listener: RequestListener, components: readonly ServedComponent[]): void {
    this.#listener = listener;
    this.#gates = components.map(({ gate }) => gate);
    this.isUnused = false;
    for (const { component, transport } of components) {
      if (transport !== undefined) this.#transport.adopt(component, transport);
    }
  }

  /** Holds requests, and counts as unused until `serve`. */
  beginReload(): void {
    this.#isReloading = true;
    this.isUnused = true;
    this.held.begin();
  }

  /** Serves held requests. */
  endReload(): void {
    this.#isReloading = false;
    this.held.release();
  }

  /** Listens, if it does not yet, and lets requests through a gate. Throws `LISTEN_FAILED`, `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID`. */
  async open(gate: RequestGate): Promise<void> {
    this.#opening ??= this.#open();
    await this.#opening;
    await this.#transport.open();
    gate.open();
    // During a reload some requests wait for this gate only.
    void this.held.serveAgain();
  }

  /** Drains a gate that was stopped; the last one closes the server, except during a reload. */
  async drain(gate: RequestGate): Promise<void> {
    if (this.#isReloading || this.#gates.some((other) => other.isOpen)) {
      await gate.drain(this.#options.drain, !this.#isReloading);
    } else await this.close();
  }

  /** Stops listening and closes connections when their requests have ended. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #open(): Promise<void> {
    const { listen } = this.#options;
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      this.#transport.requestStarted(request, response);
      this.#turns.run(() => {
        if (!request.socket.destroyed) this.#listener?.(request, response);
      });
    };
    try {
      await this.#transport.open();
      const listening = await listen(this.#options.endpoint, () => this.#transport.attach(createNodeServer(onRequest)));
      this.port = listening.port;
      this.#servers = listening.servers;
      // For example too many open files; existing connections continue.
      for (const server of this.#servers) {
        server.on('error', (error) => this.#options.logger.warn({ err: error }, 'server error'));
      }
    } catch (error) {
      // Another component may try again.
      this.#opening = undefined;
      throw error;
    }
  }

  async #close(): Promise<void> {
    const { drain, onClosed } = this.#options;
    const gates = this.#gates;
    onClosed();
    // Keep-alive connections close with their next response.
    const closed = Promise.all(this.#servers.map(stopListening));
    await Promise.all(gates.map((gate) => gate.drain(drain, true)));
    // Connections that close by themselves end the wait early.
    await Promise.race([closed, delay(Math.min(LINGER_MS, drain.remainingMs()))]);
    await Promise.all(gates.map((gate) => gate.drainRefused(drain)));
    this.#transport.limits.closeConnections();
    await closed;
    this.#transport.close();
  }
}
