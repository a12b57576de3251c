import type { JsonObject } from '../../../../core/event/json.js';
import { LEGACY_PREFIX } from '../mapping/modern-event.js';

/** Item types that the receiver uses. `raw_security` has reports of browsers. */
const WANTED = ['event', 'log', 'raw_security', 'client_report', 'session', 'sessions'] as const;
export type WantedType = (typeof WANTED)[number];

/** An item of a wanted type; without payload if it exceeds its bound. */
export interface SentItem {
  readonly type: WantedType;
  readonly payload: Buffer | undefined;
  readonly bytes: number;
}

/** Item types of the protocol that are counted and dropped, whatever they hold. */
const DROPPED: ReadonlySet<string> = new Set([
  'attachment',
  'check_in',
  'feedback',
  'form_data',
  'metric_buckets',
  'metric_meta',
  'nel',
  'otel_log',
  'otel_span',
  'profile',
  'profile_chunk',
  'replay_event',
  'replay_recording',
  'replay_video',
  'span',
  'statsd',
  'trace_metric',
  'transaction',
  'user_report',
  'user_report_v2',
]);

/** Members of an event (https://develop.sentry.dev/sdk/event-payloads/) that no header of an envelope or item has. */
const EVENT_MEMBERS: ReadonlySet<string> = new Set([
  'breadcrumbs',
  'contexts',
  'culprit',
  'exception',
  'extra',
  'fingerprint',
  'level',
  'logentry',
  'logger',
  'message',
  'request',
  'stacktrace',
  'tags',
  'threads',
  'user',
]);

/** Members of the header of an envelope or of an item without a type. */
const HEADER_MEMBERS: ReadonlySet<string> = new Set([
  'attachment_type',
  'content_type',
  'dsn',
  'event_id',
  'filename',
  'item_count',
  'length',
  'sdk',
  'sent_at',
  'trace',
  'type',
]);

/** What of an event says a failure. */
const FAILURE_MEMBERS = ['exception', 'logentry', 'message', 'stacktrace', 'threads'];

/** The protocol allows 4 KiB, but reports of a long outage are larger. */
const MAX_CLIENT_REPORT_BYTES = 64 * 1024;
const MAX_SESSIONS_BYTES = 256 * 1024;
const BYTES_OF: Readonly<Partial<Record<WantedType, number>>> = {
  client_report: MAX_CLIENT_REPORT_BYTES,
  session: MAX_SESSIONS_BYTES,
  sessions: MAX_SESSIONS_BYTES,
};

/** The wanted types with the most bytes of their payloads. */
export type WantedItems = ReadonlyMap<string, number>;

/** Returns the bounds for events of at most `maxEventBytes`. */
export function wantedItems(maxEventBytes: number): WantedItems {
  return new Map(WANTED.map((type) => [type, BYTES_OF[type] ?? maxEventBytes]));
}

/** Whether items of this type are used. */
export function isWanted(type: string, wanted: WantedItems): type is WantedType {
  return wanted.has(type);
}

/** Whether the protocol has no such type, so that its payload may be an event. */
export function isUnknownType(type: string, wanted: WantedItems): boolean {
  return !wanted.has(type) && !DROPPED.has(type);
}

/** Members of only a header. */
const ONLY_OF_HEADERS = ['dsn', 'sent_at', 'length'];

/** Whether an object with these members is an event and not a header. */
export function isEvent(names: readonly string[]): boolean {
  if (names.some((name) => ONLY_OF_HEADERS.includes(name))) return false;
  return names.some((name) => EVENT_MEMBERS.has(name) || name.startsWith(LEGACY_PREFIX));
}

/** Whether an object with these members, which is not an event, may be a header. */
export function isHeader(names: readonly string[]): boolean {
  return names.every((name) => HEADER_MEMBERS.has(name));
}

/** Whether an event is a transaction (https://develop.sentry.dev/sdk/telemetry/traces/), which says how long something took, and no failure. */
export function isTransaction(event: JsonObject): boolean {
  const names = Object.keys(event);
  if (names.some((name) => FAILURE_MEMBERS.includes(name) || name.startsWith(LEGACY_PREFIX))) return false;
  return event['type'] === 'transaction' || names.includes('spans') || names.includes('start_timestamp');
}
