import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { asText, at } from './map-values.js';

const REDACTED = '[redacted]';
const SECRET_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization', 'set-cookie']);
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

/** Redacts cookies and credential headers of a request, also in its CGI environment. */
export function redactedRequest(request: JsonValue): JsonValue {
  if (!isJsonObject(request)) return request;
  const redacted: JsonObject = { ...request };
  for (const part of ['headers', 'env'] as const) {
    const value = at(request, part);
    if (value !== undefined) redacted[part] = redactedEntries(value);
  }
  const cookies = at(request, 'cookies');
  if (cookies !== undefined && cookies !== null) redacted['cookies'] = REDACTED;
  return redacted;
}

function redactedEntries(entries: JsonValue): JsonValue {
  if (Array.isArray(entries)) {
    return entries.map((entry) =>
      Array.isArray(entry) && typeof entry[0] === 'string' && isSecret(entry[0]) ? [entry[0], REDACTED] : entry,
    );
  }
  if (!isJsonObject(entries)) return entries;
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, isSecret(name) ? REDACTED : value]));
}

function isSecret(name: string): boolean {
  return SECRET_HEADERS.has(
    name
      .toLowerCase()
      .replace(/^(?:redirect_)?http_/, '')
      .replaceAll('_', '-')
      .trim(),
  );
}

function headerEntries(headers: JsonValue | undefined): [string, JsonValue][] {
  if (isJsonObject(headers)) return Object.entries(headers);
  if (!Array.isArray(headers)) return [];
  return headers.flatMap((entry): [string, JsonValue][] =>
    Array.isArray(entry) && typeof entry[0] === 'string' ? [[entry[0], entry[1] ?? null]] : [],
  );
}
