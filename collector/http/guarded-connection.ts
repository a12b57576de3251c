import type { Socket } from 'node:net';
import type { Fault } from '../../core/event/fault.js';

/** What a client sends over a connection just now, whatever protocol it speaks. */
export interface Arrival {
  /** True once all of it is here, so that it is we who owe something: an answer. */
  readonly isWhole: boolean;
  /** False while we hold the sender back. */
  readonly isTaken: boolean;
  /** Answers with the fault instead of waiting for the rest. */
  refuse(fault: Fault): void;
}

/** What a guard knows of one connection. */
export interface GuardedConnection {
  /** As it was accepted. */
  readonly socket: Socket;
  readonly client: string;
  /** What it sends now; undefined before the first request, and once the latest was answered. */
  arrival: Arrival | undefined;
  /** Looks since what it sends began. */
  looks: number;
  /** Bytes of the socket when they were last counted. */
  bytes: number;
  /** Whether what it sends was refused for being slow, so that it has one more span for the answer. */
  isRefused: boolean;
}
