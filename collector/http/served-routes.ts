import type { Router } from 'express';
import type { Logger } from 'pino';
import { Fault } from '../../core/event/fault.js';
import { hasCode } from '../../core/storage/files/system-error.js';
import type { Counter } from '../telemetry/meters.js';
import { closeRouter, type DeclaredRoute, declaredRoutes } from './declared-routes.js';
import type { EndpointRoutes } from './endpoint-routes.js';
import type { TransportSettings } from './server/endpoint-transport.js';
import type { HttpServer, ServedComponent } from './server/http-server.js';
import { RequestGate } from './server/request-gate.js';

interface ServedRoutesOptions {
  /** Component id. */
  readonly component: string;
  readonly server: HttpServer;
  /** Counts requests that access rules refuse. */
  readonly unauthorized: Counter;
  /** Called with the status of each response, undefined if the client left first; not for preflights. */
  readonly onResponse?: ((status: number | undefined) => void) | undefined;
  readonly logger: Logger;
}

/** The routes of a component on the server of their endpoint. Order: `open`, `close`. */
export class ServedRoutes implements ServedComponent {
  readonly component: string;
  readonly router: Router;
  readonly routes: readonly DeclaredRoute[];
  readonly server: HttpServer;
  readonly gate = new RequestGate();
  readonly transport: TransportSettings | undefined;
  readonly allowedHosts: readonly string[];
  readonly reportsHealth: boolean;
  readonly yields: boolean;
  readonly unauthorized: Counter;
  readonly onResponse: ServedRoutesOptions['onResponse'];
  readonly #declared: EndpointRoutes;
  readonly #logger: Logger;

  /** Throws `ROUTE_WITHOUT_ACCESS`. */
  constructor(declared: EndpointRoutes, { component, server, unauthorized, onResponse, logger }: ServedRoutesOptions) {
    this.component = component;
    this.router = declared.router;
    this.routes = declaredRoutes(declared.router, component);
    closeRouter(declared.router);
    this.server = server;
    this.transport = declared.transport;
    this.allowedHosts = declared.allowedHosts ?? [];
    this.reportsHealth = declared.reportsHealth ?? false;
    this.yields = declared.yields ?? false;
    this.unauthorized = unauthorized;
    this.onResponse = onResponse;
    this.#declared = declared;
    this.#logger = logger;
  }

  /** Accepts requests; listens if the server does not yet. Throws `LISTEN_FAILED`, `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID`. */
  async open(): Promise<void> {
    const { setting, toleratesTakenPort } = this.#declared;
    try {
      await this.server.open(this.gate);
    } catch (error) {
      if (!(error instanceof Fault) || setting === undefined) throw error;
      const sentence = `${setting}: ${error.message}`;
      if (!toleratesTakenPort || !hasCode(error.cause, 'EADDRINUSE')) {
        throw new Fault(error.code, sentence, { cause: error });
      }
      this.#logger.warn({ code: error.code, reason: sentence }, 'not served, because the port is in use');
    }
  }

  /** Refuses requests, and drains those in flight; the last ones close the server, except during a reload. */
  async close(): Promise<void> {
    this.gate.stop();
    await this.server.drain(this.gate);
  }
}
