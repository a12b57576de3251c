import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { levelSeverity } from '../../../../core/event/level.js';
import { withLoggedFailure } from '../../../log-parsing/failure-in-text.js';
import { levelOfSeverity } from '../../../otlp/severity.js';
import type { SentryContext } from '../sentry-context.js';
import { addTags, namesOf, packageOfRelease } from './map-names-and-tags.js';
import { eventTime } from './map-time.js';
import { asObject, asText, at, extraOf, firstStatus, firstText, sentryExtra, without } from './map-values.js';

const TEMPLATE = 'sentry.message.template';
const PARAMETER = 'sentry.message.parameter.';
const REQUEST_IDS = ['http.request.id', 'http.request.header.x-request-id', 'request.id', 'request_id'] as const;

/** Attributes that a field holds unchanged. */
const COPIED = ['sentry.environment', 'sentry.release', 'exception.stacktrace'] as const;

/** Returns the level of an entry, else that of its severity number; default `info`. */
export function sentryLogLevel(entry: JsonObject): string {
  const attributes = at(entry, 'attributes');
  const named = levelNamed(at(entry, 'level')) ?? levelNamed(attributeOf(attributes, 'sentry.severity_text'));
  return (
    named ??
    levelNumbered(at(entry, 'severity_number')) ??
    levelNumbered(attributeOf(attributes, 'sentry.severity_number')) ??
    'info'
  );
}

/** Returns which part of the SDK made an entry, for example `auto.log.stdlib`. */
export function originOfLog(entry: JsonObject): string | undefined {
  return asText(attributeOf(at(entry, 'attributes'), 'sentry.origin'));
}

/** Maps an entry of a `log` item to a payload with all 17 keys. Never throws. */
export function mapSentryLog(entry: JsonObject, context: SentryContext): JsonObject {
  const attributes = plainAttributes(at(entry, 'attributes'));
  const first = (...names: readonly string[]) => firstText(attributes, names);
  const time = eventTime(at(entry, 'timestamp'), at(context.envelope, 'sent_at'), context.receivedMs);
  const traceId = asText(at(entry, 'trace_id'));
  const body = asText(at(entry, 'body')) ?? '';
  const error = withLoggedFailure({
    error_name: first('exception.type') ?? '',
    message: body,
    stack: first('exception.stacktrace') ?? null,
  });
  const requestId = first(...REQUEST_IDS);
  return {
    ...namesOf(
      {
        app: first('service.namespace') ?? packageOfRelease(first('sentry.release')),
        service: first('service.name'),
        environment: at(attributes, 'sentry.environment'),
      },
      context,
    ),
    error_name: error.error_name,
    extra: extraOf(
      without(attributes, isOfSdk),
      sentryExtra(restOf(entry, attributes, error.message, time.timestamp), {
        project_id: context.project.id,
        message_template: error.message === body ? templateOf(attributes) : undefined,
        request_id_from: requestId === undefined && traceId !== undefined ? 'trace_id' : undefined,
        clock_drift_ms: time.clockDriftMs,
      }),
    ),
    level: sentryLogLevel(entry),
    message: error.message,
    method: first('http.request.method', 'http.method')?.toUpperCase() ?? null,
    release: first('sentry.release') ?? null,
    request_id: requestId ?? traceId ?? null,
    route: first('http.route') ?? '',
    session_id: first('session.id', 'sentry.replay_id') ?? null,
    stack: error.stack,
    status_code: firstStatus([at(attributes, 'http.response.status_code'), at(attributes, 'http.status_code')]),
    tags: addTags({}, [
      ['server_name', at(attributes, 'server.address')],
      ['sdk', at(attributes, 'sentry.sdk.name')],
    ]),
    timestamp: time.timestamp,
    user_id: first('user.id', 'user.name', 'user.email') ?? null,
  };
}

function levelNamed(value: JsonValue | undefined): string | undefined {
  const name = asText(value)?.trim().toLowerCase() ?? '';
  return levelSeverity(name) > 0 ? name : undefined;
}

function levelNumbered(value: JsonValue | undefined): string | undefined {
  return typeof value === 'number' ? levelOfSeverity(value, '') : undefined;
}

/** Returns the value of an attribute `{value, type}`, or a plain attribute itself. */
export function attributeOf(attributes: JsonValue | undefined, name: string): JsonValue | undefined {
  return unwrapped(at(attributes, name));
}

function unwrapped(attribute: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(attribute) && Object.hasOwn(attribute, 'value') ? attribute['value'] : attribute;
}

function plainAttributes(attributes: JsonValue | undefined): JsonObject {
  const entries = Object.entries(asObject(attributes));
  return Object.fromEntries(entries.map(([name, attribute]) => [name, unwrapped(attribute) ?? null]));
}

/** Whether an attribute is the SDK's, not the application's. */
function isOfSdk(name: string): boolean {
  return name.startsWith('sentry.') || name === 'exception.stacktrace';
}

/** A template without parameters is ignored: SDKs then send the final message as the template. */
function templateOf(attributes: JsonObject): string | undefined {
  const hasParameter = Object.keys(attributes).some((name) => name.startsWith(PARAMETER));
  return hasParameter ? asText(attributes[TEMPLATE]) : undefined;
}

function restOf(entry: JsonObject, attributes: JsonObject, message: string, timestamp: string | null): JsonObject {
  const copied = new Set<string>();
  if (levelNamed(entry['level']) !== undefined) copied.add('level');
  if (entry['body'] === message) copied.add('body');
  if (entry['timestamp'] === timestamp) copied.add('timestamp');
  if (isJsonObject(entry['attributes'])) copied.add('attributes');
  const rest = without(entry, (key) => copied.has(key));
  const sdkAttributes = without(attributes, (name, value) => {
    const isCopied = COPIED.some((key) => key === name) && typeof value === 'string' && value.trim() !== '';
    return isCopied || !isOfSdk(name);
  });
  if (Object.keys(sdkAttributes).length > 0) rest['attributes'] = sdkAttributes;
  return rest;
}
