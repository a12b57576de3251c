import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '../../../core/event/fault.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { methodNotAllowed, RequestFault } from '../messages/http-fault.js';
import { checkShape, hostNotAllowed, requestPath } from '../messages/request-guard.js';
import type { MountHost, Route } from './http-mount.js';
import type { FoundRoute, MountTable } from './mount-table.js';

interface RequestRouterHost extends Pick<MountHost, 'allowsHost' | 'fail'> {
  readonly served: MountTable;
}

/** Held requests of one endpoint, about twice the default `max_connections`; more get a 503. */
const MAX_WAITING = 4_096;
/** Longer than a start takes, unless the index is rebuilt. */
const MAX_WAIT_MS = 30_000;

/** Routes each request to its mount. During a reload it holds requests. */
export class RequestRouter {
  readonly #host: RequestRouterHost;
  readonly #held = new Map<ServerResponse, IncomingMessage>();
  /** Set while requests are held. */
  #deadline: NodeJS.Timeout | undefined;

  constructor(host: RequestRouterHost) {
    this.#host = host;
  }

  dispatch(request: IncomingMessage, response: ServerResponse): void {
    try {
      checkShape(request);
      const { routes, route } = this.#find(request);
      if (this.#isHeld(route) && this.#held.size < MAX_WAITING) {
        this.#held.set(response, request);
        response.once('close', () => this.#held.delete(response));
      } else if (route !== undefined) void route.mount.serve(request, response, route);
      else if (routes === undefined) {
        this.#refuse(request, response, new RequestFault('PATH_NOT_FOUND', 'nothing is served at this path'));
      } else this.#refuse(request, response, methodNotAllowed(request.method, [...routes.keys()]));
    } catch (error) {
      this.#host.fail(request, response, error);
    }
  }

  /** Holds requests until `release` or for 30 seconds, except for open mounts that report health. Idempotent. */
  hold(): void {
    this.#deadline ??= setTimeout(() => this.release(), MAX_WAIT_MS).unref();
  }

  /** Serves held requests and stops holding. Idempotent. */
  release(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
    void this.serveHeld();
  }

  /** Serves held requests that need not wait any longer. */
  async serveHeld(): Promise<void> {
    const slice = beginTimeSlice();
    for (const [response, request] of [...this.#held]) {
      if (slice.isOver) await slice.next();
      if (this.#isHeld(this.#find(request).route)) continue;
      // The socket is checked too: a pipelined response is not notified when its connection closes.
      if (this.#held.delete(response) && !request.socket.destroyed) this.dispatch(request, response);
    }
  }

  /** Pipelines may fail to start, so only open mounts that report health serve during a reload. */
  #isHeld(route: Route | undefined): boolean {
    return this.#deadline !== undefined && !(route?.mount.options.reportsHealth === true && route.mount.isOpen);
  }

  #find(request: IncomingMessage): FoundRoute {
    return this.#host.served.find(requestPath(request), request);
  }

  /** Refuses a request without a route; a request for an unknown host learns nothing else. */
  #refuse(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
    const { host } = request.headers;
    const isHostKnown = this.#host.served.mounts.some((mount) => this.#host.allowsHost(host, mount.options));
    this.#host.fail(request, response, isHostKnown ? fault : hostNotAllowed(host));
  }
}
