import type { IncomingMessage } from 'node:http';
import { createInflate } from 'node:zlib';
import { Fault } from '../../../../core/event/fault.js';
import { toFault } from '../../../http/messages/problem.js';
import { readBody } from '../../../http/messages/read-body.js';
import { eventTooLarge } from './item-json.js';
import type { SentryReadResult } from './read-envelope.js';
import { readEnvelope, type SentryReadOptions } from './read-envelope.js';

const ENVELOPE_TYPE = 'application/x-sentry-envelope';
const OPEN_BRACE = '{';
/** Leading white space that is skipped to find the brace. */
const MAX_SPACE_LENGTH = 1_024;

/** Reads the body of `/store/`, item 5: JSON of one event, base64 of its zlib data, or an envelope by content type. Does not throw. */
export async function readStore(request: IncomingMessage, options: SentryReadOptions): Promise<SentryReadResult> {
  if (mediaTypeOf(request) === ENVELOPE_TYPE) return readEnvelope(request, options);
  const { receivedMs } = options;
  try {
    const context = { project: options.admit({}), envelope: {}, receivedMs };
    const payload = await readEvent(request, options);
    return { sent: { context, items: [{ type: 'event', payload, bytes: payload.length }], skipped: 0 } };
  } catch (error) {
    return { failure: toFault(error) };
  }
}

async function readEvent(request: IncomingMessage, options: SentryReadOptions): Promise<Buffer> {
  const { pieces, maxEventBytes } = options;
  const bytes = await readBody(request, options, (chunk) => {
    pieces.add(chunk);
    if (pieces.bytes > maxEventBytes) throw eventTooLarge(maxEventBytes);
  });
  if (bytes === 0) throw new Fault('BODY_EMPTY', 'the body is empty: send one event as JSON');
  return decoded(pieces.take(), options);
}

/** Returns a body that does not decode unchanged: it fails as JSON later and goes to the dead letters. */
async function decoded(body: Buffer, { pieces, maxEventBytes }: SentryReadOptions): Promise<Buffer> {
  if (body.toString('latin1', 0, MAX_SPACE_LENGTH).trimStart().startsWith(OPEN_BRACE)) return body;
  const inflate = createInflate();
  inflate.end(Buffer.from(body.toString('latin1'), 'base64'));
  try {
    for await (const piece of inflate) {
      pieces.add(piece);
      if (pieces.bytes > maxEventBytes) throw eventTooLarge(maxEventBytes);
    }
    return pieces.take();
  } catch (error) {
    if (error instanceof Fault) throw error;
    return body;
  }
}

function mediaTypeOf({ headers }: IncomingMessage): string {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
