import { isUtf8 } from 'node:buffer';
import { type JsonValue, jsonDepth } from '../../../core/event/json.js';
import { MAX_PAYLOAD_LEVELS, type RejectedPayload } from '../../../core/storage/dead-letters/dead-letter.js';
import { MAX_CONTENT_BYTES } from '../../../core/storage/dead-letters/encode-content.js';
import type { Steps } from '../event-processor/steps.js';
import type { Tally } from './tally.js';
import type { Redactors } from './value-redactor.js';

/** Scanned beyond the stored bytes, so that a secret that crosses the cut is recognised. */
const MARGIN_BYTES = 8 * 1024;

/**
 * Masks secrets of a rejected payload; returns the same object if it has no secrets. JSON is scanned by value and then as text, because
 * parsing drops duplicate keys. Bytes that are not UTF-8 are scanned as Latin-1.
 */
export function* redactRejected(payload: RejectedPayload, redactors: Redactors, tally: Tally): Steps<RejectedPayload> {
  const { texts } = redactors;
  const field = texts.redact(payload.field, tally);
  const reason = texts.redact(payload.reason, tally);
  const received = payload.received === undefined ? undefined : yield* redactBytes(payload.received, redactors, tally);
  if (field === payload.field && reason === payload.reason && received === payload.received) return payload;
  const wasWhole = payload.received?.length === payload.bytes;
  return {
    ...payload,
    field,
    reason,
    ...(received !== undefined && { received }),
    // To the store a payload is complete if both lengths are equal.
    ...(received !== undefined && wasWhole && { bytes: received.length }),
  };
}

function* redactBytes(received: Uint8Array, { texts, values }: Redactors, tally: Tally): Steps<Uint8Array> {
  const scanned = Buffer.from(
    received.buffer,
    received.byteOffset,
    Math.min(received.length, MAX_CONTENT_BYTES + MARGIN_BYTES),
  );
  const encoding = isUtf8(scanned) ? 'utf8' : 'latin1';
  const text = scanned.toString(encoding);
  const json = scanned.length === received.length ? parseJson(text) : undefined;
  const redacted = json === undefined ? undefined : yield* values.redactValue(json.value, tally);
  const written = redacted === undefined || redacted === json?.value ? text : JSON.stringify(redacted);
  const result = yield* texts.redactInSteps(written, tally);
  return result === text ? received : Buffer.from(result, encoding);
}

function parseJson(text: string): { readonly value: JsonValue } | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return jsonDepth(value, MAX_PAYLOAD_LEVELS) <= MAX_PAYLOAD_LEVELS ? { value } : undefined;
  } catch {
    return undefined;
  }
}
