import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoint } from '../../../config/values/endpoint.js';
import type { Counter } from '../../telemetry/meters.js';
import { createEncodingReport, type ReportEncoding } from '../decompression/content-encodings.js';
import { accessText } from '../endpoints/access-rule.js';
import { endpointText, endpointUrl } from '../endpoints/addresses.js';
import { claimText } from '../endpoints/route-claim.js';
import { type RequestFault, statusOf } from '../messages/http-fault.js';
import { sendFault, toFault } from '../messages/problem.js';
import { isHostAllowed } from '../messages/request-guard.js';
import type { DrainDeadline } from './drain-deadline.js';
import { EndpointTransport, type EndpointTransportOptions } from './endpoint-transport.js';
import { type ClaimedRoute, HttpMount, type MountHost, type MountOptions } from './http-mount.js';
import type { Listening } from './listen.js';
import { MountTable } from './mount-table.js';
import { createNodeServer, stopListening } from './node-server.js';
import { RequestRouter } from './request-router.js';

interface HttpServerOptions extends Omit<EndpointTransportOptions, 'endpoint'> {
  readonly endpoint: Endpoint;
  /** Listens on every address of the endpoint. Throws `LISTEN_FAILED`. */
  readonly listen: (endpoint: Endpoint, createServer: () => Server) => Promise<Listening<Server>>;
  readonly drain: DrainDeadline;
  readonly onClosed: () => void;
}

/** How long idle connections stay open after the last request, so that a request already on its way gets a 503 instead of a reset. */
const LINGER_MS = 100;

/** The server of one endpoint. A reload: `begin`, add mounts, `cutOver` or `abandon`; then close and open mounts, and `release`. */
export class HttpServer implements MountHost {
  readonly #options: HttpServerOptions;
  readonly #transport: EndpointTransport;
  readonly #reportEncoding: ReportEncoding;
  readonly #router = new RequestRouter(this);
  /** The mounts that requests are routed to. */
  served: MountTable;
  /** The mounts being added: during a reload those of the next pipelines. */
  #next: MountTable;
  /** Keeps sockets open without mounts during a reload. */
  #isReloading = false;
  /** One server for each address. */
  #servers: readonly Server[] = [];
  /** The bound port once the server listens. */
  port: number;
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: HttpServerOptions) {
    const { endpoint, logger } = options;
    this.#options = options;
    this.port = endpoint.port;
    this.#transport = new EndpointTransport({ ...options, endpoint: endpointText(endpoint) });
    this.#reportEncoding = createEncodingReport(options.meters, logger);
    this.served = new MountTable(endpointText(endpoint));
    this.#next = this.served;
  }

  get endpointHost(): string {
    return this.#options.endpoint.host;
  }

  get url(): string {
    const scheme = this.#transport.isTls ? 'https' : 'http';
    return endpointUrl({ host: this.#options.endpoint.host, port: this.port }, scheme);
  }

  /** Whether the latest pipelines have no mount here. */
  get isUnused(): boolean {
    return this.#next.mounts.length === 0;
  }

  /** Starts a reload: mounts added from now on belong to the next pipelines. */
  begin(): void {
    this.#next = new MountTable(endpointText(this.#options.endpoint));
  }

  /** Cancels the reload and keeps the current mounts. */
  abandon(): void {
    this.#next = this.served;
  }

  /** Holds requests until `release` and routes them to the new mounts, if there are any. */
  cutOver(): void {
    this.#isReloading = true;
    this.#router.hold();
    if (!this.isUnused) this.served = this.#next;
  }

  /** Ends the reload and serves held requests. */
  release(): void {
    this.#isReloading = false;
    this.#router.release();
  }

  serveHeld(): void {
    void this.#router.serveHeld();
  }

  /** Adds a mount that is not open yet. */
  addMount(options: MountOptions): HttpMount {
    const mount = new HttpMount(this, options);
    this.#next.mounts.push(mount);
    return mount;
  }

  addRoute(route: ClaimedRoute): void {
    this.#next.add(route);
    const { component } = route.mount.options;
    const line = { component, endpoint: endpointText(this.#options.endpoint), access: accessText(route.access) };
    this.#options.logger.debug({ ...line, route: claimText(route) }, 'serves a route');
  }

  async open({ component, transport }: MountOptions): Promise<void> {
    if (transport !== undefined) this.#transport.adopt(component, transport);
    this.#opening ??= this.#open();
    await this.#opening;
    await this.#transport.open();
  }

  async closeMount(mount: HttpMount): Promise<void> {
    if (this.#isReloading || this.served.mounts.some((other) => other.isOpen)) {
      await mount.drain(this.#options.drain, !this.#isReloading);
    } else await this.close();
  }

  /** Stops listening and closes connections when their requests have ended. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  allowsHost(header: string | undefined, mount: MountOptions): boolean {
    return isHostAllowed(header, this.#options.endpoint.host, mount.allowedHosts);
  }

  unauthorizedOf(component: string): Counter {
    return this.#options.meters.counter('faultline_http_unauthorized_requests', { component });
  }

  rateRefusalOf(request: IncomingMessage): RequestFault | undefined {
    return this.#transport.limits.refusalOf(request.socket);
  }

  fail(request: IncomingMessage, response: ServerResponse, error: unknown, mount?: MountOptions): void {
    if (mount !== undefined) this.#reportEncoding(mount.component, request.socket.remoteAddress, error);
    const fault = toFault(error);
    if (fault !== error || statusOf(fault) === 500) {
      // The sender did not cause it.
      const { logger } = this.#options;
      logger.error({ err: error, code: fault.code, method: request.method }, 'a request failed');
    }
    if (response.headersSent || response.destroyed) response.destroy();
    else (mount?.sendFault ?? sendFault)(request, response, fault);
  }

  async #open(): Promise<void> {
    const { listen } = this.#options;
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      this.#transport.requestStarted(request, response);
      this.#router.dispatch(request, response);
    };
    try {
      await this.#transport.open();
      const listening = await listen(this.#options.endpoint, () => this.#transport.attach(createNodeServer(onRequest)));
      this.#servers = listening.servers;
      this.port = listening.port;
      // For example too many open files; existing connections continue.
      for (const server of this.#servers) {
        server.on('error', (error) => this.#options.logger.warn({ err: error }, 'server error'));
      }
    } catch (error) {
      // A mount of the next pipelines may try again.
      this.#opening = undefined;
      throw error;
    }
  }

  async #close(): Promise<void> {
    const { drain, onClosed } = this.#options;
    const { mounts } = this.served;
    onClosed();
    // Keep-alive connections close with their next response.
    const closed = Promise.all(this.#servers.map(stopListening));
    await Promise.all(mounts.map((mount) => mount.drain(drain, true)));
    // Connections that close by themselves end the wait early.
    await Promise.race([closed, delay(Math.min(LINGER_MS, drain.remainingMs()))]);
    await Promise.all(mounts.map((mount) => mount.drainRefused(drain)));
    this.#transport.limits.closeConnections();
    await closed;
    this.#transport.close();
  }
}
