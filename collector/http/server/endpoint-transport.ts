import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Fault } from '../../../core/event/fault.js';
import type { ConnectionSettings, TlsServerSettings } from '../../../generated/settings.js';
import type { Meters } from '../../telemetry/meters.js';
import type { IncomingMessageState } from '../connections/connection-limiter.js';
import { EndpointLimits } from '../connections/endpoint-limits.js';
import type { RequestFault } from '../messages/http-fault.js';
import { interruptBody } from '../messages/read-body.js';
import type { Certificates } from '../tls/certificates.js';
import { TlsRefusals } from '../tls/tls-failure-log.js';
import { TlsTerminator } from '../tls/tls-terminator.js';

/** How connections to an endpoint are made; components of one endpoint say the same. */
export interface TransportSettings {
  /** Undefined: not encrypted. */
  readonly tls: TlsServerSettings | undefined;
  /** Absent: the defaults. */
  readonly connections?: ConnectionSettings;
}

/** What a transport is built from. */
export interface EndpointTransportOptions {
  /** As an operator writes it, for metrics and the log. */
  readonly endpoint: string;
  readonly certificates: Certificates;
  readonly meters: Meters;
  readonly logger: Logger;
}

const PROTOCOLS = ['http/1.1'];

/**
 * What lies between the sockets of an endpoint and its requests: TLS, and the bounds on connections and requests of clients. `adopt` whenever a component
 * comes, `open` before listening and again when what was adopted is to count, `attach` each server.
 */
export class EndpointTransport {
  readonly #options: EndpointTransportOptions;
  readonly #guard: EndpointLimits;
  readonly #refusals: TlsRefusals;
  readonly #servers = new Set<Server>();
  #settings: TransportSettings = { tls: undefined };
  #component = '';
  #front: TlsTerminator | undefined;
  #openedTls: TlsServerSettings | undefined;

  constructor(options: EndpointTransportOptions) {
    this.#options = options;
    this.#guard = new EndpointLimits(options.endpoint, options.meters);
    this.#refusals = new TlsRefusals(options);
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
    this.#guard.adopt(settings.connections);
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
    const { socket } = request;
    const arrival = new ArrivingRequest(request);
    this.#guard.requestStarted(socket, arrival);
    response.once('close', () => this.#guard.requestEnded(socket, arrival));
  }

  /** `RATE_LIMITED` where the client of a request sends too many of them. */
  refusalOf(request: IncomingMessage): RequestFault | undefined {
    return this.#guard.refusalOf(request.socket);
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
  }

  async #openFront(tls: TlsServerSettings): Promise<TlsTerminator> {
    return new TlsTerminator({
      certificate: await this.#options.certificates.open(this.#component, tls),
      wantsClientCertificate: tls.client_ca_file !== undefined,
      protocols: PROTOCOLS,
      handshakeTimeoutMs: this.#guard.times.headersMs,
      onRefused: (refusal) => this.#refusals.tell(refusal),
    });
  }

  #setTimeouts(server: Server): void {
    const { headersMs, requestMs, idleMs } = this.#guard.times;
    server.headersTimeout = headersMs;
    server.requestTimeout = requestMs;
    server.keepAliveTimeout = idleMs;
  }
}

/** A request of node:http that arrives. */
export class ArrivingRequest implements IncomingMessageState {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  get isWhole(): boolean {
    return this.#request.complete;
  }

  get isTaken(): boolean {
    return this.#request.readableFlowing === true;
  }

  refuse(fault: Fault): void {
    interruptBody(this.#request, fault);
  }
}
