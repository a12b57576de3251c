import { isUtf8 } from 'node:buffer';
import { levelsOf } from '../../event/json-bounds.js';
import { escapedStart } from './escaped-start.js';
import type { RejectedPayload } from './rejected-payload.js';
import { MAX_PAYLOAD_LEVELS, type RejectedContent } from './rejected-record.js';
import { wholeCodePoints } from './whole-code-points.js';

/** Most bytes that one record spends on a payload, as they stand in the line. */
export const MAX_KEPT_BYTES = 256 * 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** A JSON text for one member of a record, free of line breaks. */
export interface KeptContent {
  readonly kind: RejectedContent['kind'];
  readonly json: Buffer;
  readonly isCut: boolean;
}

/** What a record keeps of a payload; undefined when nothing was received that could be kept. */
export function keptContent({ received, bytes }: RejectedPayload): KeptContent | undefined {
  if (received === undefined) return undefined;
  const isWhole = received.length === bytes && bytes <= MAX_KEPT_BYTES;
  const start = Buffer.from(received.buffer, received.byteOffset, Math.min(received.length, MAX_KEPT_BYTES));
  const text = isWhole ? start : wholeCodePoints(start);
  if (!isUtf8(text)) return asBase64(start, isWhole);
  if (isWhole && isJson(text)) return { kind: 'payload', json: onOneLine(text), isCut: false };
  const escaped = escapedStart(text.toString(), MAX_KEPT_BYTES);
  return { kind: 'text', json: Buffer.from(escaped.json), isCut: !isWhole || escaped.isCut };
}

function asBase64(start: Buffer, isWhole: boolean): KeptContent {
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
