import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/event/json.js';
import { setOwnProperty } from '../../../core/event/own-property.js';
import { asText, at } from './map-values.js';

/** Tags of an event, and what of them could not become one. */
export interface SentryTags {
  readonly tags: Record<string, string>;
  /** Entries whose key or value is no scalar; null values say nothing and are in neither. */
  readonly leftOver: JsonValue[];
}

/** Tags from an object or a list of pairs (item 43); numbers and booleans become text. */
export function tagsOf(value: JsonValue | undefined): SentryTags {
  const tags: Record<string, string> = {};
  const leftOver: JsonValue[] = [];
  if (value === undefined || value === null) return { tags, leftOver };
  if (!isJsonObject(value) && !Array.isArray(value)) return { tags, leftOver: [value] };
  const entries = Array.isArray(value) ? value : Object.entries(value);
  for (const entry of entries) {
    const [key, tag] = Array.isArray(entry) ? entry : [at(entry, 'key'), at(entry, 'value')];
    const name = asText(key);
    const text = typeof tag === 'string' ? tag : asText(tag);
    if (name !== undefined && text !== undefined) setOwnProperty(tags, name, text);
    else if (entry !== null && tag !== null) leftOver.push(entry);
  }
  return { tags, leftOver };
}

/** Adds what the item says about its sender, under names that its own tags leave free. */
export function addTags(
  tags: Record<string, string>,
  more: readonly (readonly [string, JsonValue | undefined])[],
): JsonObject {
  for (const [name, value] of more) {
    const text = asText(value);
    if (text !== undefined && !Object.hasOwn(tags, name)) tags[name] = text;
  }
  return tags;
}
