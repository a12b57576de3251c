import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Endpoint } from '../../../config/values/endpoint.js';
import type { Counter } from '../../telemetry/meters.js';
import { endpointText, endpointUrl } from '../endpoints/addresses.js';
import type { RequestFault } from '../messages/http-fault.js';
import { isHostAllowed } from '../messages/request-guard.js';
import type { DrainDeadline } from './drain-deadline.js';
import { EndpointTransport, type EndpointTransportOptions } from './endpoint-transport.js';
import { HttpMount, type LoadRouter, type MountHost, type MountOptions, type RawHandler } from './http-mount.js';
import { createLazyRouter } from './lazy-router.js';
import type { Listening } from './listen.js';
import { answerFailure } from './log-failed-request.js';
import { MountTable } from './mount-table.js';
import { createNodeServer, stopListening } from './node-server.js';
import { RequestRouter } from './request-router.js';

/** What an endpoint is built with. */
export interface HttpServerOptions extends Omit<EndpointTransportOptions, 'endpoint'> {
  readonly endpoint: Endpoint;
  /** Opens a server on every address. Throws `LISTEN_FAILED`. */
  readonly listen: (endpoint: Endpoint, createServer: () => Server) => Promise<Listening<Server>>;
  readonly drain: DrainDeadline;
  /** Called when it begins to close for good. */
  readonly onClosed: () => void;
}

/**
 * How long kept connections stay open behind the last running request. A request that was already on its way when they became idle still gets
 * its 503; closing at once would reset it.
 */
const LINGER_MS = 100;

/**
 * One endpoint over all lines: its sockets, the mounts of the line that runs, and the switch between them.
 * A change of the line: `begin`, then mounts are added, then `turn` or `abandon`; after `turn` mounts close and open, then `release`.
 */
export class HttpServer implements MountHost {
  readonly #options: HttpServerOptions;
  readonly #logger: Logger;
  readonly #endpoint: Endpoint;
  readonly #transport: EndpointTransport;
  readonly #switch = new RequestRouter(this);
  /** What requests find. */
  #served: MountTable;
  /** Where mounts are added: during a change for the next line. */
  #coming: MountTable;
  /** Whether sockets stay open behind the last mount, because the line changes. */
  #isChanging = false;
  /** One for each address, once open. */
  #servers: readonly Server[] = [];
  #port: number;
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: HttpServerOptions) {
    const { endpoint, logger } = options;
    this.#options = options;
    this.#logger = logger;
    this.#endpoint = endpoint;
    this.#port = endpoint.port;
    this.#transport = new EndpointTransport({ ...options, endpoint: endpointText(endpoint) });
    this.#served = new MountTable(endpointText(endpoint));
    this.#coming = this.#served;
  }

  get url(): string {
    const scheme = this.#transport.isTls ? 'https' : 'http';
    return endpointUrl({ host: this.#endpoint.host, port: this.port }, scheme);
  }

  /** The real one once open. */
  get port(): number {
    return this.#port;
  }

  get served(): MountTable {
    return this.#served;
  }

  /** Whether the latest line has no mount here. */
  get isUnused(): boolean {
    return this.#coming.mounts.length === 0;
  }

  /** Mounts that are added from now on are those of the next line. */
  begin(): void {
    this.#coming = new MountTable(endpointText(this.#endpoint));
  }

  /** Goes on with the mounts there are. */
  abandon(): void {
    this.#coming = this.#served;
  }

  /** From now on requests wait for the mounts of the next line. Where it has none here, they will find closed ones. */
  turn(): void {
    this.#isChanging = true;
    this.#switch.hold();
    if (!this.isUnused) this.#served = this.#coming;
  }

  /** Ends the change: no request waits any longer. */
  release(): void {
    this.#isChanging = false;
    this.#switch.release();
  }

  serveWaiting(): void {
    void this.#switch.serveWaiting();
  }

  /** A new mount, closed. */
  addMount(options: MountOptions): HttpMount {
    const mount = new HttpMount(this, options);
    this.#coming.mounts.push(mount);
    return mount;
  }

  addDirectRoute(mount: HttpMount, method: string, path: string | RegExp, handler: RawHandler): void {
    this.#coming.add({ mount, handler, method, path });
  }

  addRouter(mount: HttpMount, prefix: string, loadRouter: LoadRouter): void {
    this.#coming.add({ mount, handler: createLazyRouter(prefix, loadRouter), prefix });
  }

  async open({ component, transport }: MountOptions): Promise<void> {
    if (transport !== undefined) this.#transport.adopt(component, transport);
    this.#opening ??= this.#open();
    await this.#opening;
    await this.#transport.open();
  }

  async closeMount(mount: HttpMount): Promise<void> {
    if (this.#isChanging || this.served.mounts.some((other) => other.isOpen)) {
      await mount.drain(this.#options.drain, !this.#isChanging);
    } else await this.close();
  }

  /** Takes no new connections, and closes those that are there when running requests have ended. Safe twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  allowsHost(header: string | undefined, mount: MountOptions): boolean {
    return isHostAllowed(header, this.#endpoint.host, mount.allowedHosts);
  }

  unauthorizedOf(component: string): Counter {
    return this.#options.meters.counter('faultline_http_unauthorized_requests', { component });
  }

  rateRefusalOf(request: IncomingMessage): RequestFault | undefined {
    return this.#transport.refusalOf(request);
  }

  fail(request: IncomingMessage, response: ServerResponse, error: unknown, mount?: MountOptions): void {
    answerFailure(this.#logger, request, response, error, mount);
  }

  async #open(): Promise<void> {
    const { listen } = this.#options;
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      this.#transport.began(request, response);
      this.#switch.dispatch(request, response);
    };
    try {
      await this.#transport.open();
      const listening = await listen(this.#endpoint, () => this.#transport.attach(createNodeServer(onRequest)));
      this.#servers = listening.servers;
      this.#port = listening.port;
      // For example no file is left for a new connection; the others go on.
      for (const server of this.#servers) {
        server.on('error', (error) => this.#logger.warn({ err: error }, 'a server met a fault'));
      }
    } catch (error) {
      // A mount of the next line may try again.
      this.#opening = undefined;
      throw error;
    }
  }

  async #close(): Promise<void> {
    const { drain, onClosed } = this.#options;
    const { mounts } = this.served;
    onClosed();
    // No new connections from here on; the kept ones close with their next answer.
    const closed = Promise.all(this.#servers.map(stopListening));
    await Promise.all(mounts.map((mount) => mount.drain(drain, true)));
    // Those that close by themselves meanwhile are not waited for.
    await Promise.race([closed, delay(Math.min(LINGER_MS, drain.remainingMs()))]);
    await Promise.all(mounts.map((mount) => mount.drainRefused(drain)));
    this.#transport.closeConnections();
    await closed;
    this.#transport.close();
  }
}
