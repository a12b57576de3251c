import type { Socket } from 'node:net';
import type { Arrival } from './arrival.js';

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
