import type { ServerResponse } from 'node:http';
import { RequestFault } from '../messages/http-fault.js';
import { interruptBody } from '../messages/read-body.js';
import type { DrainDeadline } from './drain-deadline.js';
import { InFlightRequests } from './in-flight-requests.js';

/** Lets the requests of one component through between `open` and `stop`, and drains them. */
export class RequestGate {
  readonly #admitted = new InFlightRequests();
  /** Kept apart, because clients may repeat refused requests endlessly during a drain. */
  readonly #refused = new InFlightRequests();
  #state: 'starting' | 'open' | 'stopping' = 'starting';

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Throws `COLLECTOR_STARTING` or `COLLECTOR_STOPPING`, both retryable, unless it is open. */
  admit(response: ServerResponse): void {
    (this.isOpen ? this.#admitted : this.#refused).add(response);
    if (this.#state !== 'open') throw notOpen(this.#state);
  }

  open(): void {
    this.#state = 'open';
  }

  /** Refuses requests from now on. */
  stop(): void {
    this.#state = 'stopping';
  }

  /** Waits for admitted requests, see `InFlightRequests.drain`. */
  drain(clock: DrainDeadline, closesConnections: boolean): Promise<void> {
    return this.#admitted.drain(clock, closesConnections, (request) => interruptBody(request, notOpen('stopping')));
  }

  /** Waits for refused requests; call once no connection is accepted. */
  drainRefused(clock: DrainDeadline): Promise<void> {
    return this.#refused.drain(clock, true, () => undefined);
  }
}

function notOpen(state: 'starting' | 'stopping'): RequestFault {
  const code = state === 'starting' ? 'COLLECTOR_STARTING' : 'COLLECTOR_STOPPING';
  // A component also stops where a reload gives up its endpoint.
  const why = state === 'starting' ? 'the collector is starting' : 'the collector stops, or no longer listens here';
  const options = { retryable: true, headers: { connection: 'close' } };
  return new RequestFault(code, `${why}; send the request again`, options);
}
