import type { IncomingMessage, ServerResponse } from 'node:http';
import { printable } from '../../../config/values/printable.js';
import { Fault } from '../../../core/event/fault.js';
import { statusOf } from '../../http/messages/fault-status.js';
import { faultHeaders } from '../../http/messages/problem.js';
import { sendEarly, sendJson } from '../../http/messages/respond.js';

/** What is counted and dropped here anyway, item 39. Never with Retry-After, which would silence errors too, item 38. */
const DROPPED_CATEGORIES = 'transaction;span;session;profile;profile_chunk;replay;trace_metric;monitor;feedback';
const RATE_LIMITS = `86400:${DROPPED_CATEGORIES}:organization`;
const MAX_HEADER_LENGTH = 500;

/** Answers an envelope or event that was taken, item 34: exactly 200, with the id of its event when it has one. */
export function sendAccepted(response: ServerResponse, eventId: string | undefined): void {
  const body = JSON.stringify(eventId === undefined ? {} : { id: eventId });
  sendJson(response, 200, body, { 'x-sentry-rate-limits': RATE_LIMITS });
}

/** Answers a failed request as Sentry does, item 36, with our stable `code`. */
export function sendSentryFault(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
  const { code, message, cause } = fault;
  const causes = cause instanceof Fault && cause.message !== message ? [cause.message] : [];
  sendEarly(request, response, statusOf(fault), JSON.stringify({ detail: message, causes, code }), {
    'x-sentry-error': asHeader(message),
    ...faultHeaders(fault),
  });
}

/** A header value of ASCII. */
function asHeader(text: string): string {
  return printable(text.slice(0, MAX_HEADER_LENGTH)).replace(/[^\x20-\x7e]/g, '?');
}
