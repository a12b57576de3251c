import type { JsonValue } from '../../../core/event/json.js';
import { RAW_PAYLOAD_KEYS, type RawPayload } from '../../../core/event/raw-payload.js';

interface PayloadSize {
  /** Characters of its JSON. */
  characters: number;
  /** Members of objects and elements of arrays, at all depths. */
  members: number;
}

/** For the keys and the short fields of a payload. */
const BASE_CHARACTERS = 512;
const PUNCTUATION = 8;

/** Estimates the size of a payload, which bounds batches. The payload's depth must be bounded. */
export function approximateSize({ message, stack, extra, tags }: RawPayload): PayloadSize {
  const size = {
    characters: BASE_CHARACTERS + message.length + (stack?.length ?? 0),
    members: RAW_PAYLOAD_KEYS.length,
  };
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
