import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import { Fault } from '../../../core/event/fault.js';
import { hasCode } from '../../../core/storage/files/system-error.js';
import { statusOf } from './fault-status.js';
import { RequestFault } from './http-fault.js';
import { sendEarly } from './respond.js';

/** For 503; `server/endpoint-limits.ts` computes it for 429. Clients with short deadlines give up on longer delays, and 0 is a hot loop. */
const RETRY_AFTER_SECONDS = 1;

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
export function problemOf(fault: Fault) {
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
