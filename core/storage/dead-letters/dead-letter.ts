import { isJsonObject, type JsonValue, levelsOf } from '../../event/json.js';

/** One payload that was refused while others went on, as its receiver hands it to the store. */
export interface RejectedPayload {
  readonly code: string;
  /** JSON pointer to what is wrong; empty for the payload as a whole. */
  readonly field: string;
  /** For people. */
  readonly reason: string;
  /** The bytes as received, or their beginning; absent where nothing of them was kept. They must not change afterwards. */
  readonly received?: Uint8Array;
  /** How many bytes the whole payload has; null where nobody knows. */
  readonly bytes: number | null;
}

/** Levels of objects and arrays up to which a rejected payload is kept as JSON: readers such as jq 1.6 give up at 256. */
export const MAX_PAYLOAD_LEVELS = 200;

/** What was kept of a rejected payload: JSON as it was sent, text that is no JSON, or bytes that are no text. */
export type RejectedContent =
  | { readonly kind: 'payload'; readonly value: JsonValue }
  | { readonly kind: 'text' | 'base64'; readonly value: string };

/** One line of a `rejected.ndjson`. */
export interface RejectedRecord {
  /** RFC 3339, UTC, milliseconds. */
  readonly rejectedAt: string;
  /** Component id, or `import`. */
  readonly receiver: string;
  readonly code: string;
  /** JSON pointer; empty for the payload as a whole. */
  readonly field: string;
  readonly reason: string;
  /** Size as received; null where nobody knows. */
  readonly bytes: number | null;
  /** True when only the beginning was kept. */
  readonly isCut: boolean;
  /** Undefined where nothing was kept. */
  readonly content: RejectedContent | undefined;
}

/** Reads one line; undefined when it is no record of ours. */
export function parseDeadLetter(line: Uint8Array): RejectedRecord | undefined {
  const value = parseJson(line);
  if (!isJsonObject(value) || levelsOf(value) > MAX_PAYLOAD_LEVELS + 1) return undefined;
  const { rejected_at: rejectedAt, receiver, code, field, reason, bytes, cut = false } = value;
  if (typeof rejectedAt !== 'string' || Number.isNaN(Date.parse(rejectedAt))) return undefined;
  if (typeof receiver !== 'string' || typeof code !== 'string') return undefined;
  if (typeof field !== 'string' || typeof reason !== 'string') return undefined;
  if ((typeof bytes !== 'number' && bytes !== null) || typeof cut !== 'boolean') return undefined;
  const contents = contentsOf(value);
  if (contents.length > 1) return undefined;
  return { rejectedAt, receiver, code, field, reason, bytes, isCut: cut, content: contents[0] };
}

function contentsOf({ payload, text, base64 }: { [key: string]: JsonValue }): RejectedContent[] {
  const contents: RejectedContent[] = [];
  if (payload !== undefined) contents.push({ kind: 'payload', value: payload });
  if (typeof text === 'string') contents.push({ kind: 'text', value: text });
  if (typeof base64 === 'string') contents.push({ kind: 'base64', value: base64 });
  return contents;
}

function parseJson(line: Uint8Array): JsonValue | undefined {
  try {
    return JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString());
  } catch {
    return undefined;
  }
}
