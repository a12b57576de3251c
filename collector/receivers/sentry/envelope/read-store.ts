import type { IncomingMessage } from 'node:http';
import { createUnzip } from 'node:zlib';
import { Fault } from '../../../../core/event/fault.js';
import type { JsonObject } from '../../../../core/event/json.js';
import { readBody } from '../../../http/messages/read-body.js';
import { eventTooLarge, minidumpUnsupported } from './item-json.js';
import { readEnvelope, type SentItem, type SentryReadOptions, type SentryReadResult } from './read-envelope.js';

const ENVELOPE_TYPE = 'application/x-sentry-envelope';
/** Leading white space that is skipped to find the brace. */
const MAX_SPACE_LENGTH = 1_024;

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
  else await readBody(request, options, add, options);
  if (pieces.bytes === 0) throw new Fault('BODY_EMPTY', 'the body is empty: send one event as JSON');
  const payload = await decoded(pieces.take(), options);
  return { sent: { context, items: [{ type, payload, bytes: payload.length }], skipped: { items: 0, minidumps: 0 } } };
}

/** Returns a body that does not decode unchanged: it fails as JSON later and goes to the dead letters. */
async function decoded(body: Buffer, { pieces, maxEventBytes }: SentryReadOptions): Promise<Buffer> {
  if (isJson(body)) return body;
  // Without its escape, the plus sign of base64 is a space in a query.
  const bytes = isCompressed(body) ? body : Buffer.from(body.toString('latin1').trim().replaceAll(' ', '+'), 'base64');
  if (isJson(bytes)) return bytes;
  const unzip = createUnzip();
  unzip.end(bytes);
  try {
    for await (const piece of unzip) {
      pieces.add(piece);
      if (pieces.bytes > maxEventBytes) throw eventTooLarge(maxEventBytes);
    }
    return pieces.take();
  } catch (error) {
    if (error instanceof Fault) throw error;
    return body;
  }
}

function isJson(body: Buffer): boolean {
  return /^\s*[{[]/.test(body.toString('latin1', 0, MAX_SPACE_LENGTH));
}

/** Whether the bytes begin like gzip data, or like zlib data of the usual window, which no text in base64 does. */
function isCompressed([first, second = 0]: Buffer): boolean {
  return (first === 0x1f && second === 0x8b) || (first === 0x78 && (0x7800 + second) % 31 === 0);
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '');
}
