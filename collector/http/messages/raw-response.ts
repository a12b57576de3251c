import type { Duplex } from 'node:stream';
import type { Fault } from '../../../core/event/fault.js';
import { faultHeaders, problemOf } from './problem.js';

/** How long a client has to read the response. */
const LINGER_MS = 1_000;

/** Sends a problem document on a connection without a node:http server, and closes it. */
export function answerRaw(socket: Duplex, fault: Fault): void {
  const problem = problemOf(fault);
  const body = JSON.stringify(problem);
  const headers = {
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...faultHeaders(fault),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  // Ignore clients that disconnect before the response.
  socket.on('error', () => undefined);
  socket.once('close', () => clearTimeout(timer));
  socket.end(`HTTP/1.1 ${problem.status} ${problem.title}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  // Discard what still arrives: closing earlier would reset the connection and lose the response.
  socket.resume();
}
