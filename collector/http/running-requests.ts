import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { DrainClock } from './drain-clock.js';

/**
 * The requests that one door is answering. One runs until its answer is out or its connection is gone; the latter is asked of the connection,
 * because node:http tells nothing to an answer that waits behind another one (pipelining) when their connection breaks.
 */
export class RunningRequests {
  readonly #bySocket = new Map<Socket, Set<ServerResponse>>();
  #count = 0;
  #onNone: (() => void) | undefined;
  #drained: Promise<void> | undefined;

  /** Counts a request until it has ended. */
  add(response: ServerResponse): void {
    const { socket } = response.req;
    const responses = this.#bySocket.get(socket) ?? this.#watch(socket);
    responses.add(response);
    this.#count++;
    response.once('close', () => {
      if (responses.delete(response)) this.#end(1);
    });
  }

  /**
   * Tells the running ones to close their connections, and waits for them. Those whose body is still arriving after the clock's time for bodies are
   * given to `onLateBody`, which has them answered. What still runs when the whole time is over is cut off. Safe to call twice.
   */
  drain(clock: DrainClock, onLateBody: (request: IncomingMessage) => void): Promise<void> {
    this.#drained ??= this.#drain(clock, onLateBody);
    return this.#drained;
  }

  async #drain(clock: DrainClock, onLateBody: (request: IncomingMessage) => void): Promise<void> {
    for (const response of this.#running()) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
    await this.#none(clock.remainingForBodiesMs());
    for (const { req } of this.#running()) if (!req.complete) onLateBody(req);
    await this.#none(clock.remainingMs());
    for (const { req } of this.#running()) req.socket.destroy();
  }

  #running(): ServerResponse[] {
    return [...this.#bySocket.values()].flatMap((responses) => [...responses]);
  }

  /** Resolves when none runs, or when the time is over. */
  async #none(timeoutMs: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#onNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #watch(socket: Socket): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    this.#bySocket.set(socket, responses);
    socket.once('close', () => {
      this.#bySocket.delete(socket);
      this.#end(responses.size);
      responses.clear();
    });
    return responses;
  }

  #end(requests: number): void {
    this.#count -= requests;
    if (this.#count === 0) this.#onNone?.();
  }
}
