import type { JsonObject, JsonValue } from '../../../core/event/json.js';

/** Sets a member unless its value is what OTLP takes for nothing: null, 0, an empty text or an empty object. */
export function putFilled(target: JsonObject, key: string, value: JsonValue): void {
  if (value === null || value === 0 || value === '') return;
  if (typeof value === 'object' && Object.keys(value).length === 0) return;
  target[key] = value;
}
