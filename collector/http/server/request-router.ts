import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '../../../core/event/fault.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { methodNotAllowed, RequestFault } from '../messages/http-fault.js';
import { checkShape, hostNotAllowed, requestPath } from '../messages/request-guard.js';
import type { MountHost } from './http-mount.js';
import type { FoundRoute, MountTable, Route } from './mount-table.js';

/** Who stands behind a switch. */
export interface RequestSwitchHost extends Pick<MountHost, 'allowsHost' | 'fail'> {
  /** What requests find now. */
  readonly served: MountTable;
}

/** Of one endpoint; about twice as many as it holds connections by default. What comes beyond is answered 503. */
const MAX_WAITING = 4_096;
/** Longer than a start takes, unless an index is rebuilt. */
const MAX_WAIT_MS = 30_000;

/** Gives each request to the mount that serves its path, and answers what none does. While the line changes, requests wait. */
export class RequestRouter {
  readonly #host: RequestSwitchHost;
  readonly #waiting = new Map<ServerResponse, IncomingMessage>();
  /** Set while requests may wait. */
  #deadline: NodeJS.Timeout | undefined;

  constructor(host: RequestSwitchHost) {
    this.#host = host;
  }

  dispatch(request: IncomingMessage, response: ServerResponse): void {
    try {
      checkShape(request);
      const { routes, route } = this.#find(request);
      if (this.#hasToWait(route) && this.#waiting.size < MAX_WAITING) {
        this.#waiting.set(response, request);
        response.once('close', () => this.#waiting.delete(response));
      } else if (route !== undefined) void route.mount.serve(request, response, route.handler);
      else if (routes === undefined) {
        this.#failKnownHost(request, response, new RequestFault('PATH_NOT_FOUND', 'nothing is served at this path'));
      } else this.#failKnownHost(request, response, methodNotAllowed(request.method, [...routes.keys()]));
    } catch (error) {
      this.#host.fail(request, response, error);
    }
  }

  /** From now on requests wait, until `release` or for 30 seconds, except for open mounts that watch. Safe twice. */
  hold(): void {
    this.#deadline ??= setTimeout(() => this.release(), MAX_WAIT_MS).unref();
  }

  /** Answers what waits, and what comes from now on at once. Safe twice. */
  release(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
    void this.serveWaiting();
  }

  /** Serves those that need not wait any longer. */
  async serveWaiting(): Promise<void> {
    const slice = beginTimeSlice();
    for (const [response, request] of [...this.#waiting]) {
      if (slice.isOver) await slice.next();
      if (this.#hasToWait(this.#find(request).route)) continue;
      // The connection is asked too: an answer that waits behind another one is not told when it breaks.
      if (this.#waiting.delete(response) && !request.socket.destroyed) this.dispatch(request, response);
    }
  }

  /** A mount of a line that may not come up answers nobody yet. */
  #hasToWait(route: Route | undefined): boolean {
    return this.#deadline !== undefined && !(route?.mount.options.isWatching === true && route.mount.isOpen);
  }

  #find(request: IncomingMessage): FoundRoute {
    return this.#host.served.find(requestPath(request), request);
  }

  /** Answers what no mount takes; a host that no mount serves learns nothing more than that. */
  #failKnownHost(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
    const { host } = request.headers;
    const isHostKnown = this.#host.served.mounts.some((mount) => this.#host.allowsHost(host, mount.options));
    this.#host.fail(request, response, isHostKnown ? fault : hostNotAllowed(host));
  }
}
