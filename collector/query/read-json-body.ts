import type { IncomingMessage } from 'node:http';
import { quoted } from '../../config/values/printable.js';
import { parseSentJson } from '../../core/event/sent-json.js';
import { cutText } from '../../core/event/text.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { type BodyLimits, readBody } from '../http/messages/read-body.js';

/** Fits a comment of the maximum length with every character escaped, or 500 ids. */
const MAX_BODY_BYTES = 256 * 1024;
const STALL_TIMEOUT_MS = 10_000;

/** Reads a body as JSON; other pages cannot send application/json. Throws `CONTENT_TYPE_UNSUPPORTED`, `BODY_EMPTY`, `MALFORMED_JSON`, and as `readBody`. */
export async function readJsonBody(request: IncomingMessage, maxBodyBytes = MAX_BODY_BYTES): Promise<unknown> {
  const type = request.headers['content-type'] ?? '';
  if (type.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    const sentence = `content type ${quoted(type)} is not supported: send application/json`;
    throw new RequestFault('CONTENT_TYPE_UNSUPPORTED', sentence, { headers: { accept: 'application/json' } });
  }
  const pieces: Buffer[] = [];
  const limits: BodyLimits = { maxBodyBytes, stallTimeoutMs: STALL_TIMEOUT_MS };
  await readBody(request, limits, (piece) => {
    pieces.push(piece);
  });
  if (pieces.length === 0) throw new RequestFault('BODY_EMPTY', 'the body is empty: send one JSON object');
  try {
    return parseSentJson(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))).value;
  } catch (cause) {
    throw new RequestFault('MALFORMED_JSON', 'the body is not JSON in UTF-8', { cause });
  }
}

/** A JSON pointer, RFC 6901; names come from the request and are truncated. */
export function jsonPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${cutText(String(part), 100).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
