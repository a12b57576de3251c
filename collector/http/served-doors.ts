import type { IncomingMessage } from 'node:http';
import { Fault } from '../../core/event/fault.js';
import { type HotHandler, type HttpDoor, isPreflightRequest } from './http-door.js';
import { areClashing, claimText, type RouteClaim } from './route-claim.js';
import { type Route, type RoutesOfPath, RouteTable } from './route-table.js';

/** What a door serves: a hot route, or everything below a prefix. */
type Served = RouteClaim & { readonly door: HttpDoor; readonly handler: HotHandler };

/** What routers take. */
const METHODS_OF_MOUNTS = ['GET', 'HEAD', 'POST', 'DELETE'];

/** The doors that one line has on a server, and what is served behind each. */
export class ServedDoors {
  readonly doors: HttpDoor[] = [];
  readonly #served: Served[] = [];
  readonly #hotRoutes = new RouteTable();
  /** As an operator writes the endpoint, for faults. */
  readonly #where: string;

  constructor(where: string) {
    this.#where = where;
  }

  /** Throws `ROUTE_TAKEN`. */
  add(served: Served): void {
    this.#take(served);
    this.#served.push(served);
    if ('path' in served) this.#hotRoutes.add(served.method, served.path, served);
  }

  /** The hot routes of a path; undefined where none is. */
  hotRoutesOf(path: string): RoutesOfPath | undefined {
    return this.#hotRoutes.find(path);
  }

  /** The router that takes a path. */
  mountOf(path: string, request: IncomingMessage): Route | undefined {
    const mount = this.#served.find(
      (one) => 'prefix' in one && (path === one.prefix || path.startsWith(`${one.prefix}/`)),
    );
    const preflight = isPreflightRequest(request) ? mount?.door.preflight(METHODS_OF_MOUNTS) : undefined;
    return mount && { door: mount.door, handler: preflight ?? mount.handler };
  }

  #take(served: Served): void {
    const route = claimText(served);
    const taken = this.#served.find((other) => {
      // A door knows what its own methods are for.
      if (other.door === served.door) return claimText(other) === route;
      return areClashing(other, served);
    });
    if (taken === undefined) return;
    const owners = `${served.door.options.component} and ${taken.door.options.component}`;
    throw new Fault(
      'ROUTE_TAKEN',
      `${owners} both serve ${route} on ${this.#where}: give one of them another endpoint`,
    );
  }
}
