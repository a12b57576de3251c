import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '../../core/event/fault.js';
import { type DoorHost, hostNotAllowed } from './http-door.js';
import { methodNotAllowed } from './method-not-allowed.js';
import { RequestFault } from './request-fault.js';
import { checkShape } from './request-shape.js';
import { requestPath } from './request-target.js';
import { routeFor } from './route-table.js';
import type { ServedDoors } from './served-doors.js';

/** Who stands behind a switch. */
export interface RequestSwitchHost extends Pick<DoorHost, 'allowsHost' | 'fail'> {
  /** What requests find now. */
  readonly served: ServedDoors;
}

/** Gives each request to the door that serves its path, and answers what none does. */
export class RequestSwitch {
  readonly #host: RequestSwitchHost;

  constructor(host: RequestSwitchHost) {
    this.#host = host;
  }

  dispatch(request: IncomingMessage, response: ServerResponse): void {
    const { served } = this.#host;
    try {
      checkShape(request);
      const path = requestPath(request);
      const routes = served.hotRoutesOf(path);
      const route = routes === undefined ? served.mountOf(path, request) : routeFor(request, routes);
      if (route !== undefined) void route.door.serve(request, response, route.handler);
      else if (routes === undefined) this.answerUnknownPath(request, response);
      else this.#failKnownHost(request, response, methodNotAllowed(request.method, [...routes.keys()]));
    } catch (error) {
      this.#host.fail(request, response, error);
    }
  }

  /** 404; also where a router knows no such path. */
  answerUnknownPath(request: IncomingMessage, response: ServerResponse): void {
    this.#failKnownHost(request, response, new RequestFault('PATH_NOT_FOUND', 'nothing is served at this path'));
  }

  /** Answers what no door takes; a host that no door serves learns nothing more than that. */
  #failKnownHost(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
    const { host } = request.headers;
    const isHostKnown = this.#host.served.doors.some((door) => this.#host.allowsHost(host, door.options));
    this.#host.fail(request, response, isHostKnown ? fault : hostNotAllowed(host));
  }
}
