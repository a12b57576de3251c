import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Endpoint } from '../../config/endpoint.js';
import type { Fault } from '../../core/event/fault.js';
import type { Counter, Meters } from '../telemetry/meters.js';
import { endpointText, endpointUrl } from './addresses.js';
import { createDrainClock, type DrainClock } from './drain-clock.js';
import { EndpointTransport, type EndpointTransportOptions } from './endpoint-transport.js';
import type { FaultAnswer, RequestAnswer } from './express-app.js';
import { statusOf } from './fault-status.js';
import { isHostAllowed } from './host-check.js';
import {
  type DoorHost,
  type DoorOptions,
  type HotHandler,
  HttpDoor,
  hostNotAllowed,
  type LoadRouter,
} from './http-door.js';
import type { Listening } from './listen.js';
import { methodNotAllowed } from './method-not-allowed.js';
import { createNodeServer, stopListening } from './node-server.js';
import { sendFault, toFault } from './problem.js';
import { RequestFault } from './request-fault.js';
import { requestPath } from './request-target.js';
import { routeFor } from './route-table.js';
import { ServedDoors } from './served-doors.js';

/** What an endpoint is built with. */
export interface HttpServerOptions extends Omit<EndpointTransportOptions, 'endpoint'> {
  readonly listen: (endpoint: Endpoint, createServer: () => Server) => Promise<Listening<Server>>;
  /** Called when its sockets are closed for good. */
  readonly onClosed: () => void;
}

/**
 * How long kept connections stay open behind the last running request. A request that was already on its way when they became idle still gets
 * its 503; closing at once would reset it.
 */
const LINGER_MS = 100;
/** How long requests may go on behind a door that leaves while its endpoint stays or the collector goes on; then they are drained as at a stop. */
const LEAVING_PATIENCE_MS = 30_000;
const LEAVING_DRAIN_MS = 2_500;

/**
 * One endpoint: its sockets, its table of hot routes, and an Express application for each prefix that a router serves.
 * A change of the configuration: `beginChange`, then doors are added, `settle`, doors open, then `commit` or `abort`, then the doors that leave close.
 */
export class HttpServer implements DoorHost {
  readonly #endpoint: Endpoint;
  readonly #drain: DrainClock;
  readonly #logger: Logger;
  readonly #meters: Meters;
  readonly #transport: EndpointTransport;
  readonly #listen: HttpServerOptions['listen'];
  readonly #onClosed: () => void;
  /** What requests find. */
  #served: ServedDoors;
  /** The doors that came since a change began. */
  #coming: ServedDoors | undefined;
  /** What requests will find. */
  #staged: ServedDoors | undefined;
  readonly #leaving = new WeakSet<HttpDoor>();
  #opening: Promise<void> | undefined;
  #servers: readonly Server[] = [];
  #port: number;

  constructor(
    endpoint: Endpoint,
    drain: DrainClock,
    logger: Logger,
    { listen, onClosed, ...around }: HttpServerOptions,
  ) {
    this.#endpoint = endpoint;
    this.#drain = drain;
    this.#logger = logger;
    this.#meters = around.meters;
    this.#transport = new EndpointTransport({ ...around, endpoint: endpointText(endpoint) });
    this.#port = endpoint.port;
    this.#listen = listen;
    this.#onClosed = onClosed;
    this.#served = this.#noDoors();
  }

  get url(): string {
    const scheme = this.#transport.isTls ? 'https' : 'http';
    return endpointUrl({ host: this.#endpoint.host, port: this.#port }, scheme);
  }

  /** A new door, closed. */
  addDoor(options: DoorOptions): HttpDoor {
    const door = new HttpDoor(this, options);
    (this.#coming ?? this.#served).doors.push(door);
    return door;
  }

  addHotRoute(door: HttpDoor, method: string, path: string | RegExp, handler: HotHandler): void {
    this.#servedWith(door).add({ door, handler, method, path });
  }

  addMount(door: HttpDoor, prefix: string, loadRouter: LoadRouter): void {
    const answerUnknown: RequestAnswer = (request, response) => this.#answerUnknownPath(request, response);
    const answerFault: FaultAnswer = (request, response, error) => this.fail(request, response, error);
    let loading: Promise<RequestAnswer> | undefined;
    const load = async (): Promise<RequestAnswer> => {
      const [{ createExpressApp }, router] = await Promise.all([import('./express-app.js'), loadRouter()]);
      return createExpressApp(prefix, router, answerUnknown, answerFault);
    };
    const handler: HotHandler = async (request, response) => {
      loading ??= load().catch((error: unknown) => {
        // For example no file could be opened just now: the next request tries again.
        loading = undefined;
        throw error;
      });
      (await loading)(request, response);
    };
    this.#servedWith(door).add({ door, handler, prefix });
  }

  async open({ component, transport }: DoorOptions): Promise<void> {
    if (transport !== undefined) this.#transport.adopt(component, transport);
    this.#opening ??= this.#open();
    await this.#opening;
    await this.#transport.open();
  }

  async close(door: HttpDoor): Promise<void> {
    if (this.#served.doors.some((other) => other.isOpen)) {
      return await door.drain(await this.#clockFor([door]));
    }
    // The last one. No new connections from here on; the kept ones close with their next answer.
    const closed = this.#servers.map(stopListening);
    const { doors } = this.#served;
    const clock = await this.#clockFor(doors);
    await Promise.all(doors.map((one) => one.drain(clock)));
    // Those that close by themselves meanwhile are not waited for.
    await Promise.race([Promise.all(closed), delay(Math.min(LINGER_MS, clock.remainingMs()))]);
    await Promise.all(doors.map((one) => one.drainRefused(clock)));
    this.#transport.closeConnections();
    await Promise.all(closed);
    this.#transport.close();
    this.#onClosed();
  }

  /** From now on doors that are added count for after the change. Safe twice. */
  beginChange(): void {
    this.#coming ??= this.#noDoors();
  }

  /** Judges what will be served when some doors have left. Throws `ROUTE_TAKEN`. */
  settle(isLeaving: (door: HttpDoor) => boolean): void {
    if (this.#coming === undefined) return;
    const isStaying = new Set(this.#coming.doors);
    this.#staged = this.#served.changed((door) => !isStaying.has(door) && isLeaving(door), this.#coming);
    // Nobody is served here yet who could be disturbed.
    if (this.#served.doors.length === 0) this.#served = this.#staged;
  }

  /** Whether no door will be left after the change. */
  get isGoing(): boolean {
    return this.#staged?.doors.length === 0;
  }

  get port(): number {
    return this.#port;
  }

  /** From this turn on requests find what was settled; where nothing is left, they find closing doors. */
  commit(): void {
    const after = this.#staged;
    if (after === undefined) return;
    for (const door of this.#served.doors) if (!after.doors.includes(door)) this.#leaving.add(door);
    if (after.doors.length > 0) this.#served = after;
    this.#coming = undefined;
    this.#staged = undefined;
  }

  /** Goes on as before the change; the doors that came are closed already. */
  async abort(): Promise<void> {
    this.#coming = undefined;
    this.#staged = undefined;
    for (const { options } of this.#served.doors) {
      if (options.transport !== undefined) this.#transport.adopt(options.component, options.transport);
    }
    if (this.#servers.length === 0) return;
    await this.#transport.open().catch((error: unknown) => this.#logger.error({ err: error }, 'TLS is not as before'));
  }

  /** Gives up what it was built with, where its change was called off before it listened. Safe twice. */
  discard(): void {
    this.#transport.close();
  }

  /** Takes no new connections, so that another endpoint can have the port; those that are there stay. */
  release(): void {
    for (const server of this.#servers) void stopListening(server);
  }

  /** Takes new connections again. Throws `LISTEN_FAILED`. */
  async listenAgain(): Promise<void> {
    const { servers } = await this.#listening({ ...this.#endpoint, port: this.#port });
    this.#servers = [...this.#servers, ...servers];
  }

  allowsHost(header: string | undefined, door: DoorOptions): boolean {
    return isHostAllowed(header, this.#endpoint.host, door.allowedHosts);
  }

  unauthorizedOf(component: string): Counter {
    return this.#meters.counter('faultline_http_unauthorized_requests', { component });
  }

  rateRefusalOf(request: IncomingMessage): RequestFault | undefined {
    return this.#transport.refusalOf(request);
  }

  /** The one place that answers what was thrown, and logs what was no fault of the sender. */
  fail(request: IncomingMessage, response: ServerResponse, error: unknown, door?: DoorOptions): void {
    const fault = toFault(error);
    if (fault !== error || statusOf(fault) === 500) {
      this.#logger.error({ err: error, code: fault.code, method: request.method }, 'a request failed');
    }
    if (response.headersSent || response.destroyed) response.destroy();
    else (door?.answerFault ?? sendFault)(request, response, fault);
  }

  async #open(): Promise<void> {
    await this.#transport.open();
    const { servers, port } = await this.#listening(this.#endpoint).catch((error: unknown) => {
      this.#transport.close();
      throw error;
    });
    this.#servers = servers;
    this.#port = port;
  }

  async #listening(endpoint: Endpoint): Promise<Listening<Server>> {
    const createServer = () => this.#transport.attach(createNodeServer((...io) => this.#dispatch(...io)));
    const listening = await this.#listen(endpoint, createServer);
    for (const server of listening.servers) {
      // For example no file is left for a new connection: the others go on.
      server.on('error', (error) => this.#logger.warn({ err: error }, 'a server met a fault'));
    }
    return listening;
  }

  /** What closing doors is measured by. Those that leave wait for their requests before, as long as nobody stops the collector. */
  async #clockFor(doors: readonly HttpDoor[]): Promise<DrainClock> {
    if (!doors.some((door) => this.#leaving.has(door))) return this.#drain;
    await Promise.all(doors.map((door) => door.ended(LEAVING_PATIENCE_MS, this.#drain.onBegin)));
    return this.#drain.isBegun ? this.#drain : createDrainClock(LEAVING_DRAIN_MS);
  }

  #noDoors(): ServedDoors {
    return new ServedDoors(endpointText(this.#endpoint));
  }

  #servedWith(door: HttpDoor): ServedDoors {
    return this.#coming?.doors.includes(door) === true ? this.#coming : this.#served;
  }

  #dispatch(request: IncomingMessage, response: ServerResponse): void {
    this.#transport.began(request, response);
    try {
      const path = requestPath(request);
      const routes = this.#served.hotRoutesOf(path);
      const route = routes === undefined ? this.#served.mountOf(path, request) : routeFor(request, routes);
      if (route !== undefined) void route.door.serve(request, response, route.handler);
      else if (routes === undefined) this.#answerUnknownPath(request, response);
      else this.#failKnownHost(request, response, methodNotAllowed(request.method, [...routes.keys()]));
    } catch (error) {
      this.fail(request, response, error);
    }
  }

  #answerUnknownPath(request: IncomingMessage, response: ServerResponse): void {
    this.#failKnownHost(request, response, new RequestFault('PATH_NOT_FOUND', 'nothing is served at this path'));
  }

  /** Answers what no door takes; a host that no door serves learns nothing more than that. */
  #failKnownHost(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
    const { host } = request.headers;
    const isHostKnown = this.#served.doors.some((door) => this.allowsHost(host, door.options));
    this.fail(request, response, isHostKnown ? fault : hostNotAllowed(host));
  }
}
