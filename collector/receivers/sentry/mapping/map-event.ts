import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import { routeOfAddress, splitTransaction } from '../../../../core/normalize/route.js';
import { type ErrorFields, withLoggedFailure } from '../../../log-parsing/failure-in-text.js';
import type { SentryContext } from '../sentry-context.js';
import { logEntryOf, loggedMessage } from './map-message.js';
import { addTags, namesOf, packageOfRelease, type SentryTags, tagsOf } from './map-names-and-tags.js';
import { requestIdOfHeaders } from './map-request.js';
import { type ResponseStatus, statusOf } from './map-status.js';
import { type EventTime, eventTime } from './map-time.js';
import { asText, asValues, at, eventLevel, extraOf, sentryExtra, without } from './map-values.js';
import { modernEvent } from './modern-event.js';
import { chainOf, isMessageOnly, type SentryChain } from './sentry-frames.js';
import { stackOf } from './sentry-stack.js';

/** Transaction sources whose names are route patterns. */
const NAMED_SOURCES: ReadonlySet<JsonValue | undefined> = new Set(['route', 'view', 'task']);
/** Names a function that serves several routes, so the address of a request precedes it. */
const FUNCTION_SOURCE = 'component';
/** SDKs send this for the address of the connection. */
const UNKNOWN_ADDRESS = '{{auto}}';
const MAX_ARGUMENTS = 16;

/** Values of an event that several payload fields use. */
interface ParsedEvent {
  readonly event: JsonObject;
  readonly exception: JsonValue | undefined;
  readonly chain: SentryChain;
  readonly tags: SentryTags;
  readonly time: EventTime;
  readonly level: string;
  readonly error: ErrorFields;
  /** Undefined if the message is not the logged one, or has no template. */
  readonly template: string | undefined;
  readonly route: string;
  /** HTTP method in the transaction name. */
  readonly verb: string | undefined;
  readonly requestId: string | undefined;
  readonly status: ResponseStatus;
}

/** Maps an `event` item (https://develop.sentry.dev/sdk/event-payloads/) to a payload with all 17 keys; what fits no field goes to `extra.sentry`. They share objects, so do not change what was sent. */
export function mapSentryEvent(sent: JsonObject, context: SentryContext): JsonObject {
  const event = modernEvent(sent);
  const reading = parseEvent(event, context);
  const { exception, error, tags, time } = reading;
  const release = asText(at(event, 'release'));
  const contexts = at(event, 'contexts');
  const request = at(event, 'request');
  const { app, service, env } = namesOf(
    {
      app: asText(at(tags.tags, 'app')) ?? asText(at(at(contexts, 'app'), 'app_name')) ?? packageOfRelease(release),
      service: asText(at(tags.tags, 'service')) ?? asText(at(at(at(contexts, 'otel'), 'resource'), 'service.name')),
      environment: at(event, 'environment'),
    },
    context,
  );
  // In the order of a raw line.
  return {
    app,
    env,
    error_name: error.error_name,
    extra: extraOf(at(event, 'extra'), restOf(reading, context)),
    level: reading.level,
    message: error.message,
    method: asText(at(request, 'method'))?.toUpperCase() ?? reading.verb ?? null,
    release: release ?? null,
    request_id: reading.requestId ?? traceIdOf(event) ?? null,
    route: reading.route,
    service,
    session_id: asText(at(tags.tags, 'session_id')) ?? asText(at(at(contexts, 'replay'), 'replay_id')) ?? null,
    stack: error.stack,
    status_code: reading.status.code,
    tags: addTags(tags.tags, [
      ['server_name', at(event, 'server_name')],
      ['site', at(event, 'site')],
      ['dist', at(event, 'dist')],
      ['platform', at(event, 'platform')],
      ['logger', at(event, 'logger')],
      ['sdk', at(at(event, 'sdk'), 'name')],
      ['handled', at(at(exception, 'mechanism'), 'handled')],
    ]),
    timestamp: time.timestamp,
    user_id: userIdOf(at(event, 'user')) ?? null,
  };
}

function parseEvent(event: JsonObject, { envelope, receivedMs }: SentryContext): ParsedEvent {
  const chain = chainOf(event);
  const exception = asValues(at(event, 'exception'))[chain.printed[0] ?? -1];
  const logged = loggedMessage(event);
  const value = asText(at(exception, 'value'));
  const isLogged = logged.text !== undefined && (value === undefined || isMessageOnly(exception));
  const tags = tagsOf(at(event, 'tags'));
  const { verb, name } = splitTransaction(asText(at(event, 'transaction')) ?? '');
  const message = (isLogged ? logged.text : value) ?? '';
  const error_name = asText(at(exception, 'type')) ?? '';
  const error = withLoggedFailure({ error_name, message, stack: stackOf(event, chain) }, consoleArguments(event));
  return {
    event,
    exception,
    chain,
    tags,
    time: eventTime(at(event, 'timestamp'), at(envelope, 'sent_at'), receivedMs),
    level: eventLevel(event),
    error,
    template: isLogged && error.message === message ? logged.template : undefined,
    route: routeOf(event, name),
    verb,
    requestId: requestIdOfHeaders(at(at(event, 'request'), 'headers')) ?? asText(at(tags.tags, 'request_id')),
    status: statusOf(event, tags.tags, exception),
  };
}

/** The values that were logged, which SDKs for JavaScript send beside the message that they were joined to. */
function consoleArguments(event: JsonObject): readonly JsonValue[] {
  const values = at(at(event, 'extra'), 'arguments');
  return Array.isArray(values) ? values.slice(0, MAX_ARGUMENTS) : [];
}

/** Returns a transaction name that is a pattern, else the path of the request, else a transaction name that is a function or a path. */
function routeOf(event: JsonObject, name: string): string {
  const source = at(at(event, 'transaction_info'), 'source');
  if (name !== '' && NAMED_SOURCES.has(source)) return name;
  const url = asText(at(at(event, 'request'), 'url'));
  if (url !== undefined) return routeOfAddress(url);
  if (source === FUNCTION_SOURCE) return name;
  return name.startsWith('/') ? routeOfAddress(name) : '';
}

function traceIdOf(event: JsonObject): string | undefined {
  return asText(at(at(at(event, 'contexts'), 'trace'), 'trace_id'));
}

function userIdOf(user: JsonValue | undefined): string | undefined {
  const address = asText(at(user, 'ip_address'));
  return (
    asText(at(user, 'id')) ??
    asText(at(user, 'username')) ??
    asText(at(user, 'email')) ??
    (address === UNKNOWN_ADDRESS ? undefined : address)
  );
}

/** Returns the members of an event that no field holds unchanged, and how the event was mapped. */
function restOf(reading: ParsedEvent, { project }: SentryContext): JsonObject {
  const { event, chain, tags, time } = reading;
  const rest = without(event, fieldTest(reading));
  const logentry = logEntryOf(event);
  if (logentry !== undefined) {
    rest['logentry'] = logentry;
    if (logentry === rest['message']) delete rest['message'];
  }
  if (tags.leftOver.length > 0) rest['tags'] = tags.leftOver;
  return sentryExtra(rest, {
    project_id: project.id,
    exceptions: chain.causes.length > 0 ? [...chain.causes] : undefined,
    thread: chain.thread,
    message_template: reading.template,
    request_id_from: reading.requestId === undefined && traceIdOf(event) !== undefined ? 'trace_id' : undefined,
    status_code_from: reading.status.from,
    clock_drift_ms: time.clockDriftMs,
  });
}

/** Returns whether a field holds a member unchanged. */
function fieldTest({ time, error, route, level }: ParsedEvent): (key: string, value: JsonValue) => boolean {
  const fields: JsonObject = { timestamp: time.timestamp, message: error.message, transaction: route, level };
  return (key, value) => {
    if (key === 'extra' || key === 'tags') return true;
    if (key === 'environment' || key === 'release') return asText(value) === value;
    return Object.hasOwn(fields, key) && value === fields[key];
  };
}
