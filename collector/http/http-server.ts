import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Endpoint } from '../../config/endpoint.js';
import { Fault } from '../../core/event/fault.js';
import { endpointText, endpointUrl } from './addresses.js';
import type { DrainClock } from './drain-clock.js';
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
import { listen } from './listen.js';
import { methodNotAllowed } from './method-not-allowed.js';
import { createNodeServer, stopListening } from './node-server.js';
import { sendFault, toFault } from './problem.js';
import { RequestFault } from './request-fault.js';
import { requestPath } from './request-target.js';
import { RouteTable, routeFor } from './route-table.js';

interface Mount {
  readonly door: HttpDoor;
  readonly prefix: string;
  readonly handler: HotHandler;
}

/**
 * How long kept connections stay open behind the last running request. A request that was already on its way when they became idle still gets
 * its 503; closing at once would reset it.
 */
const LINGER_MS = 100;

/** One endpoint: its sockets, its table of hot routes, and an Express application for each prefix that a router serves. */
export class HttpServer implements DoorHost {
  readonly #endpoint: Endpoint;
  readonly #drain: DrainClock;
  readonly #logger: Logger;
  readonly #doors: HttpDoor[] = [];
  readonly #hotRoutes = new RouteTable();
  readonly #takenBy = new Map<string, string>();
  readonly #mounts: Mount[] = [];
  #opening: Promise<void> | undefined;
  #servers: readonly Server[] = [];
  #port: number;

  constructor(endpoint: Endpoint, drain: DrainClock, logger: Logger) {
    this.#endpoint = endpoint;
    this.#drain = drain;
    this.#logger = logger;
    this.#port = endpoint.port;
  }

  get url(): string {
    return endpointUrl({ host: this.#endpoint.host, port: this.#port });
  }

  /** A new door, closed. */
  addDoor(options: DoorOptions): HttpDoor {
    const door = new HttpDoor(this, options);
    this.#doors.push(door);
    return door;
  }

  addHotRoute(door: HttpDoor, method: string, path: string | RegExp, handler: HotHandler): void {
    this.#take(`${method} ${typeof path === 'string' ? path : path.source}`, door);
    this.#hotRoutes.add(method, path, { door, handler });
  }

  addMount(door: HttpDoor, prefix: string, loadRouter: LoadRouter): void {
    this.#take(`${prefix}/*`, door);
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
    this.#mounts.push({ door, prefix, handler });
  }

  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async close(door: HttpDoor): Promise<void> {
    if (this.#doors.some((other) => other.isOpen)) return await door.drain(this.#drain);
    // The last one. No new connections from here on; the kept ones close with their next answer.
    const closed = this.#servers.map(stopListening);
    await Promise.all(this.#doors.map((one) => one.drain(this.#drain)));
    // Those that close by themselves meanwhile are not waited for.
    await Promise.race([Promise.all(closed), delay(Math.min(LINGER_MS, this.#drain.remainingMs()))]);
    await Promise.all(this.#doors.map((one) => one.drainRefused(this.#drain)));
    for (const server of this.#servers) server.closeAllConnections();
    await Promise.all(closed);
  }

  allowsHost(header: string | undefined, door: DoorOptions): boolean {
    return isHostAllowed(header, this.#endpoint.host, door.allowedHosts);
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
    const { servers, port } = await listen(this.#endpoint, () => createNodeServer((...io) => this.#dispatch(...io)));
    for (const server of servers) {
      // For example no file is left for a new connection: the others go on.
      server.on('error', (error) => this.#logger.warn({ err: error }, 'a server met a fault'));
    }
    this.#servers = servers;
    this.#port = port;
  }

  #dispatch(request: IncomingMessage, response: ServerResponse): void {
    try {
      const path = requestPath(request);
      const routes = this.#hotRoutes.find(path);
      const route = routes === undefined ? this.#mountOf(path) : routeFor(request, routes);
      if (route !== undefined) void route.door.serve(request, response, route.handler);
      else if (routes === undefined) this.#answerUnknownPath(request, response);
      else this.#failKnownHost(request, response, methodNotAllowed(request.method, [...routes.keys()]));
    } catch (error) {
      this.fail(request, response, error);
    }
  }

  #mountOf(path: string): Mount | undefined {
    return this.#mounts.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  }

  #answerUnknownPath(request: IncomingMessage, response: ServerResponse): void {
    this.#failKnownHost(request, response, new RequestFault('PATH_NOT_FOUND', 'nothing is served at this path'));
  }

  /** Answers what no door takes; a host that no door serves learns nothing more than that. */
  #failKnownHost(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
    const { host } = request.headers;
    const isHostKnown = this.#doors.some((door) => this.allowsHost(host, door.options));
    this.fail(request, response, isHostKnown ? fault : hostNotAllowed(host));
  }

  #take(route: string, door: HttpDoor): void {
    const { component } = door.options;
    const taken = this.#takenBy.get(route);
    if (taken !== undefined) {
      const where = endpointText(this.#endpoint);
      const sentence = `${component} and ${taken} both serve ${route} on ${where}: give one of them another endpoint`;
      throw new Fault('ROUTE_TAKEN', sentence);
    }
    this.#takenBy.set(route, component);
  }
}
