import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { asText, at, firstStatus } from './map-values.js';

/** The HTTP status code of an event's response. */
export interface ResponseStatus {
  readonly code: number | null;
  /** What the code was concluded from; undefined if the event names it. */
  readonly from: 'trace_status' | 'exception' | 'unhandled' | undefined;
}

/** Statuses of a server's span that stand for one status code (https://develop.sentry.dev/sdk/telemetry/traces/spans/#span-status). */
const OF_SPAN: ReadonlyMap<JsonValue | undefined, number> = new Map([
  ['unauthenticated', 401],
  ['permission_denied', 403],
  ['not_found', 404],
  ['already_exists', 409],
  ['resource_exhausted', 429],
  ['internal_error', 500],
  ['unimplemented', 501],
  ['unavailable', 503],
  ['deadline_exceeded', 504],
]);
const SERVER_SPAN = 'http.server';
const INTERNAL_SERVER_ERROR = 500;

/** Mechanisms of integrations with frameworks that answer 500 to an exception that nobody handled. */
const OF_FRAMEWORK: readonly RegExp[] = [
  // Node.js; `auto.http.client` is of outgoing requests.
  /^auto\.(?:middleware|http(?!\.client)|function\.(?:fastify|hapi|koa|nestjs|hono|nextjs|sveltekit|remix|astro|nuxt))(?:\.|$)/,
  /^middleware$/,
  // Python
  /^(?:aiohttp|asgi|bottle|chalice|django|falcon|fastapi|flask|litestar|pyramid|quart|sanic|starlette|starlite|tornado|wsgi)$/,
  // JVM
  /^(?:Spring\d?|Handler|SpringJakarta|Sentry)(?:WebFlux)?ExceptionResolver$/,
  // .NET and Ruby
  /^Sentry(?:Tracing)?Middleware\.UnhandledException$/,
  /^(?:rack|rails)$/,
];
const MAX_NAME = 100;
/** Exceptions by which a program chooses the status; some print it first. */
const CHOOSES_STATUS = /^(?:ResponseStatus|ErrorResponse|H(?:TTP|ttp))Exception$/;
const PRINTED_STATUS = /^([1-5]\d\d)(?:[: ]|$)/;

/**
 * Returns the status that an event names, else that of its server's span, else what its framework returns for an exception that nobody handled:
 * the status that the exception chooses, or 500.
 */
export function statusOf(event: JsonObject, tags: JsonObject, exception: JsonValue | undefined): ResponseStatus {
  const contexts = at(event, 'contexts');
  const extra = at(event, 'extra');
  const trace = at(contexts, 'trace');
  const data = at(trace, 'data');
  const isServerSpan = asText(at(trace, 'op'))?.startsWith(SERVER_SPAN) ?? false;
  const named = firstStatus([
    at(at(contexts, 'response'), 'status_code'),
    at(tags, 'status_code'),
    at(tags, 'http.status_code'),
    at(extra, 'status'),
    at(extra, 'status_code'),
    at(at(at(exception, 'mechanism'), 'data'), 'status'),
    isServerSpan ? at(data, 'http.response.status_code') : undefined,
    isServerSpan ? at(data, 'http.status_code') : undefined,
  ]);
  if (named !== null) return { code: named, from: undefined };
  const ofSpan = isServerSpan ? OF_SPAN.get(at(trace, 'status')) : undefined;
  if (ofSpan !== undefined) return { code: ofSpan, from: 'trace_status' };
  if (!isOfRequest(event) || !isUnhandledByFramework(exception)) return { code: null, from: undefined };
  if (!CHOOSES_STATUS.test(shortText(at(exception, 'type')))) return { code: INTERNAL_SERVER_ERROR, from: 'unhandled' };
  const printed = PRINTED_STATUS.exec(asText(at(exception, 'value')) ?? '')?.[1];
  return printed === undefined ? { code: null, from: undefined } : { code: Number(printed), from: 'exception' };
}

/** Whether an event happened while a server handled a request or message. */
export function isOfRequest(event: JsonObject): boolean {
  return isJsonObject(at(event, 'request')) || asText(at(event, 'transaction')) !== undefined;
}

function isUnhandledByFramework(exception: JsonValue | undefined): boolean {
  const mechanism = at(exception, 'mechanism');
  if (at(mechanism, 'handled') !== false) return false;
  const type = shortText(at(mechanism, 'type'));
  return OF_FRAMEWORK.some((form) => form.test(type));
}

function shortText(value: JsonValue | undefined): string {
  return asText(value)?.slice(0, MAX_NAME) ?? '';
}
