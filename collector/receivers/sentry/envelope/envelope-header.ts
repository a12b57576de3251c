import { quoted } from '../../../../config/values/printable.js';
import { isJsonObject, type JsonObject } from '../../../../core/event/json.js';
import { malformedEnvelope } from './sentry-fault.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Longest header line of an envelope or of an item; those of SDKs are below 2 KiB. */
export const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Reads a header line, items 13 and 20; undefined for a blank one, item 19. `of` names whose header it is.
 * Throws `ENVELOPE_MALFORMED` for what is no UTF-8 or no JSON object.
 */
export function parseHeaderLine(line: Buffer, of: string): JsonObject | undefined {
  const text = decode(line, of);
  if (text.trim() === '') return undefined;
  const header = parse(text, of);
  if (!isJsonObject(header)) throw malformedEnvelope(`the header of ${of} is no JSON object: ${quoted(text)}`);
  return header;
}

/** The length that an item's header gives; undefined for none. Throws `ENVELOPE_MALFORMED`. */
export function lengthOf(header: JsonObject, of: string): number | undefined {
  const length = header['length'] ?? undefined;
  if (length === undefined) return undefined;
  if (typeof length === 'number' && Number.isSafeInteger(length) && length >= 0) return length;
  throw malformedEnvelope(`the length of ${of} is no number of bytes`);
}

function decode(line: Buffer, of: string): string {
  try {
    return UTF8.decode(line);
  } catch (cause) {
    throw malformedEnvelope(`the header of ${of} is not UTF-8`, cause);
  }
}

function parse(text: string, of: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformedEnvelope(`the header of ${of} is no JSON: ${quoted(text)}`, cause);
  }
}
