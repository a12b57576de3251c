import { jsonDepth, parseJson } from '../../event/json.js';
import { rewriteSentJson } from '../../event/sent-json.js';
import { MAX_PAYLOAD_LEVELS, type RejectedPayload } from './dead-letter.js';

const SHORT_ESCAPES: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x22, 0x5c]);
const QUOTES_BYTES = 2;

/** Most bytes of a payload in one record, as encoded in the line. */
export const MAX_CONTENT_BYTES = 256 * 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** JSON for one member of a record, without line breaks. */
interface EncodedContent {
  /** JSON as sent, other UTF-8 text, or other bytes. */
  readonly kind: 'payload' | 'text' | 'base64';
  readonly json: Buffer;
  readonly isCut: boolean;
}

/** Encodes the content of a rejected payload; undefined if its bytes are not available. */
export function encodeContent({ received, bytes }: RejectedPayload): EncodedContent | undefined {
  if (received === undefined) return undefined;
  const isWhole = received.length === bytes && bytes <= MAX_CONTENT_BYTES;
  const start = Buffer.from(received.buffer, received.byteOffset, Math.min(received.length, MAX_CONTENT_BYTES));
  const text = decodeText(start, isWhole);
  if (text === undefined) return asBase64(start, isWhole);
  if (isWhole && isJson(text)) {
    const readable = rewriteSentJson(text);
    return { kind: 'payload', json: onOneLine(readable === text ? start : Buffer.from(readable)), isCut: false };
  }
  const escaped = escapedStart(text, MAX_CONTENT_BYTES);
  return { kind: 'text', json: Buffer.from(escaped.json), isCut: !isWhole || escaped.isCut };
}

/** Undefined if it is not UTF-8; without an incomplete sequence at the end unless it is whole. */
function decodeText(bytes: Buffer, isWhole: boolean): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isWhole });
  } catch {
    return undefined;
  }
}

function asBase64(start: Buffer, isWhole: boolean): EncodedContent {
  const most = Math.floor((MAX_CONTENT_BYTES - 2) / 4) * 3;
  const json = Buffer.from(`"${start.subarray(0, most).toString('base64')}"`);
  return { kind: 'base64', json, isCut: !isWhole || start.length > most };
}

/** Checks the stored text itself, because it becomes part of a record. */
function isJson(text: string): boolean {
  const value = parseJson(text);
  return value !== undefined && jsonDepth(value, MAX_PAYLOAD_LEVELS) <= MAX_PAYLOAD_LEVELS;
}

/** Replaces line breaks by spaces; in valid JSON they occur only between tokens. */
function onOneLine(json: Buffer): Buffer {
  if (!json.includes(LINE_FEED) && !json.includes(CARRIAGE_RETURN)) return json;
  return Buffer.from(json.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte)));
}

/** Encodes a text as a JSON string of at most `maxBytes` UTF-8 bytes, cut at a code point. */
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

/** Returns the UTF-8 bytes that `JSON.stringify` writes for a code point. */
function escapedBytes(codePoint: number): number {
  if (SHORT_ESCAPES.has(codePoint)) return 2;
  if (codePoint < 0x20 || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return 6;
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint > 0xffff ? 4 : 3;
}
