import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
   * Tells the running ones to close their connections, and waits for them. What still runs when the time is over is cut off.
   * The time of the first call counts.
   */
  drain(timeoutMs: number): Promise<void> {
    this.#drained ??= this.#drain(timeoutMs);
    return this.#drained;
  }

  async #drain(timeoutMs: number): Promise<void> {
    for (const responses of this.#bySocket.values()) {
      for (const response of responses) if (!response.headersSent) response.setHeader('connection', 'close');
    }
    if (this.#count > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#onNone = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    for (const [socket, responses] of this.#bySocket) if (responses.size > 0) socket.destroy();
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
