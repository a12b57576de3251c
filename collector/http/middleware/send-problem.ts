import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { cutText } from '../../../core/event/text.js';
import type { ReportEncoding } from '../decompression/content-encodings.js';
import { RequestFault, statusOf } from '../messages/http-fault.js';
import { sendFault, toFault } from '../messages/problem.js';
import type { SendFault } from './locals.js';

/** Characters of a message of middleware, which may quote the request. */
const MAX_LENGTH = 1_000;

interface SendProblemOptions {
  readonly logger: Logger;
  readonly reportEncoding: ReportEncoding;
}

/** Creates the error-handling middleware that answers with a fault: a problem document (RFC 9457), or the format that `answerFaults` set. */
export function sendProblem({ logger, reportEncoding }: SendProblemOptions): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    const error = targetFault(thrown) ?? refusalOfMiddleware(thrown) ?? thrown;
    const { served, sendFault: send = sendFault } = response.locals;
    if (served !== undefined) reportEncoding(served.component, request.socket.remoteAddress, error);
    const fault = toFault(error);
    if (fault !== error || statusOf(fault) === 500) {
      // The sender did not cause it.
      logger.error({ err: error, code: fault.code, method: request.method }, 'a request failed');
    }
    if (response.headersSent || response.destroyed) response.destroy();
    else send(request, response, fault);
  };
}

/** Creates the error-handling middleware of a component whose clients expect faults in a format of their own: the last one of its router. */
export function answerFaults(send: SendFault): ErrorRequestHandler {
  return (error, _request, response, next) => {
    response.locals.sendFault = send;
    next(error);
  };
}

/** The fault of a path that Express cannot decode. */
function targetFault(error: unknown): RequestFault | undefined {
  if (!(error instanceof URIError)) return undefined;
  const sentence = 'the path holds a % that is not followed by two hexadecimal digits';
  return new RequestFault('REQUEST_TARGET_INVALID', sentence);
}

/** The fault of an error by which Express middleware refuses a request: it has a status, and says that its message is for the client. */
function refusalOfMiddleware(error: unknown): RequestFault | undefined {
  if (!(error instanceof Error) || !('status' in error) || !('expose' in error)) return undefined;
  const { status, expose, message } = error;
  if (expose !== true || typeof status !== 'number' || status < 400 || status >= 500) return undefined;
  return new RequestFault('REQUEST_REFUSED', cutText(message, MAX_LENGTH), { status, cause: error });
}
