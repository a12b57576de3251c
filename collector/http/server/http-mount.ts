import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Request, Response, Router } from 'express';
import type { Fault } from '../../../core/event/fault.js';
import type { Counter } from '../../telemetry/meters.js';
import { type AccessRule, accessRefusal, checkAccessRule, corsOf } from '../endpoints/access-rule.js';
import type { RouteClaim } from '../endpoints/route-claim.js';
import { RequestFault } from '../messages/http-fault.js';
import { interruptBody } from '../messages/read-body.js';
import { hostNotAllowed, refusePages } from '../messages/request-guard.js';
import type { DrainDeadline } from './drain-deadline.js';
import type { TransportSettings } from './endpoint-transport.js';
import { InFlightRequests } from './in-flight-requests.js';

/** Handles one request of node:http before Express. An error that it throws is sent as a problem document. */
export type RawHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Options for one component's mount. */
export interface MountOptions {
  /** Component id. */
  readonly component: string;
  /** Host names allowed besides loopback names and the endpoint's own. */
  readonly allowedHosts: readonly string[];
  /** Default: the settings of the components that share the endpoint, else plaintext with the schema's limits. */
  readonly transport?: TransportSettings;
  /** Whether it reports the health of other components: then it also serves while pipelines restart. Default false. */
  readonly reportsHealth?: boolean;
  /** Called with the status of each response, undefined if the client left first; not for preflights. */
  readonly onResponse?: (status: number | undefined) => void;
  /** Sends a fault in the component's own format, with `sendEarly`; default: a problem document. */
  readonly sendFault?: (request: IncomingMessage, response: ServerResponse, fault: Fault) => void;
}

/** A handler, who may call it, and the mount it belongs to. */
export interface Route {
  readonly mount: HttpMount;
  readonly access: AccessRule;
  readonly handler: RawHandler;
}

/** A direct route, or everything below a prefix. */
export type ClaimedRoute = RouteClaim & Route;

/** The server of a mount, as the mount uses it. */
export interface MountHost {
  readonly url: string;
  /** The host on which it listens, as configured. */
  readonly endpointHost: string;
  /** Throws `ROUTE_TAKEN`. */
  addRoute(route: ClaimedRoute): void;
  open(mount: MountOptions): Promise<void>;
  /** Serves held requests whose mount reports health and is open now. */
  serveHeld(): void;
  closeMount(mount: HttpMount): Promise<void>;
  allowsHost(header: string | undefined, mount: MountOptions): boolean;
  /** Counts requests that access rules of a component refuse. */
  unauthorizedOf(component: string): Counter;
  /** `RATE_LIMITED` if the client exceeds its request rate. */
  rateRefusalOf(request: IncomingMessage): RequestFault | undefined;
  fail(request: IncomingMessage, response: ServerResponse, error: unknown, mount?: MountOptions): void;
}

/** The routes of one component on a shared server: `route` and `addRouter`, `open`, `close`. Unless it is open, its paths respond 503. */
export class HttpMount {
  readonly options: MountOptions;
  readonly #host: MountHost;
  readonly #unauthorized: Counter;
  readonly #inFlight = new InFlightRequests();
  /** Kept apart, because clients may repeat refused requests endlessly during a drain. */
  readonly #refused = new InFlightRequests();
  #state: 'starting' | 'open' | 'stopping' = 'starting';
  #closed: Promise<void> | undefined;

  constructor(host: MountHost, options: MountOptions) {
    this.#host = host;
    this.options = options;
    this.#unauthorized = host.unauthorizedOf(options.component);
  }

  /** Base URL, for example `http://localhost:4318`; with the bound port after `open`. */
  get url(): string {
    return this.#host.url;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Adds a direct route, before Express. `*` is for methods without a route; exact paths win over patterns. Throws `ROUTE_TAKEN` and `ROUTE_WITHOUT_ACCESS`. */
  route(method: string, path: string | RegExp, access: AccessRule, handler: RawHandler): void {
    this.#addRoute({ mount: this, access, handler, method, path });
  }

  /** Serves everything below a path prefix by an Express router. Throws `ROUTE_TAKEN` and `ROUTE_WITHOUT_ACCESS`. */
  addRouter(prefix: string, access: AccessRule, loadRouter: () => Promise<Router>): void {
    this.#addRoute({ mount: this, access, handler: createLazyRouter(prefix, loadRouter), prefix });
  }

  #addRoute(route: ClaimedRoute): void {
    checkAccessRule(route.access, this.options.component, route);
    this.#host.addRoute(route);
  }

  /** Accepts requests; listens if the server does not yet. Throws `LISTEN_FAILED`, `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID`. */
  async open(): Promise<void> {
    await this.#host.open(this.options);
    this.#state = 'open';
    this.#host.serveHeld();
  }

  /** Refuses new requests and drains those in flight; the last mount closes the server, except during a reload. Idempotent. */
  close(): Promise<void> {
    this.#state = 'stopping';
    this.#closed ??= this.#host.closeMount(this);
    return this.#closed;
  }

  /** Drains admitted requests; called by the server. */
  drain(clock: DrainDeadline, closesConnections: boolean): Promise<void> {
    return this.#inFlight.drain(clock, closesConnections, (request) => interruptBody(request, notOpen('stopping')));
  }

  /** Drains refused requests; called by the server once it accepts no connections. */
  drainRefused(clock: DrainDeadline): Promise<void> {
    return this.#refused.drain(clock, true, () => undefined);
  }

  /** Checks whether a request may call a route, and runs its handler. */
  async serve(request: IncomingMessage, response: ServerResponse, { access, handler }: Route): Promise<void> {
    const { onResponse } = this.options;
    if (onResponse !== undefined && request.method !== 'OPTIONS') {
      response.once('close', () => onResponse(response.headersSent ? response.statusCode : undefined));
    }
    try {
      const refused = this.#refusalOf(request);
      (refused === undefined ? this.#inFlight : this.#refused).add(response);
      if (refused !== undefined) throw refused;
      checkPage(access, request, response);
      const refusal = this.#host.rateRefusalOf(request) ?? this.#accessRefusal(access, request);
      if (refusal !== undefined) throw refusal;
      await handler(request, response);
    } catch (error) {
      this.#host.fail(request, response, error, this.options);
    }
  }

  #accessRefusal(access: AccessRule, request: IncomingMessage): RequestFault | undefined {
    const refusal = accessRefusal(access, request, this.#host.endpointHost);
    if (refusal !== undefined) this.#unauthorized.add();
    return refusal;
  }

  #refusalOf({ headers: { host } }: IncomingMessage): RequestFault | undefined {
    if (!this.#host.allowsHost(host, this.options)) return hostNotAllowed(host);
    return this.#state === 'open' ? undefined : notOpen(this.#state);
  }
}

/** The route that answers a browser that asks, without a token, whether its page may call another route; undefined if no page may. */
export function preflightOf({ mount, access }: Route, methods: readonly string[]): Route | undefined {
  const cors = corsOf(access);
  if (cors === undefined) return undefined;
  return {
    mount,
    access: { kind: 'open', cors },
    handler: async (_, response) => cors.sendPreflight(response, methods),
  };
}

/** Throws `ORIGIN_NOT_ALLOWED`. */
function checkPage(access: AccessRule, request: IncomingMessage, response: ServerResponse): void {
  const cors = corsOf(access);
  if (cors === undefined) refusePages(request);
  else cors.check(request, response);
}

function notOpen(state: 'starting' | 'stopping'): RequestFault {
  const code = state === 'starting' ? 'COLLECTOR_STARTING' : 'COLLECTOR_STOPPING';
  const options = { retryable: true, headers: { connection: 'close' } };
  // A mount also closes where a reload gives up its endpoint.
  const why = state === 'starting' ? 'the collector is starting' : 'the collector stops, or no longer listens here';
  return new RequestFault(code, `${why}; send the request again`, options);
}

/** Creates a handler by an Express application, loaded on the first request, so that the start does not wait for it. Rejects with `PATH_NOT_FOUND`; does not settle if it responds. */
function createLazyRouter(prefix: string, loadRouter: () => Promise<Router>): RawHandler {
  let loading: Promise<Express> | undefined;
  const load = async (): Promise<Express> => {
    const [{ createExpressApp }, router] = await Promise.all([import('./express-app.js'), loadRouter()]);
    return createExpressApp(prefix, router);
  };
  return async (request, response) => {
    loading ??= load().catch((error: unknown) => {
      // For example too many open files: the next request retries.
      loading = undefined;
      throw error;
    });
    const app = await loading;
    await new Promise((_resolve, reject) => {
      app(request as Request, response as Response, (error: unknown) => reject(toRequestError(error)));
    });
  };
}

/** Express passes undefined for an unknown path, and a URIError for a path that does not decode. */
function toRequestError(error: unknown): unknown {
  if (error === undefined || error === null) {
    return new RequestFault('PATH_NOT_FOUND', 'nothing is served at this path');
  }
  return error instanceof URIError
    ? new RequestFault('REQUEST_TARGET_INVALID', 'the path holds a % that is not followed by two hexadecimal digits')
    : error;
}
