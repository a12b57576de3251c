import type { Server } from 'node:net';
import type { Logger } from 'pino';
import { type Endpoint, parseEndpoint } from '../../config/values/endpoint.js';
import { Fault } from '../../core/event/fault.js';
import { Meters } from '../telemetry/meters.js';
import { createEndpointApp } from './app.js';
import { servedPaths } from './declared-routes.js';
import { createEncodingReport, type ReportEncoding } from './decompression/content-encodings.js';
import type { EndpointRoutes } from './endpoint-routes.js';
import { accessText } from './endpoints/access-rule.js';
import { endpointText } from './endpoints/addresses.js';
import { areClashing, type ComparedPath, comparedPath, routeText } from './endpoints/served-path.js';
import { ServedRoutes } from './served-routes.js';
import type { DrainDeadline } from './server/drain-deadline.js';
import { HttpServer } from './server/http-server.js';
import { type Listening, listen } from './server/listen.js';
import { SocketPool } from './server/socket-pool.js';
import { type Certificates, createCertificates } from './tls/certificates.js';

interface HttpServersOptions {
  readonly drain: DrainDeadline;
  readonly logger: Logger;
  /** Default: meters that are not exported. */
  readonly meters?: Meters;
}

/** The servers of all endpoints, which stay open over reloads. Order: `attach` and `serve`, then `attach`, `replace` and `release` for each reload. */
export class HttpServers {
  /** The certificates of all TLS endpoints, also of those without HTTP. */
  readonly certificates: Certificates;
  /** Listening sockets of endpoints without HTTP. */
  readonly sockets: SocketPool;
  readonly #options: HttpServersOptions;
  readonly #meters: Meters;
  readonly #reportEncoding: ReportEncoding;
  readonly #servers = new Map<string, HttpServer>();

  constructor(options: HttpServersOptions) {
    this.#options = options;
    this.#meters = options.meters ?? new Meters();
    this.#reportEncoding = createEncodingReport(this.#meters, options.logger);
    this.certificates = createCertificates(options.logger);
    this.sockets = new SocketPool((endpoint, createServer) => this.#listen(endpoint, createServer));
  }

  /** Base URL of an endpoint, with the bound port; undefined unless it listens. */
  urlOf(endpoint: string): string | undefined {
    return this.#servers.get(keyOf(endpoint))?.url;
  }

  /** Prepares routes of a component, which nothing serves yet. Throws `ROUTE_WITHOUT_ACCESS`. */
  attach(component: string, declared: EndpointRoutes, onResponse?: (status: number | undefined) => void): ServedRoutes {
    const server = this.#serverAt(declared.endpoint);
    const unauthorized = this.#meters.counter('faultline_http_unauthorized_requests', { component });
    return new ServedRoutes(declared, { component, server, unauthorized, onResponse, logger: this.#options.logger });
  }

  /** Serves routes of all endpoints from now on. Throws `ROUTE_TAKEN`, and then changes nothing. */
  serve(routes: readonly ServedRoutes[]): void {
    for (const begin of this.#prepare(routes)) begin();
  }

  /** Serves other routes: holds requests until `release`, and keeps sockets open that are not used meanwhile. Throws `ROUTE_TAKEN`, and then changes nothing. */
  replace(routes: readonly ServedRoutes[]): void {
    const begins = this.#prepare(routes);
    for (const server of this.#servers.values()) server.beginReload();
    this.sockets.cutOver();
    for (const begin of begins) begin();
  }

  /** Serves held requests, and closes endpoints that nothing uses. */
  async release(): Promise<void> {
    for (const server of this.#servers.values()) server.endReload();
    this.sockets.release();
    await this.#close(({ isUnused }) => isUnused);
  }

  /** Closes all servers. */
  async close(): Promise<void> {
    this.sockets.release();
    await this.#close(() => true);
  }

  #serverAt(text: string): HttpServer {
    const key = keyOf(text);
    const existing = this.#servers.get(key);
    if (existing !== undefined) return existing;
    const { drain, logger } = this.#options;
    const server = new HttpServer({
      endpoint: parseEndpoint(text),
      drain,
      logger,
      certificates: this.certificates,
      meters: this.#meters,
      listen: (endpoint, createServer) => this.#listen(endpoint, createServer),
      onClosed: () => void this.#servers.delete(key),
    });
    this.#servers.set(key, server);
    return server;
  }

  /** Closes sockets on the port that nothing uses any longer, and listens. */
  #listen<Kind extends Server>(endpoint: Endpoint, createServer: () => Kind): Promise<Listening<Kind>> {
    for (const server of this.#servers.values()) {
      if (server.isUnused && server.port === endpoint.port) void server.close();
    }
    this.sockets.free(endpoint.port);
    return listen(endpoint, createServer);
  }

  /** Creates the app of each endpoint, and returns what puts them in the place of the earlier ones. */
  #prepare(routes: readonly ServedRoutes[]): (() => void)[] {
    const servers = [...new Set(routes.map(({ server }) => server))];
    return servers.map((server) => {
      const all = routes.filter((one) => one.server === server);
      // Those that yield come last.
      const components = [...all.filter(({ yields }) => !yields), ...all.filter(({ yields }) => yields)];
      assertNoClash(components);
      const { logger } = this.#options;
      const app = createEndpointApp(server, components, { logger, reportEncoding: this.#reportEncoding });
      return () => {
        server.serve(app, components);
        this.#logRoutes(components);
      };
    });
  }

  #logRoutes(components: readonly ServedRoutes[]): void {
    for (const { component, server, routes } of components) {
      for (const route of routes) {
        const line = { component, endpoint: server.text, access: accessText(route.access), route: routeText(route) };
        this.#options.logger.debug(line, 'serves a route');
      }
    }
  }

  async #close(isMeant: (server: HttpServer) => boolean): Promise<void> {
    await Promise.all([...this.#servers.values()].filter(isMeant).map((server) => server.close()));
  }
}

/** Endpoints are the same if their texts are. */
function keyOf(endpoint: string): string {
  return endpointText(parseEndpoint(endpoint)).toLowerCase();
}

/** Throws `ROUTE_TAKEN` if two of an endpoint's routes serve the same requests. Routes of one component may overlap, but not be equal. */
function assertNoClash(components: readonly ServedRoutes[]): void {
  const earlier: { readonly served: ServedRoutes; readonly path: ComparedPath }[] = [];
  for (const served of components) {
    const paths = servedPaths(served.router).map(comparedPath);
    const repeated = repeatedOf(paths.map(routeText));
    if (repeated !== undefined) throw routeTaken(served, repeated, served);
    for (const path of paths) {
      const taken = served.yields ? undefined : earlier.find((other) => areClashing(other.path, path));
      if (taken !== undefined) throw routeTaken(served, routeText(path), taken.served);
    }
    earlier.push(...paths.map((path) => ({ served, path })));
  }
}

function repeatedOf(texts: readonly string[]): string | undefined {
  return texts.find((text, index) => texts.indexOf(text) !== index);
}

function routeTaken({ component, server }: ServedRoutes, route: string, other: ServedRoutes): Fault {
  const owners = `${component} and ${other.component}`;
  const sentence = `${owners} both serve ${route} on ${server.text}: give one of them another endpoint`;
  return new Fault('ROUTE_TAKEN', sentence);
}
