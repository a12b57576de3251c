import type { JsonObject } from '../../../core/event/json.js';
import type { FieldSource } from './field-source.js';

/** Looks a field up in one source. */
type Lookup<Value> = (source: FieldSource) => Value | undefined;

const ROUTE_KEYS = ['http.route', 'url.template', 'url.path'];
const TARGET_KEYS = ['http.target', 'url.full', 'http.url'];
const STATUS_KEYS = ['http.response.status_code', 'http.status_code'];
const METHOD_KEYS = ['http.request.method', 'http.request.method_original', 'http.method'];
const REQUEST_HEADER_KEYS = ['http.request.header.x-request-id', 'http.response.header.x-request-id'];
const FURTHER_REQUEST_ID = 'aws.request_id';
const USER_KEYS = ['user.id', 'enduser.id', 'enduser.pseudo.id', 'user.hash'];
const SESSION_KEY = 'session.id';
/** By the semantic conventions: the method is none of those that are known. */
const OTHER_METHOD = '_OTHER';
const LONGEST_TARGET = 8_192;
const PATH_OF_TARGET = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/i;

/** Finds what an exception's request was, in the sources in their order: the nearest one that says a field decides it. */
export interface RequestFieldReader {
  /** `method`, `route`, `status_code`, `request_id`, `session_id` and `user_id` of a raw payload. */
  read(sources: readonly FieldSource[], traceId: string): JsonObject;
  /** The attributes that are read: what must be remembered of a span to find them there later. */
  readonly keys: ReadonlySet<string>;
}

/** Builds the reader; `requestIdAttributes` in their order come before the conventions' own. */
export function createRequestFieldReader(requestIdAttributes: readonly string[]): RequestFieldReader {
  const requestId: Lookup<string> = (source) =>
    source.text(...requestIdAttributes) ?? source.firstText(...REQUEST_HEADER_KEYS) ?? source.text(FURTHER_REQUEST_ID);
  const known = [METHOD_KEYS, ROUTE_KEYS, TARGET_KEYS, STATUS_KEYS, REQUEST_HEADER_KEYS, USER_KEYS];
  return {
    keys: new Set([...known.flat(), ...requestIdAttributes, FURTHER_REQUEST_ID, SESSION_KEY]),
    read: (sources, traceId) => ({
      method: nearest(sources, methodIn) ?? null,
      route: nearest(sources, routeIn) ?? '',
      status_code: nearest(sources, (source) => source.integer(...STATUS_KEYS)) ?? null,
      request_id: nearest(sources, requestId) ?? (traceId === '' ? null : traceId),
      session_id: nearest(sources, (source) => source.text(SESSION_KEY)) ?? null,
      user_id: nearest(sources, (source) => source.text(...USER_KEYS)) ?? null,
    }),
  };
}

function nearest<Value>(sources: readonly FieldSource[], lookup: Lookup<Value>): Value | undefined {
  for (const source of sources) {
    const value = lookup(source);
    if (value !== undefined) return value;
  }
  return undefined;
}

function methodIn(source: FieldSource): string | undefined {
  const [method = '', original = '', old = ''] = METHOD_KEYS;
  return source.peek(method) === OTHER_METHOD ? source.text(original, old, method) : source.text(method, old);
}

function routeIn(source: FieldSource): string | undefined {
  const route = source.text(...ROUTE_KEYS);
  if (route !== undefined) return route;
  for (const key of TARGET_KEYS) {
    const target = source.peek(key);
    if (typeof target !== 'string' || target === '') continue;
    return PATH_OF_TARGET.exec(target.slice(0, LONGEST_TARGET))?.[1] || '/';
  }
  return undefined;
}
