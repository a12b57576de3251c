import { mayHoldHalves } from '../../config/values/well-formed-json.js';
import { emptyPayload, inKeyOrder, PAYLOAD_FIELDS } from '../../generated/event-fields.js';
import { Fault } from './fault.js';
import { isJsonObject, type JsonValue, parseWellFormed, type WellFormedJson } from './json.js';
import { jsonPointer } from './json-pointer.js';
import type { PayloadField } from './payload-field.js';
import { RAW_PAYLOAD_KEYS, type RawPayload } from './raw-payload.js';
import { createPayloadCheck, rejectionOf } from './validate/payload-check.js';

/** Encodes a payload as a raw line: JSON with the 17 keys in alphabetical order, valid UTF-8, no newline. Senders' lines may have another order. */
export function encodeRawLine(payload: RawPayload): Buffer {
  return Buffer.from(writeRawLine(payload).text, 'utf8');
}

/** The raw line of a payload as a string, and the payload that it holds: halves of surrogate pairs, which a cut or a plugin may leave, are U+FFFD in both. */
export function writeRawLine(payload: RawPayload): { readonly payload: RawPayload; readonly text: string } {
  // A processor may have built the payload in another order.
  const text = JSON.stringify(inKeyOrder(payload));
  if (!mayHoldHalves(text)) return { payload, text };
  const { value, isChanged } = parseWellFormed(text);
  return isChanged ? { payload: payloadIn(value), text: JSON.stringify(value) } : { payload, text };
}

const PAYLOAD_KEYS: ReadonlySet<string> = new Set(RAW_PAYLOAD_KEYS);

const checkTypes = createPayloadCheck();

const FIELDS: readonly PayloadField[] = PAYLOAD_FIELDS;
const LATER_KEYS = FIELDS.filter(({ isLater }) => isLater).map(({ name }) => name);

/** Decodes a line of a `raw.ndjson`, with or without newline. Throws `RAW_LINE_INVALID`, which names the field but never the content, if it is not exactly a payload. */
export function decodeRawLine(line: Uint8Array | string): RawPayload {
  return payloadIn(parseLine(line).value);
}

/** `decodeRawLine` of a line of another collector, with the line to store: rewritten if an earlier version left halves of surrogate pairs in it. */
export function decodeSentLine(line: Uint8Array): { readonly payload: RawPayload; readonly encoded: Uint8Array } {
  const { value, isChanged } = parseLine(line);
  const payload = payloadIn(value);
  return { payload, encoded: isChanged ? encodeRawLine(payload) : line };
}

function payloadIn(written: JsonValue): RawPayload {
  const value = withLaterFields(written);
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

function parseLine(line: Uint8Array | string): WellFormedJson {
  const text =
    typeof line === 'string' ? line : Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8');
  try {
    return parseWellFormed(text);
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
