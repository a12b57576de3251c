import { isJsonObject, type JsonValue, jsonDepth } from '../../event/json.js';
import { parseJson } from '../record/commits/commit-record.js';

/** A rejected payload, as its receiver passes it to the store. */
export interface RejectedPayload {
  readonly code: string;
  /** JSON pointer; empty for the whole payload. */
  readonly field: string;
  /** For people. */
  readonly reason: string;
  /** The received bytes or the first of them; must not change afterwards. Absent if none are available. */
  readonly received?: Uint8Array;
  /** Size of the whole payload; null if unknown. */
  readonly bytes: number | null;
}

/** Deeper payloads are stored as text, because readers such as jq 1.6 fail at 256 levels. */
export const MAX_PAYLOAD_LEVELS = 200;

/** Stored content of a rejected payload: JSON as sent, other UTF-8 text, or other bytes. */
export type DeadLetterContent =
  | { readonly kind: 'payload'; readonly value: JsonValue }
  | { readonly kind: 'text' | 'base64'; readonly value: string };

/** One line of a `rejected.ndjson`. */
export interface DeadLetter {
  /** RFC 3339, UTC, milliseconds. */
  readonly rejectedAt: string;
  /** Component id, or `import`. */
  readonly receiver: string;
  readonly code: string;
  /** JSON pointer; empty for the whole payload. */
  readonly field: string;
  readonly reason: string;
  /** Size as received; null if unknown. */
  readonly bytes: number | null;
  /** True if only the beginning was stored. */
  readonly isCut: boolean;
  readonly content: DeadLetterContent | undefined;
}

/** Parses a line; undefined if it is not a dead letter. */
export function parseDeadLetter(line: Buffer): DeadLetter | undefined {
  const value = parseJson(line.toString());
  if (!isJsonObject(value) || jsonDepth(value) > MAX_PAYLOAD_LEVELS + 1) return undefined;
  const { rejected_at: rejectedAt, receiver, code, field, reason, bytes, cut = false } = value;
  if (typeof rejectedAt !== 'string' || Number.isNaN(Date.parse(rejectedAt))) return undefined;
  if (typeof receiver !== 'string' || typeof code !== 'string') return undefined;
  if (typeof field !== 'string' || typeof reason !== 'string') return undefined;
  if ((typeof bytes !== 'number' && bytes !== null) || typeof cut !== 'boolean') return undefined;
  const contents = contentsOf(value);
  if (contents.length > 1) return undefined;
  return { rejectedAt, receiver, code, field, reason, bytes, isCut: cut, content: contents[0] };
}

function contentsOf({ payload, text, base64 }: { [key: string]: JsonValue }): DeadLetterContent[] {
  const contents: DeadLetterContent[] = [];
  if (payload !== undefined) contents.push({ kind: 'payload', value: payload });
  if (typeof text === 'string') contents.push({ kind: 'text', value: text });
  if (typeof base64 === 'string') contents.push({ kind: 'base64', value: base64 });
  return contents;
}
