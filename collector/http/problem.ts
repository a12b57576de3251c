import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import { Fault } from '../../core/event/fault.js';
import type { JsonObject } from '../../core/event/json.js';
import { statusOf } from './fault-status.js';
import { RequestFault } from './request-fault.js';
import { sendEarly } from './respond.js';

/** Seconds after which a refused request may come again. Clients with short deadlines give up on longer ones, and 0 is a hot loop. */
const RETRY_AFTER_SECONDS = 1;

/** A problem document, RFC 9457, with our stable `code`. */
export interface Problem extends JsonObject {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
}

/** What anything that was thrown means to the sender: our own faults as they are, all else `INTERNAL`, whose words stay in the log. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return new Fault('INTERNAL', 'the collector failed to answer this request; its log says why', { cause: error });
}

/** The problem document of a fault. */
function toProblem(fault: Fault): Problem {
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

/** Answers a failed request as `application/problem+json`; one that was already being answered is cut off. */
export function sendFault(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const problem = toProblem(fault);
  const headers: OutgoingHttpHeaders = { 'content-type': 'application/problem+json' };
  if (problem.status === 503) headers['retry-after'] = String(RETRY_AFTER_SECONDS);
  if (fault instanceof RequestFault) Object.assign(headers, fault.headers);
  sendEarly(request, response, problem.status, JSON.stringify(problem), headers);
}
