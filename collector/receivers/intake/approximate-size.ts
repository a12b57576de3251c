import type { JsonValue } from '../../../core/event/json.js';
import { RAW_PAYLOAD_KEYS, type RawPayload } from '../../../core/event/raw-payload.js';

/** How large a payload is. */
export interface PayloadSize {
  /** About how many characters it has as JSON. */
  characters: number;
  /** Members of objects and elements of arrays, at all depths. */
  members: number;
}

/** What a payload's keys, and the fields that are short, come to. */
const FRAME = 512;
const PUNCTUATION = 8;

/** How large a payload is, so that batches can be bounded; its depth must be. */
export function approximateSize({ message, stack, extra, tags }: RawPayload): PayloadSize {
  const size = { characters: FRAME + message.length + (stack?.length ?? 0), members: RAW_PAYLOAD_KEYS.length };
  add(extra, size);
  add(tags, size);
  return size;
}

function add(value: JsonValue, size: PayloadSize): void {
  size.characters += PUNCTUATION;
  if (typeof value === 'string') size.characters += value.length;
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    size.members += value.length;
    for (const item of value) add(item, size);
    return;
  }
  for (const key in value) {
    size.members++;
    size.characters += key.length;
    add(value[key] ?? null, size);
  }
}
