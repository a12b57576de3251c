import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '../../../core/event/fault.js';
import { statusOf } from '../../http/fault-status.js';
import { faultHeaders } from '../../http/problem.js';
import { sendEarly } from '../../http/respond.js';
import { encodingOf, MEDIA_TYPES } from './request-encoding.js';
import { rpcCodeOf } from './rpc-code.js';
import { encodeStatus } from './status-body.js';

/** What the Collector answers to requests that are none of OTLP's, word for word. */
const PLAIN_ANSWERS: ReadonlyMap<string, string> = new Map([
  ['METHOD_NOT_ALLOWED', '405 method not allowed, supported: [POST]'],
  ['CONTENT_TYPE_UNSUPPORTED', '415 unsupported media type, supported: [application/json, application/x-protobuf]'],
]);

/** zlib's own words. */
const NO_HEADER = 'incorrect header check';

/** Answers a failed request with a google.rpc.Status in its own encoding, in JSON where it names none. */
export function answerFault(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
  const headers = faultHeaders(fault);
  const plain = PLAIN_ANSWERS.get(fault.code);
  if (plain !== undefined) {
    sendEarly(request, response, statusOf(fault), plain, { 'content-type': 'text/plain', ...headers });
    return;
  }
  const encoding = encodingOf(request.headers['content-type']) ?? 'json';
  const body = encodeStatus(encoding, rpcCodeOf(fault), messageOf(fault));
  sendEarly(request, response, statusOf(fault), body, { 'content-type': MEDIA_TYPES[encoding], ...headers });
}

/** Data that was never compressed has the Collector's message. */
function messageOf({ code, message, cause }: Fault): string {
  return code === 'BODY_COMPRESSION_INVALID' && String(cause).includes(NO_HEADER) ? 'gzip: invalid header' : message;
}
