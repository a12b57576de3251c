import { Fault } from '../../../core/event/fault.js';
import { isJsonObject, type JsonObject } from '../../../core/event/json.js';
import { parseLenientJson } from './lenient-json.js';
import type { SentItem } from './sent-items.js';
import { eventTooLarge } from './sentry-fault.js';

/** The JSON object that an item consists of, or why it is none. */
export type ItemJson =
  | { readonly ok: true; readonly value: JsonObject; readonly payload: Buffer }
  | { readonly ok: false; readonly fault: Fault };

/** Reads an item: `EVENT_TOO_LARGE` for one that was over the bound, `MALFORMED_JSON`, `EVENT_INVALID` for JSON that is no object. */
export function readItemJson({ type, payload }: SentItem, maxBytes: number): ItemJson {
  if (payload === undefined) return { ok: false, fault: eventTooLarge(maxBytes) };
  let value: unknown;
  try {
    value = parseLenientJson(payload.toString());
  } catch (cause) {
    return { ok: false, fault: new Fault('MALFORMED_JSON', `the ${type} is not JSON`, { cause }) };
  }
  if (isJsonObject(value)) return { ok: true, value, payload };
  return { ok: false, fault: new Fault('EVENT_INVALID', `the ${type} is JSON, but no object`) };
}
