import type { JsonValue } from '../../../core/event/json.js';

/** Sets a member unless its value is what OTLP takes for nothing: null, 0, an empty text or an empty object. */
export function putFilled<Value extends JsonValue>(target: { [key: string]: Value }, key: string, value: Value): void {
  if (value === null || value === 0 || value === '') return;
  if (typeof value === 'object' && isEmpty(value)) return;
  target[key] = value;
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
