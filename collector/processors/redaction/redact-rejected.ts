import { isUtf8 } from 'node:buffer';
import { type JsonValue, jsonDepth } from '../../../core/event/json.js';
import { readSentJson } from '../../../core/event/sent-json.js';
import { MAX_PAYLOAD_LEVELS, type RejectedPayload } from '../../../core/storage/dead-letters/dead-letter.js';
import { MAX_CONTENT_BYTES } from '../../../core/storage/dead-letters/encode-content.js';
import type { Steps } from '../event-processor/steps.js';
import type { Tally } from './tally.js';
import type { TextRedactor } from './text-redactor.js';

/** What masks the parts of a rejected payload. */
export interface Redactors {
  readonly texts: TextRedactor;
  readonly values: { redactValue(value: JsonValue, tally: Tally): Steps<JsonValue> };
}

/** Scanned beyond the stored bytes, so that a secret that crosses the cut is recognised. */
const MARGIN_BYTES = 8 * 1024;

/** Masks a rejected payload; the same object without secrets. JSON is scanned also as text, because parsing drops duplicate keys. */
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

function* redactBytes(received: Uint8Array, redactors: Redactors, tally: Tally): Steps<Uint8Array> {
  const scanned = Buffer.from(
    received.buffer,
    received.byteOffset,
    Math.min(received.length, MAX_CONTENT_BYTES + MARGIN_BYTES),
  );
  const encoding = isUtf8(scanned) ? 'utf8' : 'latin1';
  const text = scanned.toString(encoding);
  const written = (yield* redactJson(text, redactors, tally)) ?? (yield* redactJsonLines(text, redactors, tally));
  const result = yield* redactors.texts.redactInSteps(written, tally);
  return result === text ? received : Buffer.from(result, encoding);
}

/** Masks the lines that are JSON, as in envelopes. */
function* redactJsonLines(text: string, redactors: Redactors, tally: Tally): Steps<string> {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    lines.push((yield* redactJson(line, redactors, tally)) ?? line);
    yield;
  }
  return lines.join('\n');
}

/** Masks a text that is JSON or breaks off in it; undefined for one that is not, or is too deep. */
function* redactJson(text: string, { values }: Redactors, tally: Tally): Steps<string | undefined> {
  // After blanks and a byte order mark.
  const start = text.search(/\S/);
  if (text[start] !== '{' && text[start] !== '[') return undefined;
  const end = endOfJson(text);
  yield;
  const json = end && readSentJson(text.slice(start, end.at) + end.closing);
  if (end === undefined || json === undefined) return undefined;
  if (jsonDepth(json, MAX_PAYLOAD_LEVELS) > MAX_PAYLOAD_LEVELS) return undefined;
  const redacted = yield* values.redactValue(json, tally);
  if (redacted === json) return text;
  const written = JSON.stringify(redacted);
  return text.slice(0, start) + written.slice(0, written.length - end.closing.length) + text.slice(end.at);
}

/** Where the last complete member of JSON ends, and the brackets that close what is open there. */
interface JsonEnd {
  readonly at: number;
  readonly closing: string;
}

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['[', ']'],
]);
/** Strings of JSON, also one without an end, and the signs between values. */
const TOKENS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[[\]{},]/g;

/** Returns undefined if no member is complete, or text follows the value. */
function endOfJson(text: string): JsonEnd | undefined {
  const open: string[] = [];
  let at = 0;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const closing = CLOSING.get(token);
    if (closing !== undefined) open.push(closing);
    if (token === open.at(-1)) {
      open.pop();
      at = index + 1;
      depth = open.length;
    } else if (token === ',') {
      at = index;
      depth = open.length;
    }
    if (at > 0 && depth === 0) break;
  }
  const isEnded = depth === 0 && text.slice(at).trim() !== '';
  return at === 0 || isEnded ? undefined : { at, closing: open.slice(0, depth).reverse().join('') };
}
