import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Router } from 'express';
import type { Fault } from '../../../core/event/fault.js';
import type { Counter } from '../../telemetry/meters.js';
import { RequestFault } from '../messages/http-fault.js';
import { interruptBody } from '../messages/read-body.js';
import { type CorsPolicy, hostNotAllowed, isPreflightRequest, refusePages } from '../messages/request-guard.js';
import type { DrainDeadline } from './drain-deadline.js';
import type { TransportSettings } from './endpoint-transport.js';
import { RunningRequests } from './in-flight-requests.js';

/** Answers one request on bare node:http. What it throws becomes a problem document. */
export type RawHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Gives what answers below a path prefix; called for the first request there, so that Express is not waited for when the collector starts. */
export type LoadRouter = () => Promise<Router>;

/** Who asks for a mount. */
export interface MountOptions {
  /** Component id, for faults. */
  readonly component: string;
  /** Host names beyond the local ones and the endpoint's own. */
  readonly allowedHosts: readonly string[];
  /** Which pages may call; default: none. */
  readonly cors?: CorsPolicy;
  /** How connections are made to its endpoint; default: as the others there say, else not encrypted and by the schema's bounds. */
  readonly transport?: TransportSettings;
  /** Judges what a request says of who sends it, once its host and origin are allowed and before its body is read; default: anybody may call. */
  readonly auth?: (request: IncomingMessage) => RequestFault | undefined;
  /** Whether it tells how the other components are: then it answers as soon as it is open, also while a line starts anew. Default false. */
  readonly isWatching?: boolean;
  /** Told the status of each answer to a request, undefined where the sender left before; preflights are not told. */
  readonly onAnswered?: (status: number | undefined) => void;
  /** Answers a failed request in the component's own form, with `sendEarly`; default: a problem document. */
  readonly answerFault?: (request: IncomingMessage, response: ServerResponse, fault: Fault) => void;
}

/** The server behind a mount, as the mount sees it. */
export interface MountHost {
  readonly url: string;
  addDirectRoute(mount: HttpMount, method: string, path: string | RegExp, handler: RawHandler): void;
  addRouter(mount: HttpMount, prefix: string, loadRouter: LoadRouter): void;
  open(mount: MountOptions): Promise<void>;
  /** Serves requests that waited for a mount that watches, where it is open now. */
  serveWaiting(): void;
  closeMount(mount: HttpMount): Promise<void>;
  allowsHost(header: string | undefined, mount: MountOptions): boolean;
  /** Counts what `auth` of a component refuses. */
  unauthorizedOf(component: string): Counter;
  /** `RATE_LIMITED` where the client of a request sends too many. */
  rateRefusalOf(request: IncomingMessage): RequestFault | undefined;
  fail(request: IncomingMessage, response: ServerResponse, error: unknown, mount?: MountOptions): void;
}

/**
 * One component's part of a server that it may share with others of the same endpoint.
 * Order: `route` and `addRouter` while the line is built, then `open`, then `close`. Before `open` and after `close` its paths answer 503.
 */
export class HttpMount {
  readonly options: MountOptions;
  readonly #host: MountHost;
  readonly #unauthorized: Counter;
  readonly #running = new RunningRequests();
  /** Refused requests are not waited for while others are served: they may come again and again. */
  readonly #refused = new RunningRequests();
  #state: 'starting' | 'open' | 'stopping' = 'starting';
  #closed: Promise<void> | undefined;

  constructor(host: MountHost, options: MountOptions) {
    this.#host = host;
    this.options = options;
    this.#unauthorized = host.unauthorizedOf(options.component);
  }

  /** Base address with the real port, for example `http://localhost:4318`; before `open` with the configured one. */
  get url(): string {
    return this.#host.url;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /**
   * Adds a hot route, answered before Express sees the request: a method, or `*` for every method that has none of its own, and an exact path, or
   * a pattern for paths that none names exactly. Throws `ROUTE_TAKEN`.
   */
  route(method: string, path: string | RegExp, handler: RawHandler): void {
    this.#host.addDirectRoute(this, method, path, handler);
  }

  /** Gives everything below a path prefix to an Express router. Throws `ROUTE_TAKEN`. */
  addRouter(prefix: string, loadRouter: LoadRouter): void {
    this.#host.addRouter(this, prefix, loadRouter);
  }

  /** Takes requests; listens, when no other mount of the server did yet. Throws `LISTEN_FAILED`, `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID`. */
  async open(): Promise<void> {
    await this.#host.open(this.options);
    this.#state = 'open';
    this.#host.serveWaiting();
  }

  /**
   * Takes no new requests and waits for the running ones. A body that is still arriving at half the drain time is refused with
   * `COLLECTOR_STOPPING`; what is left at its end is cut off. The last mount of a server closes its sockets, unless the line changes. Safe to call twice.
   */
  close(): Promise<void> {
    this.#state = 'stopping';
    this.#closed ??= this.#host.closeMount(this);
    return this.#closed;
  }

  /** Waits for what was admitted; for the server behind the mount. */
  drain(clock: DrainDeadline, closesConnections: boolean): Promise<void> {
    return this.#running.drain(clock, closesConnections, refuseBody);
  }

  /** Waits for answers to what was refused; for the server behind the mount, once nobody new can come. */
  drainRefused(clock: DrainDeadline): Promise<void> {
    return this.#refused.drain(clock, true, () => undefined);
  }

  /** Admits a request and runs its handler. */
  async serve(request: IncomingMessage, response: ServerResponse, handler: RawHandler): Promise<void> {
    this.#tellAnswer(request, response);
    try {
      this.#admit(request, response);
      if (this.options.cors === undefined) refusePages(request);
      else this.options.cors.judge(request, response);
      const refusal = this.#host.rateRefusalOf(request) ?? this.#callerRefusalOf(request);
      if (refusal !== undefined) throw refusal;
      await handler(request, response);
    } catch (error) {
      this.#host.fail(request, response, error, this.options);
    }
  }

  /** Answers a browser that asks whether a page may send; undefined when the mount serves no pages. */
  preflight(methods: readonly string[]): RawHandler | undefined {
    const { cors } = this.options;
    return cors && (async (_request, response) => cors.answerPreflight(response, methods));
  }

  /** A browser asks without a token whether its page may send one. */
  #callerRefusalOf(request: IncomingMessage): RequestFault | undefined {
    if (this.options.cors !== undefined && isPreflightRequest(request)) return undefined;
    const refusal = this.options.auth?.(request);
    if (refusal !== undefined) this.#unauthorized.add();
    return refusal;
  }

  #tellAnswer(request: IncomingMessage, response: ServerResponse): void {
    const { onAnswered } = this.options;
    if (onAnswered === undefined || request.method === 'OPTIONS') return;
    response.once('close', () => onAnswered(response.headersSent ? response.statusCode : undefined));
  }

  #admit(request: IncomingMessage, response: ServerResponse): void {
    const refusal = this.#refusalOf(request);
    (refusal === undefined ? this.#running : this.#refused).add(response);
    if (refusal !== undefined) throw refusal;
  }

  #refusalOf({ headers: { host } }: IncomingMessage): RequestFault | undefined {
    if (!this.#host.allowsHost(host, this.options)) return hostNotAllowed(host);
    return this.#state === 'open' ? undefined : notOpen(this.#state);
  }
}

function refuseBody(request: IncomingMessage): void {
  interruptBody(request, notOpen('stopping'));
}

function notOpen(state: 'starting' | 'stopping'): RequestFault {
  const code = state === 'starting' ? 'COLLECTOR_STARTING' : 'COLLECTOR_STOPPING';
  const options = { retryable: true, headers: { connection: 'close' } };
  // A mount also closes where a reload gives up its endpoint.
  const why = state === 'starting' ? 'the collector is starting' : 'the collector stops, or no longer listens here';
  return new RequestFault(code, `${why}; send the request again`, options);
}
