import type { JsonObject, JsonValue } from '../../../core/event/json.js';
import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import { type Attributes, objectIn } from './log-record.js';

/** Tags that the OTLP receiver made of what a record has fields of its own for. */
const FIELDS_AS_TAGS: ReadonlySet<string> = new Set([
  'trace_id',
  'span_id',
  'event.name',
  'otel.scope.name',
  'otel.scope.version',
]);
/** What the receiver keeps in `extra` for itself. */
const OWN_EXTRA: ReadonlySet<string> = new Set(['otlp', 'faultline']);

/**
 * What an event says by the names of the semantic conventions, then what OTLP brought, then tags and the rest of `extra` under their own names; where a name is
 * taken already by another value, behind `tag.` or `extra.`.
 */
export function recordAttributes({ normalized: event, payload, issueId, fingerprint }: FollowedEvent): Attributes {
  const attributes = new Map<string, JsonValue>();
  const put = (key: string, value: JsonValue): void => {
    if (value !== null && value !== '') attributes.set(key, value);
  };
  put('log.record.uid', event.event_id);
  put('exception.type', event.error_name);
  if (isException(event)) put('exception.message', event.message);
  put('exception.stacktrace', event.stack);
  put('http.request.method', event.method);
  put('http.route', event.route);
  put('http.response.status_code', event.status_code);
  put('request_id', event.request_id);
  put('session.id', event.session_id);
  put('user.id', event.user_id);
  put('faultline.fingerprint', fingerprint);
  put('faultline.issue_id', issueId);
  const { sampled, ...own } = objectIn(payload.extra, 'faultline');
  put('faultline.sampled', sampled ?? null);

  const otlp = objectIn(payload.extra, 'otlp');
  const isFromOtlp = Object.keys(otlp).length > 0;
  putOthers(attributes, 'otlp.', objectIn(otlp, 'attributes'), () => true);
  for (const part of ['span', 'server_span']) {
    const span = objectIn(otlp, part);
    if (Object.keys(span).length > 0) put(`otlp.${part}`, span);
  }
  if (Object.keys(own).length > 0) put('faultline.notes', own);
  putOthers(attributes, 'tag.', payload.tags, (key) => !isFromOtlp || !FIELDS_AS_TAGS.has(key));
  putOthers(attributes, 'extra.', payload.extra ?? {}, (key) => !OWN_EXTRA.has(key));
  return attributes;
}

/** Whether an event tells of an exception: it has a name or a stack. */
export function isException({ error_name, stack }: { error_name: string; stack: string | null }): boolean {
  return error_name !== '' || (stack !== null && stack !== '');
}

function putOthers(
  attributes: Map<string, JsonValue>,
  prefix: string,
  values: JsonObject,
  isWanted: (key: string) => boolean,
): void {
  for (const [key, value] of Object.entries(values)) {
    // OTLP wants keys that are not empty.
    if (!isWanted(key) || attributes.get(key) === value) continue;
    attributes.set(key === '' || attributes.has(key) ? `${prefix}${key}` : key, value);
  }
}
