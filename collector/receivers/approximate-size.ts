import type { JsonValue } from '../../core/event/json.js';
import type { RawPayload } from '../../core/event/raw-payload.js';

/** What a payload's keys, and the fields that are short, come to. */
const FRAME = 512;
const PUNCTUATION = 8;

/** About how many characters a payload has as JSON, so that batches can be bounded; its depth must be. */
export function approximateSize({ message, stack, extra, tags }: RawPayload): number {
  return FRAME + message.length + (stack?.length ?? 0) + sizeOf(extra) + sizeOf(tags);
}

function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return value.length + PUNCTUATION;
  if (typeof value !== 'object' || value === null) return PUNCTUATION;
  let size = PUNCTUATION;
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item);
  else for (const key in value) size += key.length + sizeOf(value[key] ?? null);
  return size;
}
