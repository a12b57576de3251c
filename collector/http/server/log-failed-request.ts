import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { statusOf } from '../messages/fault-status.js';
import { sendFault, toFault } from '../messages/problem.js';
import type { MountOptions } from './http-mount.js';

/** Sends the fault of a failed request, and logs it if the sender did not cause it. */
export function answerFailure(
  logger: Logger,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  mount?: MountOptions,
): void {
  const fault = toFault(error);
  if (fault !== error || statusOf(fault) === 500) {
    logger.error({ err: error, code: fault.code, method: request.method }, 'a request failed');
  }
  if (response.headersSent || response.destroyed) response.destroy();
  else (mount?.sendFault ?? sendFault)(request, response, fault);
}
