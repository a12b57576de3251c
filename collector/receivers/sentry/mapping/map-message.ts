import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../../../core/event/json.js';
import { asText, at } from './map-values.js';

/** Longer templates are not formatted: SDKs cut messages there. */
const MAX_TEMPLATE = 8_192;
const MAX_PARAMETER = 1_024;
/** UTF-16 units of all inserted parameters: a short template may repeat a long one. */
const MAX_FILLED = 65_536;
const SLOT = /%%|%(?:\((\w{1,64})\))?[-+#0]{0,3}\d{0,3}(?:\.\d{1,3})?[sdifrjoOxc]|\{(\w{0,64})\}/g;

/** Returns the log entry of an event. Java sends it as `message`, other SDKs as `logentry`. */
export function logEntryOf(event: JsonObject): JsonObject | undefined {
  const entry = at(event, 'logentry');
  if (isJsonObject(entry)) return entry;
  const message = at(event, 'message');
  return isJsonObject(message) ? message : undefined;
}

/** Returns the message: formatted by the SDK, else the formatted template, else the plain message; without parameters the template is undefined. */
export function loggedMessage(event: JsonObject) {
  const entry = logEntryOf(event);
  const pattern = asText(at(entry, 'message'));
  const params = at(entry, 'params');
  const hasParams = isJsonObject(params) ? Object.keys(params).length > 0 : Array.isArray(params) && params.length > 0;
  return {
    text:
      asText(at(entry, 'formatted')) ??
      (pattern === undefined ? undefined : filledIn(pattern, params)) ??
      asText(at(event, 'message')) ??
      asText(at(event, 'logentry')),
    template: hasParams ? pattern : undefined,
  };
}

/** Inserts parameters for `%s`, `%(name)s`, `{}`, `{0}` and `{name}`; a slot without a parameter stays. */
function filledIn(template: string, params: JsonValue | undefined): string {
  if (template.length > MAX_TEMPLATE || params === undefined || params === null) return template;
  let room = MAX_FILLED;
  let next = 0;
  return template.replace(SLOT, (slot: string, percentName: string | undefined, braceName: string | undefined) => {
    if (slot === '%%') return '%';
    const name = percentName ?? braceName ?? '';
    const value = name === '' ? itemOf(params, next++) : (ownValue(params, name) ?? itemOf(params, Number(name)));
    const text = value === null ? 'null' : typeof value === 'string' ? value : asText(value);
    if (text === undefined || text.length > MAX_PARAMETER || text.length > room) return slot;
    room -= text.length;
    return text;
  });
}

function itemOf(params: JsonValue, index: number): JsonValue | undefined {
  return Array.isArray(params) ? params[index] : undefined;
}
