import type { Socket } from 'node:net';
import type { Fault } from '../../../core/event/fault.js';
import type { Arrival } from '../../http/arrival.js';
import type { EndpointGuard } from '../../http/endpoint-guard.js';

/** One call, from its headers to its status. */
export interface GrpcCall {
  /** Its message is whole. */
  arrived(): void;
  /** It was answered, or given up. Safe twice. */
  end(): void;
}

interface ArrivingCall {
  readonly sinceMs: number;
  /** Of the connection when it began. */
  readonly bytes: number;
  readonly refuse: (fault: Fault) => void;
}

/** After a refusal, before the connection is closed with what the library holds of the messages: so long has the client to read the answer. */
const LINGER_MS = 1_000;

/** A gRPC connection with its calls, as the bounds of its endpoint see it. */
export class GrpcConnection implements Arrival {
  readonly isTaken = true;
  readonly #socket: Socket;
  readonly #guard: EndpointGuard;
  readonly #nowMs: () => number;
  /** The oldest first. */
  readonly #arriving = new Set<ArrivingCall>();
  #answering = 0;
  /** Bytes of messages that were given up before they were whole; the library may keep them as long as the connection is open. */
  #abandonedBytes = 0;
  #restsSinceMs: number | undefined;

  /** `socket` is as it was accepted. */
  constructor(socket: Socket, guard: EndpointGuard, nowMs: () => number) {
    this.#socket = socket;
    this.#guard = guard;
    this.#nowMs = nowMs;
    this.#restsSinceMs = nowMs();
  }

  get socket(): Socket {
    return this.#socket;
  }

  get isWhole(): boolean {
    return this.#answering > 0 || this.#arriving.size === 0;
  }

  /** Since when it has no call; undefined while it has one. */
  get restsSinceMs(): number | undefined {
    return this.#restsSinceMs;
  }

  /** Since when its oldest unfinished message arrives. */
  get arrivesSinceMs(): number | undefined {
    return this.#oldest?.sinceMs;
  }

  /** At most so many bytes of unfinished messages are in memory for it: all that came since the oldest of them began. */
  get heldBytes(): number {
    const oldest = this.#oldest;
    return this.#abandonedBytes + (oldest === undefined ? 0 : this.#socket.bytesRead - oldest.bytes);
  }

  /** A call whose message is to come; `refuse` answers it. */
  begin(refuse: (fault: Fault) => void): GrpcCall {
    const call: ArrivingCall = { sinceMs: this.#nowMs(), bytes: this.#socket.bytesRead, refuse };
    if (this.#restsSinceMs !== undefined) this.#guard.sends(this.#socket, this);
    this.#restsSinceMs = undefined;
    this.#arriving.add(call);
    let isAnswering = false;
    let isOver = false;
    return {
      arrived: () => {
        if (isOver || !this.#arriving.delete(call)) return;
        isAnswering = true;
        this.#answering++;
      },
      end: () => {
        if (isOver) return;
        isOver = true;
        if (isAnswering) this.#answering--;
        else this.#abandon(call);
        this.#owe();
      },
    };
  }

  refuse(fault: Fault): void {
    for (const { refuse } of [...this.#arriving]) refuse(fault);
    setTimeout(() => this.#socket.destroy(), LINGER_MS).unref();
  }

  get #oldest(): ArrivingCall | undefined {
    for (const call of this.#arriving) return call;
    return undefined;
  }

  #abandon(call: ArrivingCall): void {
    this.#abandonedBytes += this.#socket.bytesRead - call.bytes;
    this.#arriving.delete(call);
  }

  /** With no answer to come from us, it is the client again who owes something. */
  #owe(): void {
    if (this.#answering > 0) return;
    this.#guard.rests(this.#socket, this);
    if (this.#arriving.size > 0) this.#guard.sends(this.#socket, this);
    else this.#restsSinceMs = this.#nowMs();
  }
}
