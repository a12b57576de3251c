import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { within } from '../../../core/within.js';
import type { DrainDeadline } from './drain-deadline.js';

/** Requests of one component until their response is sent or their socket closes, which node:http does not tell a pipelined response. */
export class InFlightRequests {
  readonly #bySocket = new Map<Socket, { readonly responses: Set<ServerResponse>; readonly onClose: () => void }>();
  #count = 0;
  #onIdle = (): void => undefined;
  #drained: Promise<void> | undefined;

  add(response: ServerResponse): void {
    const { socket } = response.req;
    const responses = this.#bySocket.get(socket)?.responses ?? this.#track(socket);
    responses.add(response);
    this.#count++;
    response.once('close', () => {
      if (responses.delete(response)) this.#end(1);
    });
  }

  /** Waits for requests; an incomplete body goes to `onLateBody` after the time for bodies, and the end of the budget cuts off the rest. Idempotent. */
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
    await this.#waitUntilIdle(clock.remainingForBodiesMs());
    for (const { req } of this.#running()) if (!req.complete) onLateBody(req);
    await this.#waitUntilIdle(clock.remainingMs());
    for (const { req } of this.#running()) req.socket.destroy();
    this.#forgetIdle();
  }

  #closeConnections(): void {
    for (const response of this.#running()) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
  }

  /** A connection may outlive many components, so listeners on idle ones are removed. */
  #forgetIdle(): void {
    for (const [socket, { responses, onClose }] of this.#bySocket) {
      if (responses.size > 0) continue;
      socket.off('close', onClose);
      this.#bySocket.delete(socket);
    }
  }

  #running(): ServerResponse[] {
    return [...this.#bySocket.values()].flatMap(({ responses }) => [...responses]);
  }

  /** Resolves when no request is in flight, or after the timeout. */
  async #waitUntilIdle(timeoutMs: number): Promise<void> {
    if (this.#count === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    await within(timeoutMs, idle);
  }

  #track(socket: Socket): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    const onClose = (): void => {
      this.#bySocket.delete(socket);
      this.#end(responses.size);
      responses.clear();
    };
    this.#bySocket.set(socket, { responses, onClose });
    socket.once('close', onClose);
    return responses;
  }

  #end(requests: number): void {
    this.#count -= requests;
    if (this.#count === 0) this.#onIdle();
  }
}
