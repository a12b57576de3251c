import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Endpoint } from '../../config/endpoint.js';
import type { Counter } from '../telemetry/meters.js';
import { endpointText, endpointUrl } from './addresses.js';
import { ChangingDoors } from './changing-doors.js';
import { createDrainClock, type DrainClock } from './drain-clock.js';
import { EndpointSockets, type EndpointSocketsOptions } from './endpoint-sockets.js';
import { EndpointTransport, type EndpointTransportOptions } from './endpoint-transport.js';
import { answerFailure } from './failed-request.js';
import { isHostAllowed } from './host-check.js';
import { type DoorHost, type DoorOptions, type HotHandler, HttpDoor, type LoadRouter } from './http-door.js';
import { createLazyRouter } from './lazy-router.js';
import { createNodeServer } from './node-server.js';
import type { RequestFault } from './request-fault.js';
import { RequestSwitch } from './request-switch.js';
import type { ServedDoors } from './served-doors.js';

/** What an endpoint is built with. */
export interface HttpServerOptions
  extends Omit<EndpointTransportOptions, 'endpoint'>,
    Pick<EndpointSocketsOptions, 'endpoint' | 'listen'> {
  readonly drain: DrainClock;
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
 * One endpoint: sockets, doors that change with the configuration, and the switch between them.
 * A change of the configuration: `doors.begin`, then doors are added, `doors.settle`, doors open, then `doors.commit` or `abort`, then the doors that leave close.
 */
export class HttpServer implements DoorHost {
  readonly doors: ChangingDoors;
  readonly #options: HttpServerOptions;
  readonly #logger: Logger;
  readonly #endpoint: Endpoint;
  readonly #transport: EndpointTransport;
  readonly #sockets: EndpointSockets;
  readonly #switch = new RequestSwitch(this);
  #opening: Promise<void> | undefined;

  constructor(options: HttpServerOptions) {
    const { endpoint, listen, logger } = options;
    const where = endpointText(endpoint);
    this.#options = options;
    this.#logger = logger;
    this.#endpoint = endpoint;
    this.#transport = new EndpointTransport({ ...options, endpoint: where });
    this.doors = new ChangingDoors(where);
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      this.#transport.began(request, response);
      this.#switch.dispatch(request, response);
    };
    this.#sockets = new EndpointSockets({
      endpoint,
      listen,
      createServer: () => this.#transport.attach(createNodeServer(onRequest)),
      onFault: (error) => logger.warn({ err: error }, 'a server met a fault'),
    });
  }

  get url(): string {
    const scheme = this.#transport.isTls ? 'https' : 'http';
    return endpointUrl({ host: this.#endpoint.host, port: this.port }, scheme);
  }

  get port(): number {
    return this.#sockets.port;
  }

  get served(): ServedDoors {
    return this.doors.served;
  }

  /** A new door, closed. */
  addDoor(options: DoorOptions): HttpDoor {
    const door = new HttpDoor(this, options);
    this.doors.add(door);
    return door;
  }

  addHotRoute(door: HttpDoor, method: string, path: string | RegExp, handler: HotHandler): void {
    this.doors.with(door).add({ door, handler, method, path });
  }

  addMount(door: HttpDoor, prefix: string, loadRouter: LoadRouter): void {
    const handler = createLazyRouter(
      prefix,
      loadRouter,
      (request, response) => this.#switch.answerUnknownPath(request, response),
      (request, response, error) => this.fail(request, response, error),
    );
    this.doors.with(door).add({ door, handler, prefix });
  }

  async open({ component, transport }: DoorOptions): Promise<void> {
    if (transport !== undefined) this.#transport.adopt(component, transport);
    this.#opening ??= this.#open();
    await this.#opening;
    await this.#transport.open();
  }

  async close(door: HttpDoor): Promise<void> {
    const { doors } = this.served;
    if (doors.some((other) => other.isOpen)) {
      return await door.drain(await this.#clockFor([door]));
    }
    // The last one. No new connections from here on; the kept ones close with their next answer.
    const closed = this.#sockets.stop();
    const clock = await this.#clockFor(doors);
    await Promise.all(doors.map((one) => one.drain(clock)));
    // Those that close by themselves meanwhile are not waited for.
    await Promise.race([closed, delay(Math.min(LINGER_MS, clock.remainingMs()))]);
    await Promise.all(doors.map((one) => one.drainRefused(clock)));
    this.#transport.closeConnections();
    await closed;
    this.#transport.close();
    this.#options.onClosed();
  }

  /** Goes on as before the change; the doors that came are closed already. */
  async abort(): Promise<void> {
    this.doors.abort();
    for (const { options } of this.served.doors) {
      if (options.transport !== undefined) this.#transport.adopt(options.component, options.transport);
    }
    if (!this.#sockets.isOpen) return;
    await this.#transport.open().catch((error: unknown) => this.#logger.error({ err: error }, 'TLS is not as before'));
  }

  /** Gives up what it was built with, where its change was called off before it listened. Safe twice. */
  discard(): void {
    this.#transport.close();
  }

  /** Takes no new connections, so that another endpoint can have the port; those that are there stay. */
  release(): void {
    void this.#sockets.stop();
  }

  /** Takes new connections again. Throws `LISTEN_FAILED`. */
  async listenAgain(): Promise<void> {
    await this.#sockets.resume();
  }

  allowsHost(header: string | undefined, door: DoorOptions): boolean {
    return isHostAllowed(header, this.#endpoint.host, door.allowedHosts);
  }

  unauthorizedOf(component: string): Counter {
    return this.#options.meters.counter('faultline_http_unauthorized_requests', { component });
  }

  rateRefusalOf(request: IncomingMessage): RequestFault | undefined {
    return this.#transport.refusalOf(request);
  }

  fail(request: IncomingMessage, response: ServerResponse, error: unknown, door?: DoorOptions): void {
    answerFailure(this.#logger, request, response, error, door);
  }

  async #open(): Promise<void> {
    await this.#transport.open();
    try {
      await this.#sockets.open();
    } catch (error) {
      this.#transport.close();
      throw error;
    }
  }

  #clockFor(doors: readonly HttpDoor[]): Promise<DrainClock> | DrainClock {
    const { drain } = this.#options;
    return doors.some((door) => this.doors.isLeaving(door)) ? leavingClock(doors, drain) : drain;
  }
}

/** What closing doors that leave is measured by: a clock that begins once their requests have ended, or the collector's own as soon as somebody stops it. */
async function leavingClock(doors: readonly HttpDoor[], drain: DrainClock): Promise<DrainClock> {
  await Promise.all(doors.map((door) => door.ended(LEAVING_PATIENCE_MS, drain.onBegin)));
  return drain.isBegun ? drain : createDrainClock(LEAVING_DRAIN_MS);
}
