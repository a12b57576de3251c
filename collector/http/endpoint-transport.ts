import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { parseDuration } from '../../config/duration.js';
import type { ConnectionSettings, TlsServerSettings } from '../../config/settings.js';
import { parseSize } from '../../config/size.js';
import type { Meters } from '../telemetry/meters.js';
import type { Certificates } from './certificates.js';
import { type ConnectionBounds, ConnectionGuard, type EvictionReason } from './connection-guard.js';
import type { RequestFault } from './request-fault.js';
import { RequestRate } from './request-rate.js';
import { TlsFront } from './tls-front.js';

/** How connections to an endpoint are made; components of one endpoint say the same. */
export interface TransportSettings {
  /** Undefined: not encrypted. */
  readonly tls: TlsServerSettings | undefined;
  /** Absent: the defaults. */
  readonly connections?: ConnectionSettings;
}

/** What a transport is built from. */
export interface EndpointTransportOptions {
  /** For metrics, as an operator writes it. */
  readonly endpoint: string;
  readonly certificates: Certificates;
  readonly meters: Meters;
}

interface Timeouts {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly idleMs: number;
}

/** As the schema has them. */
const DEFAULT_CONNECTIONS: ConnectionSettings = {
  max_connections: 2_048,
  max_connections_per_client: 0,
  read_header_timeout: '15s',
  read_timeout: '5m',
  min_body_rate: '256B',
  idle_timeout: '65s',
  requests_per_second: 0,
  request_burst: 100,
};
const EVICTION_REASONS: readonly EvictionReason[] = ['max_connections', 'max_connections_per_client', 'slow_body'];
const PROTOCOLS = ['http/1.1'];

/**
 * What lies between the sockets of an endpoint and its requests: TLS, and the bounds on connections and requests of clients. `adopt` whenever a component
 * comes, `open` before listening and again when what was adopted is to count, `attach` each server.
 */
export class EndpointTransport {
  readonly #options: EndpointTransportOptions;
  readonly #guard: ConnectionGuard;
  readonly #servers = new Set<Server>();
  readonly #count: { rateLimited(): void; close(): void };
  #settings: TransportSettings = { tls: undefined };
  #component = '';
  #rate: RequestRate;
  #front: TlsFront | undefined;
  #openedTls: TlsServerSettings | undefined;

  constructor(options: EndpointTransportOptions) {
    const { endpoint, meters } = options;
    this.#options = options;
    const evicted = new Map(
      EVICTION_REASONS.map((reason) => [
        reason,
        meters.counter('faultline_http_evicted_connections', { endpoint, reason }),
      ]),
    );
    const bounds = boundsOf(DEFAULT_CONNECTIONS);
    this.#guard = new ConnectionGuard({ bounds, onEvicted: (reason) => evicted.get(reason)?.add() });
    this.#rate = rateOf(DEFAULT_CONNECTIONS);
    const limited = meters.counter('faultline_http_rate_limited_requests', { endpoint });
    const close = meters.gauge('faultline_http_connections', { endpoint }, () => this.#guard.count);
    this.#count = { rateLimited: () => limited.add(), close };
  }

  /** Whether clients have to speak TLS. */
  get isTls(): boolean {
    return this.#settings.tls !== undefined;
  }

  /** What a component says of the endpoint; the latest counts, bounds at once and TLS from the next `open` on. */
  adopt(component: string, settings: TransportSettings): void {
    const { connections: before } = this.#settings;
    this.#component = component;
    this.#settings = settings;
    if (settings.connections === undefined || isDeepStrictEqual(settings.connections, before)) return;
    this.#guard.adopt(boundsOf(settings.connections));
    this.#rate = rateOf(settings.connections);
    for (const server of this.#servers) this.#setTimeouts(server);
  }

  /** Reads the certificate. Throws `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID`. */
  async open(): Promise<void> {
    const { tls } = this.#settings;
    if (isDeepStrictEqual(tls, this.#openedTls)) return;
    const front = tls && (await this.#openFront(tls));
    this.#front?.close();
    this.#front = front;
    this.#openedTls = tls;
  }

  /** Stands between a server's sockets and its requests. */
  attach(server: Server): Server {
    this.#servers.add(server);
    this.#setTimeouts(server);
    const listeners = server.listeners('connection');
    const serve = (socket: Socket): void => {
      for (const listener of listeners) Reflect.apply(listener, server, [socket]);
    };
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (!this.#guard.admit(socket)) return;
      if (this.#front === undefined) serve(socket);
      else {
        this.#front.take(socket, (secure) => {
          this.#guard.alias(secure, socket);
          serve(secure);
        });
      }
    });
    return server;
  }

  /** A request's headers have come. */
  began(request: IncomingMessage, response: ServerResponse): void {
    this.#guard.began(request, response);
  }

  /** `RATE_LIMITED` where the client of a request sends too many of them. */
  refusalOf(request: IncomingMessage): RequestFault | undefined {
    const refusal = this.#rate.refusalOf(this.#guard.clientOf(request));
    if (refusal !== undefined) this.#count.rateLimited();
    return refusal;
  }

  /** Closes every connection at once. */
  closeConnections(): void {
    this.#guard.closeConnections();
  }

  /** Once no connection is left. Safe twice. */
  close(): void {
    this.#front?.close();
    this.#front = undefined;
    this.#openedTls = undefined;
    this.#guard.close();
    this.#servers.clear();
    this.#count.close();
  }

  async #openFront(tls: TlsServerSettings): Promise<TlsFront> {
    return new TlsFront({
      certificate: await this.#options.certificates.open(this.#component, tls),
      wantsClientCertificate: tls.client_ca_file !== undefined,
      protocols: PROTOCOLS,
      handshakeTimeoutMs: this.#timeouts.headersMs,
    });
  }

  get #timeouts(): Timeouts {
    return timeoutsOf(this.#settings.connections ?? DEFAULT_CONNECTIONS);
  }

  #setTimeouts(server: Server): void {
    const { headersMs, requestMs, idleMs } = this.#timeouts;
    server.headersTimeout = headersMs;
    server.requestTimeout = requestMs;
    server.keepAliveTimeout = idleMs;
  }
}

function boundsOf(settings: ConnectionSettings): ConnectionBounds {
  return {
    maxConnections: settings.max_connections,
    maxConnectionsPerClient: settings.max_connections_per_client,
    minBodyRate: parseSize(settings.min_body_rate),
  };
}

function rateOf({ requests_per_second: requestsPerSecond, request_burst: burst }: ConnectionSettings): RequestRate {
  return new RequestRate({ requestsPerSecond, burst });
}

function timeoutsOf(settings: ConnectionSettings): Timeouts {
  const requestMs = parseDuration(settings.read_timeout);
  return {
    requestMs,
    // node:http judges a whole request no earlier than its headers.
    headersMs: Math.min(parseDuration(settings.read_header_timeout), requestMs),
    idleMs: parseDuration(settings.idle_timeout),
  };
}
