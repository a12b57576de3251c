import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Fault } from '../../../core/event/fault.js';
import { hasCode } from '../../../core/storage/files/system-error.js';
import { RequestFault, statusOf } from './http-fault.js';
import { sendEarly } from './respond.js';

/** For 503; `server/endpoint-limits.ts` computes it for 429. Clients with short deadlines give up on longer delays, and 0 is a hot loop. */
const RETRY_AFTER_SECONDS = 1;

/** How long a client has to read the response. */
const LINGER_MS = 1_000;

/** Errors of the disk or the open file table that may pass: the request itself is valid. */
const TRANSIENT_DISK_ERRORS = ['EACCES', 'EDQUOT', 'EIO', 'ELOOP', 'EMFILE', 'ENFILE', 'ENOSPC', 'EROFS'];

/** The fault that a sender sees: faults as they are, disk errors as `STORE_UNAVAILABLE`, others as `INTERNAL` without their message. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (hasCode(error, ...TRANSIENT_DISK_ERRORS)) {
    const sentence = 'the disk of the collector refused to read; its log says why. Send the request again in a moment';
    return new Fault('STORE_UNAVAILABLE', sentence, { cause: error, retryable: true });
  }
  return new Fault('INTERNAL', 'the collector failed to answer this request; its log says why', { cause: error });
}

/** The problem document (RFC 9457) of a fault, with a stable `code`. */
function problemOf(fault: Fault) {
  const status = statusOf(fault);
  const members = fault instanceof RequestFault ? fault.members : {};
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: fault.message,
    code: fault.code,
    ...members,
  };
}

/** Response headers of a failed request except its content type. */
export function faultHeaders(fault: Fault): OutgoingHttpHeaders {
  return {
    ...(statusOf(fault) === 503 && { 'retry-after': String(RETRY_AFTER_SECONDS) }),
    ...(fault instanceof RequestFault && fault.headers),
  };
}

/** Sends a fault as `application/problem+json`. */
export function sendFault(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
  const problem = problemOf(fault);
  const headers = { 'content-type': 'application/problem+json', ...faultHeaders(fault) };
  sendEarly(request, response, problem.status, JSON.stringify(problem), headers);
}

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
