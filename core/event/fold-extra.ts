import { isJsonObject, type JsonObject, type JsonValue } from './json.js';
import { setOwnProperty } from './own-property.js';
import { RAW_PAYLOAD_KEYS } from './raw-payload.js';
import type { Repairs } from './repairs.js';

const KNOWN_KEYS: ReadonlySet<string> = new Set(RAW_PAYLOAD_KEYS);

/**
 * The `extra` of an event: the sender's own, and the top-level keys that a payload does not have, under their own names.
 * Where the sender's extra holds such a name already, it wins and the top-level value is kept aside. What is no object comes back as it is.
 */
export function foldExtra(event: JsonObject, repairs: Repairs): JsonValue {
  const own = event['extra'] ?? null;
  const unknownKeys = Object.keys(event).filter((key) => !KNOWN_KEYS.has(key) && event[key] !== undefined);
  if (unknownKeys.length === 0 || (own !== null && !isJsonObject(own))) return own;

  const extra: JsonObject = { ...own };
  for (const key of unknownKeys) {
    const isTaken = own !== null && Object.hasOwn(own, key);
    setOwnProperty(isTaken ? repairs.topLevel : extra, key, event[key] ?? null);
  }
  return extra;
}
