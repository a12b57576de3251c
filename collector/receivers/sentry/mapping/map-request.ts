import { isJsonObject, type JsonValue } from '../../../../core/event/json.js';
import { asText } from './map-values.js';

/** In order of precedence. */
const REQUEST_ID_HEADERS: readonly string[] = ['x-request-id', 'x-correlation-id', 'x-amzn-trace-id', 'request-id'];

/** Returns the request id in headers, which are an object or pairs. */
export function requestIdOfHeaders(headers: JsonValue | undefined): string | undefined {
  let id: string | undefined;
  let rank = REQUEST_ID_HEADERS.length;
  for (const [name, value] of headerEntries(headers)) {
    const index = REQUEST_ID_HEADERS.indexOf(name.toLowerCase());
    const text = index < 0 || index >= rank ? undefined : asText(Array.isArray(value) ? value[0] : value);
    if (text === undefined) continue;
    id = text;
    rank = index;
  }
  return id;
}

function headerEntries(headers: JsonValue | undefined): [string, JsonValue][] {
  if (isJsonObject(headers)) return Object.entries(headers);
  if (!Array.isArray(headers)) return [];
  return headers.flatMap((entry): [string, JsonValue][] =>
    Array.isArray(entry) && typeof entry[0] === 'string' ? [[entry[0], entry[1] ?? null]] : [],
  );
}
