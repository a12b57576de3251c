import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { DrainDeadline } from './drain-deadline.js';

/**
 * The requests that one mount is answering. One runs until its answer is out or its connection is gone; the latter is asked of the connection,
 * because node:http tells nothing to an answer that waits behind another one (pipelining) when their connection breaks.
 */
export class RunningRequests {
  readonly #bySocket = new Map<Socket, Set<ServerResponse>>();
  readonly #onClose = new Map<Socket, () => void>();
  #count = 0;
  readonly #onNone = new Set<() => void>();
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
   * Waits for the running ones, with `closesConnections` telling them to close theirs. Those whose body is still arriving after the clock's time for bodies are
   * given to `onLateBody`, which has them answered. What still runs when the whole time is over is cut off. Safe to call twice.
   */
  drain(
    clock: DrainDeadline,
    closesConnections: boolean,
    onLateBody: (request: IncomingMessage) => void,
  ): Promise<void> {
    if (closesConnections) this.#closeConnections();
    this.#drained ??= this.#drain(clock, onLateBody);
    return this.#drained;
  }

  async #drain(clock: DrainDeadline, onLateBody: (request: IncomingMessage) => void): Promise<void> {
    await this.#none(clock.remainingForBodiesMs());
    for (const { req } of this.#running()) if (!req.complete) onLateBody(req);
    await this.#none(clock.remainingMs());
    for (const { req } of this.#running()) req.socket.destroy();
    this.#forgetIdle();
  }

  #closeConnections(): void {
    for (const response of this.#running()) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
  }

  /** A connection may outlive many mounts: none of them is to follow it any longer than it has to. */
  #forgetIdle(): void {
    for (const [socket, responses] of this.#bySocket) {
      const onClose = this.#onClose.get(socket);
      if (responses.size > 0 || onClose === undefined) continue;
      socket.off('close', onClose);
      this.#bySocket.delete(socket);
      this.#onClose.delete(socket);
    }
  }

  #running(): ServerResponse[] {
    return [...this.#bySocket.values()].flatMap((responses) => [...responses]);
  }

  /** Resolves when none runs, or when the time is over. */
  async #none(timeoutMs: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#onNone.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#onNone.add(done);
    });
  }

  #watch(socket: Socket): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    this.#bySocket.set(socket, responses);
    const onClose = (): void => {
      this.#bySocket.delete(socket);
      this.#onClose.delete(socket);
      this.#end(responses.size);
      responses.clear();
    };
    this.#onClose.set(socket, onClose);
    socket.once('close', onClose);
    return responses;
  }

  #end(requests: number): void {
    this.#count -= requests;
    if (this.#count > 0) return;
    for (const done of this.#onNone) done();
  }
}
