import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { ConnectionSettings, TlsServerSettings } from '../../../generated/settings.js';
import type { Meters } from '../../telemetry/meters.js';
import { interruptBody } from '../messages/read-body.js';
import type { Certificates } from '../tls/certificates.js';
import { createTlsRefusals } from '../tls/tls-failure.js';
import { TlsTerminator } from '../tls/tls-terminator.js';
import type { IncomingMessageState } from './connection-limiter.js';
import { EndpointLimits } from './endpoint-limits.js';

/** How an endpoint accepts connections; all components that share it have the same settings. */
export interface TransportSettings {
  /** Undefined: plaintext. */
  readonly tls: TlsServerSettings | undefined;
  /** Default: those of the schema. */
  readonly connections?: ConnectionSettings;
}

export interface EndpointTransportOptions {
  /** The configured text, for metrics and the log. */
  readonly endpoint: string;
  readonly certificates: Certificates;
  readonly meters: Meters;
  readonly logger: Logger;
}

const PROTOCOLS = ['http/1.1'];

/** TLS and limits of one endpoint: `adopt` for each component, `open` before listening and after changes, `attach` for each server. */
export class EndpointTransport {
  readonly #options: EndpointTransportOptions;
  readonly limits: EndpointLimits;
  readonly #onRefused;
  readonly #servers = new Set<Server>();
  #settings: TransportSettings = { tls: undefined };
  #component = '';
  #tlsTerminator: TlsTerminator | undefined;
  #openedTls: TlsServerSettings | undefined;

  constructor(options: EndpointTransportOptions) {
    this.#options = options;
    this.limits = new EndpointLimits(options.endpoint, options.meters);
    this.#onRefused = createTlsRefusals(options);
  }

  /** Whether clients must use TLS. */
  get isTls(): boolean {
    return this.#settings.tls !== undefined;
  }

  /** Sets the settings of the endpoint; the latest win. Limits apply at once, TLS from the next `open`. */
  adopt(component: string, settings: TransportSettings): void {
    const { connections: before } = this.#settings;
    this.#component = component;
    this.#settings = settings;
    if (settings.connections === undefined || isDeepStrictEqual(settings.connections, before)) return;
    this.limits.adopt(settings.connections);
    for (const server of this.#servers) this.#setTimeouts(server);
  }

  /** Loads the certificate. Throws `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID`. */
  async open(): Promise<void> {
    const { tls } = this.#settings;
    if (isDeepStrictEqual(tls, this.#openedTls)) return;
    const front = tls && (await this.#openTlsTerminator(tls));
    this.#tlsTerminator?.close();
    this.#tlsTerminator = front;
    this.#openedTls = tls;
  }

  /** Applies TLS and limits to the connections of a server. */
  attach(server: Server): Server {
    this.#servers.add(server);
    this.#setTimeouts(server);
    const listeners = server.listeners('connection');
    const serve = (socket: Socket): void => {
      for (const listener of listeners) Reflect.apply(listener, server, [socket]);
    };
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (!this.limits.admit(socket)) return;
      if (this.#tlsTerminator === undefined) serve(socket);
      else {
        this.#tlsTerminator.accept(socket, (secure) => {
          this.limits.alias(secure, socket);
          serve(secure);
        });
      }
    });
    return server;
  }

  /** Called when the headers of a request have arrived. */
  requestStarted(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const arrival = arrivalOf(request);
    this.limits.requestStarted(socket, arrival);
    response.once('close', () => this.limits.requestEnded(socket, arrival));
  }

  /** Call when no connection is left. Idempotent. */
  close(): void {
    this.#tlsTerminator?.close();
    this.#tlsTerminator = undefined;
    this.#openedTls = undefined;
    this.limits.close();
    this.#servers.clear();
  }

  async #openTlsTerminator(tls: TlsServerSettings): Promise<TlsTerminator> {
    return new TlsTerminator({
      certificate: await this.#options.certificates.open(this.#component, tls),
      wantsClientCertificate: tls.client_ca_file !== undefined,
      protocols: PROTOCOLS,
      handshakeTimeoutMs: this.limits.times.headersMs,
      onRefused: this.#onRefused,
    });
  }

  #setTimeouts(server: Server): void {
    const { headersMs, requestMs, idleMs } = this.limits.times;
    server.headersTimeout = headersMs;
    server.requestTimeout = requestMs;
    server.keepAliveTimeout = idleMs;
  }
}

/** The state of an incoming request of node:http. Functions, because accessors of a literal are slow to create. */
export function arrivalOf(request: IncomingMessage): IncomingMessageState {
  return {
    isComplete: () => request.complete,
    isReading: () => request.readableFlowing === true,
    respondWithFault: (fault) => interruptBody(request, fault),
  };
}
