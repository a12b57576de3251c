import type { IncomingMessage } from 'node:http';
import type { Fault } from '../../core/event/fault.js';
import { interruptBody } from './read-body.js';

/** What a client sends over a connection just now, whatever protocol it speaks. */
export interface Arrival {
  /** True once all of it is here, so that it is we who owe something: an answer. */
  readonly isWhole: boolean;
  /** False while we hold the sender back. */
  readonly isTaken: boolean;
  /** Answers with the fault instead of waiting for the rest. */
  refuse(fault: Fault): void;
}

/** A request of node:http that arrives. */
export class ArrivingRequest implements Arrival {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  get isWhole(): boolean {
    return this.#request.complete;
  }

  get isTaken(): boolean {
    return this.#request.readableFlowing === true;
  }

  refuse(fault: Fault): void {
    interruptBody(this.#request, fault);
  }
}
