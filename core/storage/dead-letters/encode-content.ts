import { isUtf8 } from 'node:buffer';
import { levelsOf } from '../../event/json.js';
import { MAX_PAYLOAD_LEVELS, type RejectedContent, type RejectedPayload } from './dead-letter.js';

const SHORT_ESCAPES: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x22, 0x5c]);
const QUOTES_BYTES = 2;

/** Most bytes that one record spends on a payload, as they stand in the line. */
export const MAX_KEPT_BYTES = 256 * 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** A JSON text for one member of a record, free of line breaks. */
export interface EncodedContent {
  readonly kind: RejectedContent['kind'];
  readonly json: Buffer;
  readonly isCut: boolean;
}

/** What a record keeps of a payload; undefined when nothing was received that could be kept. */
export function encodeContent({ received, bytes }: RejectedPayload): EncodedContent | undefined {
  if (received === undefined) return undefined;
  const isWhole = received.length === bytes && bytes <= MAX_KEPT_BYTES;
  const start = Buffer.from(received.buffer, received.byteOffset, Math.min(received.length, MAX_KEPT_BYTES));
  const text = isWhole ? start : wholeCodePoints(start);
  if (!isUtf8(text)) return asBase64(start, isWhole);
  if (isWhole && isJson(text)) return { kind: 'payload', json: onOneLine(text), isCut: false };
  const escaped = escapedStart(text.toString(), MAX_KEPT_BYTES);
  return { kind: 'text', json: Buffer.from(escaped.json), isCut: !isWhole || escaped.isCut };
}

function asBase64(start: Buffer, isWhole: boolean): EncodedContent {
  const most = Math.floor((MAX_KEPT_BYTES - 2) / 4) * 3;
  const json = Buffer.from(`"${start.subarray(0, most).toString('base64')}"`);
  return { kind: 'base64', json, isCut: !isWhole || start.length > most };
}

/** Asked of these very bytes, whatever a receiver found: they are about to stand inside a record unchanged. */
function isJson(text: Buffer): boolean {
  try {
    return levelsOf(JSON.parse(text.toString()), MAX_PAYLOAD_LEVELS) <= MAX_PAYLOAD_LEVELS;
  } catch {
    return false;
  }
}

/** The same JSON value: a line break in valid JSON stands between tokens, never inside one. */
function onOneLine(json: Buffer): Buffer {
  if (!json.includes(LINE_FEED) && !json.includes(CARRIAGE_RETURN)) return json;
  return Buffer.from(json.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte)));
}

/** A text as a JSON string of at most `maxBytes` UTF-8 bytes, cut at a code point where it is longer. */
function escapedStart(text: string, maxBytes: number): { readonly json: string; readonly isCut: boolean } {
  const whole = JSON.stringify(text);
  if (Buffer.byteLength(whole) <= maxBytes) return { json: whole, isCut: false };
  let bytes = QUOTES_BYTES;
  let end = 0;
  while (end < text.length) {
    const codePoint = text.codePointAt(end) ?? 0;
    bytes += escapedBytes(codePoint);
    if (bytes > maxBytes) break;
    end += codePoint > 0xffff ? 2 : 1;
  }
  return { json: JSON.stringify(text.slice(0, end)), isCut: true };
}

/** What `JSON.stringify` makes of a code point, in bytes of UTF-8. */
function escapedBytes(codePoint: number): number {
  if (SHORT_ESCAPES.has(codePoint)) return 2;
  if (codePoint < 0x20 || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return 6;
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint > 0xffff ? 4 : 3;
}

/** The bytes without an unfinished UTF-8 sequence at their end. */
function wholeCodePoints(bytes: Buffer): Buffer {
  const longest = Math.min(4, bytes.length);
  for (let length = 1; length <= longest; length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    const isContinuation = (byte & 0xc0) === 0x80;
    if (isContinuation) continue;
    return sequenceLength(byte) > length ? bytes.subarray(0, bytes.length - length) : bytes;
  }
  return bytes;
}

function sequenceLength(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
