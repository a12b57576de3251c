import type { IncomingMessage } from 'node:http';
import { Fault } from '../../../../core/event/fault.js';
import type { JsonObject } from '../../../../core/event/json.js';
import { withoutByteOrderMark } from '../../../../core/event/json-bytes.js';
import { readBody } from '../../../http/messages/read-body.js';
import { decodedBody } from './decoded-body.js';
import { eventTooLarge, minidumpUnsupported } from './item-json.js';
import type { SentItem } from './item-types.js';
import { collectItems, readEnvelope, type SentryReadOptions, type SentryReadResult } from './read-envelope.js';

const ENVELOPE_TYPE = 'application/x-sentry-envelope';
/** The header of an envelope is shorter. */
const MAX_LINE_BYTES = 64 * 1024;

/** Reads `/store/`: one event as JSON, its zlib or gzip data, or the base64 of either; the body, or of GET `sentry_data`. Also an envelope by content type. Throws. */
export async function readStore(request: IncomingMessage, options: SentryReadOptions): Promise<SentryReadResult> {
  const [mediaType] = request.headers['content-type']?.split(';', 1) ?? [];
  if (mediaType?.trim().toLowerCase() === ENVELOPE_TYPE) return readEnvelope(request, options);
  return readItem('event', {}, request, options);
}

/** Reads `/security/`: a report of a browser, or a list of the Reporting API. The query names the release and environment. Throws. */
export async function readSecurity(request: IncomingMessage, options: SentryReadOptions): Promise<SentryReadResult> {
  const query = queryOf(request);
  const trace = { release: query.get('sentry_release'), environment: query.get('sentry_environment') };
  return readItem('raw_security', { trace, user_agent: request.headers['user-agent'] ?? null }, request, options);
}

/** Refuses a minidump of an admitted sender before its body is read. */
export async function refuseMinidump(_: IncomingMessage, { admit }: SentryReadOptions): Promise<never> {
  admit({});
  throw minidumpUnsupported();
}

async function readItem(
  type: SentItem['type'],
  envelope: JsonObject,
  request: IncomingMessage,
  options: SentryReadOptions,
): Promise<SentryReadResult> {
  const { pieces, maxEventBytes } = options;
  const context = options.admit(envelope);
  const add = (chunk: Buffer) => {
    pieces.add(chunk);
    if (pieces.bytes > maxEventBytes) throw eventTooLarge(maxEventBytes);
  };
  if (request.method === 'GET') add(Buffer.from(queryOf(request).get('sentry_data') ?? ''));
  else await readBody(request, options, add, { ...options, isSniffed: true });
  if (pieces.bytes === 0) throw new Fault('BODY_EMPTY', 'the body is empty: send one event as JSON');
  const payload = withoutByteOrderMark(await decodedBody(pieces.take(), options));
  if (type === 'event' && hasSeveral(payload)) return collectItems(options, async (push) => push(payload));
  return { sent: { context, items: [{ type, payload, bytes: payload.length }], skipped: { items: 0, minidumps: 0 } } };
}

/** Whether a body is not an event but several values: an array of events, events line by line, or an envelope. */
function hasSeveral(body: Buffer): boolean {
  const text = body.toString('latin1', 0, MAX_LINE_BYTES).trim();
  return /^\[\s*\{/.test(text) || /^\{[^\n]*\}\s*\n/.test(text);
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '');
}
