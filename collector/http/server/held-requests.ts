import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { beginTimeSlice } from '../../../core/time-slice.js';

/** Held requests of one endpoint, about twice the default `max_connections`. */
const MAX_HELD = 4_096;
/** Longer than a start takes, unless the index is rebuilt. */
const MAX_HOLD_MS = 30_000;

interface HeldRequest {
  readonly request: IncomingMessage;
  /** Listens to the response, which may be held several times. */
  readonly forget: () => void;
}

/** Requests of one endpoint that wait while a reload exchanges the components. */
export class HeldRequests {
  readonly #serve: RequestListener;
  readonly #held = new Map<ServerResponse, HeldRequest>();
  /** Set during a reload. */
  #deadline: NodeJS.Timeout | undefined;

  /** `serve` answers requests that need not wait any longer. */
  constructor(serve: RequestListener) {
    this.#serve = serve;
  }

  get isHolding(): boolean {
    return this.#deadline !== undefined;
  }

  /** Holds requests until `release` or for 30 seconds. Idempotent. */
  begin(): void {
    this.#deadline ??= setTimeout(() => this.release(), MAX_HOLD_MS).unref();
  }

  /** Holds a request; returns false outside of a reload, and if 4,096 are held. */
  hold(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#deadline === undefined || this.#held.size >= MAX_HELD) return false;
    const forget = () => void this.#held.delete(response);
    this.#held.set(response, { request, forget });
    response.once('close', forget);
    return true;
  }

  /** Serves held requests and stops holding. Idempotent. */
  release(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
    void this.serveAgain();
  }

  /** Serves the held requests; those that have to wait longer are held again. */
  async serveAgain(): Promise<void> {
    const slice = beginTimeSlice();
    for (const [response, { request, forget }] of [...this.#held]) {
      if (slice.isOver) await slice.next();
      if (!this.#held.delete(response)) continue;
      response.off('close', forget);
      // A pipelined response is not notified when its connection closes, so the socket is asked.
      if (!request.socket.destroyed) this.#serve(request, response);
    }
  }
}
