import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { routeOfAddress, splitTransaction } from '../../../../core/normalize/route.js';
import type { AttributeReader } from './attribute-reader.js';

/** Finds a field in one source. */
type Lookup<Value> = (source: AttributeReader) => Value | undefined;

const ROUTE_KEYS = ['http.route', 'url.template'];
const ADDRESS_KEYS = ['url.path', 'http.target', 'url.full', 'http.url'];
const STATUS_KEYS = ['http.response.status_code', 'http.status_code'];
const METHOD_KEY = 'http.request.method';
const METHOD_KEYS = [METHOD_KEY, 'http.method'];
/** For methods that the conventions do not list. */
const OTHER_METHOD_KEYS = ['http.request.method_original', 'http.method', METHOD_KEY];
const REQUEST_HEADER_KEYS = ['http.request.header.x-request-id', 'http.response.header.x-request-id'];
const FURTHER_REQUEST_ID_KEYS = ['aws.request_id'];
const USER_KEYS = ['user.id', 'enduser.id', 'enduser.pseudo.id', 'user.hash'];
const SESSION_KEYS = ['session.id'];
const OTHER_METHOD = '_OTHER';
/** The beginning of some names of spans: Micrometer's `http get /orders/{id}`. */
const PROTOCOL = /^HTTP /i;
/** A segment that stands for a value: `:id`, `{id}`, `<id>`, `[id]`. */
const PLACEHOLDER = /\/[:{<[]/;

/** Fields of a raw payload that describe the request. */
export type RequestFields = Pick<
  RawPayload,
  'method' | 'route' | 'status_code' | 'request_id' | 'session_id' | 'user_id'
>;

/** Finds the request fields of an exception; the first source that has a field decides it. */
export interface RequestFieldReader {
  /** The request id defaults to `traceId`, which may be empty. */
  findFields(sources: readonly AttributeReader[], traceId: string): RequestFields;
  /** Attributes that a cached span must keep. */
  readonly keys: ReadonlySet<string>;
}

/** Creates the reader; `requestIdAttributes` precede those of the conventions. */
export function createRequestFieldReader(requestIdAttributes: readonly string[]): RequestFieldReader {
  const requestId: Lookup<string> = (source) =>
    source.text(requestIdAttributes) ?? source.firstText(REQUEST_HEADER_KEYS) ?? source.text(FURTHER_REQUEST_ID_KEYS);
  const known = [
    METHOD_KEYS,
    OTHER_METHOD_KEYS,
    ROUTE_KEYS,
    ADDRESS_KEYS,
    STATUS_KEYS,
    REQUEST_HEADER_KEYS,
    USER_KEYS,
    SESSION_KEYS,
  ];
  return {
    keys: new Set([...known.flat(), ...requestIdAttributes, ...FURTHER_REQUEST_ID_KEYS]),
    findFields: (sources, traceId) => ({
      method: nearest(sources, methodIn) ?? null,
      route: nearest(sources, routeIn) ?? '',
      status_code: nearest(sources, statusIn) ?? null,
      request_id: nearest(sources, requestId) ?? (traceId === '' ? null : traceId),
      session_id: nearest(sources, sessionIn) ?? null,
      user_id: nearest(sources, userIn) ?? null,
    }),
  };
}

function nearest<Value>(sources: readonly AttributeReader[], lookup: Lookup<Value>): Value | undefined {
  for (const source of sources) {
    const value = lookup(source);
    if (value !== undefined) return value;
  }
  return undefined;
}

const statusIn: Lookup<number> = (source) => source.integer(STATUS_KEYS);
const sessionIn: Lookup<string> = (source) => source.text(SESSION_KEYS);
const userIn: Lookup<string> = (source) => source.text(USER_KEYS);

function methodIn(source: AttributeReader): string | undefined {
  return source.text(source.peek(METHOD_KEY) === OTHER_METHOD ? OTHER_METHOD_KEYS : METHOD_KEYS);
}

/** Returns the route of a source, else the template in its span's name, else its path with a placeholder for each value. */
function routeIn(source: AttributeReader): string | undefined {
  const route = source.text(ROUTE_KEYS);
  if (route !== undefined) return route;
  const named = pathIn(source.spanName);
  if (named !== undefined && PLACEHOLDER.test(named)) return named;
  const address = source.firstText(ADDRESS_KEYS) ?? named;
  return address === undefined ? undefined : routeOfAddress(address);
}

/** The path in the name of a span: `GET /orders/{id}`. */
function pathIn(spanName: string): string | undefined {
  const { verb, name } = splitTransaction(spanName.replace(PROTOCOL, ''));
  return verb !== undefined && name.startsWith('/') && !name.includes(' ') ? name : undefined;
}
