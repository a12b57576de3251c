import type { IncomingMessage, ServerResponse } from 'node:http';
import { printable } from '../../../config/values/printable.js';
import { Fault } from '../../../core/event/fault.js';
import { statusOf } from '../../http/messages/fault-status.js';
import { RequestFault } from '../../http/messages/http-fault.js';
import { faultHeaders } from '../../http/messages/problem.js';
import { sendEarly, sendJson } from '../../http/messages/respond.js';

/** Categories that are dropped anyway, item 39. Retry-After would silence errors too, item 38. */
const DROPPED_CATEGORIES = 'transaction;span;profile;profile_chunk;replay;trace_metric;monitor;feedback';
const RATE_LIMITS = `86400:${DROPPED_CATEGORIES}:organization`;
const MAX_HEADER_LENGTH = 500;

/** A transparent image for a page that sends by one, item 5. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Sends 200 with the id of the event, if any, item 34. */
export function sendAccepted({ method }: IncomingMessage, response: ServerResponse, eventId: string | undefined): void {
  const headers = { 'x-sentry-rate-limits': RATE_LIMITS };
  if (method === 'GET') sendJson(response, 200, PIXEL, { ...headers, 'content-type': 'image/gif' });
  else sendJson(response, 200, JSON.stringify(eventId === undefined ? {} : { id: eventId }), headers);
}

/** Sends a fault in Sentry's format, item 36, with the fault's `code`. */
export function sendSentryFault(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
  const { code, message, cause } = fault;
  const causes = cause instanceof Fault && cause.message !== message ? [cause.message] : [];
  const members = fault instanceof RequestFault ? fault.members : {};
  sendEarly(request, response, statusOf(fault), JSON.stringify({ detail: message, causes, code, ...members }), {
    // Header values must be ASCII.
    'x-sentry-error': printable(message.slice(0, MAX_HEADER_LENGTH)).replace(/[^\x20-\x7e]/g, '?'),
    ...faultHeaders(fault),
  });
}
