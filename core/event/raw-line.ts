import { emptyPayload, inKeyOrder, PAYLOAD_FIELDS } from '../../generated/event-fields.js';
import { Fault } from './fault.js';
import { isJsonObject } from './json.js';
import { jsonPointer } from './json-pointer.js';
import type { PayloadField } from './payload-field.js';
import { RAW_PAYLOAD_KEYS, type RawPayload } from './raw-payload.js';
import { createPayloadCheck, rejectionOf } from './validate/payload-check.js';

/** Encodes a payload as a raw line: JSON with the 17 keys in alphabetical order, valid UTF-8, no newline. Senders' lines may have another order. */
export function encodeRawLine(payload: RawPayload): Buffer {
  return Buffer.from(rawLineText(payload), 'utf8');
}

/** The raw line as a string, for callers that encode it later. A processor may have built the payload in another order. */
export function rawLineText(payload: RawPayload): string {
  return JSON.stringify(inKeyOrder(payload));
}

const PAYLOAD_KEYS: ReadonlySet<string> = new Set(RAW_PAYLOAD_KEYS);

const checkTypes = createPayloadCheck();

const FIELDS: readonly PayloadField[] = PAYLOAD_FIELDS;
const LATER_KEYS = FIELDS.filter(({ isLater }) => isLater).map(({ name }) => name);

/** Decodes a line of a `raw.ndjson`, with or without newline. Throws `RAW_LINE_INVALID`, which names the field but never the content, if it is not exactly a payload. */
export function decodeRawLine(line: Uint8Array | string): RawPayload {
  const value = withLaterFields(parseLine(line));
  if (!checkTypes(value)) {
    const { field, reason } = rejectionOf(checkTypes);
    throw invalidLine(`${field === '' ? 'it' : field} ${reason}`);
  }
  for (const key in value) {
    if (!PAYLOAD_KEYS.has(key)) throw invalidLine(`${jsonPointer([key])} is not a key of a payload`);
  }
  return value;
}

/** Lines of earlier versions lack the fields that were added since. */
function withLaterFields(value: unknown): unknown {
  if (LATER_KEYS.length === 0 || !isJsonObject(value)) return value;
  const empty = emptyPayload();
  for (const key of LATER_KEYS) value[key] ??= empty[key];
  return value;
}

function parseLine(line: Uint8Array | string): unknown {
  const text =
    typeof line === 'string' ? line : Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalidLine('it is not JSON', cause);
  }
}

function invalidLine(problem: string, cause?: unknown): Fault {
  return new Fault(
    'RAW_LINE_INVALID',
    `A raw line is not a payload: ${problem}. The record was changed from outside; "faultline verify" shows where.`,
    { cause },
  );
}
