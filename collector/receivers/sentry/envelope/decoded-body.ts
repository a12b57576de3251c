import { createUnzip } from 'node:zlib';
import { Fault } from '../../../../core/event/fault.js';
import { withoutByteOrderMark } from '../../../../core/event/json-bytes.js';
import { HeldBody } from '../../../component/ingest-memory.js';
import type { HeldBytes } from '../../../http/decompression/chunk-decoder.js';
import { eventTooLarge } from './item-json.js';

/** Leading white space that is skipped to find the brace. */
const MAX_SPACE_LENGTH = 1_024;
/** A query is shorter; to replace millions of spaces would block. */
const MAX_QUERY_LENGTH = 65_536;

/** Decodes a body of an old SDK, which is base64 of JSON or of its zlib or gzip data; returns another one unchanged. Throws `EVENT_TOO_LARGE`. */
export async function decodedBody(
  body: Buffer,
  { held, maxEventBytes }: { readonly held: HeldBytes; readonly maxEventBytes: number },
): Promise<Buffer> {
  if (isJson(withoutByteOrderMark(body))) return body;
  const text = body.toString('latin1').trim();
  // Without its escape, the plus sign of base64 is a space in a query.
  const base64 = text.length <= MAX_QUERY_LENGTH ? text.replaceAll(' ', '+') : text;
  const bytes = Buffer.from(base64, 'base64');
  if (isJson(bytes)) return bytes;
  const unzip = createUnzip();
  unzip.end(bytes);
  const pieces = new HeldBody(held);
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
