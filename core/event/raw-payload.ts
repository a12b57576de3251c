import { isJsonObject, type JsonObject } from './json.js';
import { cutText } from './text.js';

/**
 * One failure as its sender described it: the 17 keys of the specification ("Raw payload"), all present, nothing else.
 * What a sender gave beyond them lies in `extra`. One of these, as JSON on one line, is a line of a `raw.ndjson`.
 */
export interface RawPayload {
  /** Application name. */
  app: string;
  /** Environment name, for example `production`. */
  env: string;
  /** Name of the error's class or kind. */
  error_name: string;
  /** Free-form data; null when the sender gave none. */
  extra: JsonObject | null;
  /** Severity; null means that the sender named none. */
  level: string | null;
  /** Message for people. */
  message: string;
  /** HTTP method of the request; null when the event is not tied to one. */
  method: string | null;
  /** Release label of the application. */
  release: string | null;
  request_id: string | null;
  /** Request path of a server event, page path of a browser event. */
  route: string;
  /** Service inside the application. */
  service: string;
  session_id: string | null;
  /** Stack trace as one string, frames separated by newlines. */
  stack: string | null;
  /** HTTP status code, an integer. */
  status_code: number | null;
  /** Strings to strings, also where they express numbers. */
  tags: Record<string, string>;
  /** Event time as sent, in whatever form; null means that the receipt dates the event. */
  timestamp: string | null;
  user_id: string | null;
}

/** The keys of a raw payload in alphabetical order: the order of a raw line. */
export const RAW_PAYLOAD_KEYS = [
  'app',
  'env',
  'error_name',
  'extra',
  'level',
  'message',
  'method',
  'release',
  'request_id',
  'route',
  'service',
  'session_id',
  'stack',
  'status_code',
  'tags',
  'timestamp',
  'user_id',
] as const satisfies readonly (keyof RawPayload)[];

/** The most further events for which one event may stand. */
export const MAX_SAMPLED = 1_000_000_000;

/**
 * How many further events of its issue, which were received and not stored, an event stands for: `extra.faultline.sampled`, an integer from 1 to
 * `MAX_SAMPLED`. 0 where there is none, or anything else stands there.
 */
export function sampledOf(extra: JsonObject | null): number {
  const part = extra?.['faultline'];
  if (!isJsonObject(part)) return 0;
  const sampled = part['sampled'];
  const isUsable = typeof sampled === 'number' && Number.isInteger(sampled) && sampled >= 1 && sampled <= MAX_SAMPLED;
  return isUsable ? sampled : 0;
}

/** For how many events an event counts: itself, and those of `sampledOf`. */
export function weightOf(extra: JsonObject | null): number {
  return 1 + sampledOf(extra);
}

/** Whether something is written where the weight stands, whatever it is: from outside that is nobody's to write. */
export function claimsWeight(extra: JsonObject | null): boolean {
  const part = extra?.['faultline'];
  return isJsonObject(part) && Object.hasOwn(part, 'sampled');
}

/** An `extra` that says no more than for how many further events its event stands; null for 0. */
function extraOfWeight(sampled: number): JsonObject | null {
  return sampled === 0 ? null : { faultline: { sampled } };
}

/** UTF-16 units of a message that lists show, and that the index therefore keeps. */
const MAX_LISTED_MESSAGE = 512;

/** The part of a message that lists show. */
export function listedMessage(message: string): string {
  return cutText(message, MAX_LISTED_MESSAGE);
}

/** What is still asked of a payload once its raw line is encoded and its fingerprint computed: what the index counts and shows in lists. */
export type GroupedPayload = Pick<
  RawPayload,
  | 'app'
  | 'env'
  | 'error_name'
  | 'extra'
  | 'level'
  | 'message'
  | 'release'
  | 'service'
  | 'stack'
  | 'status_code'
  | 'timestamp'
  | 'user_id'
>;

/** The payload without what is large: of the stack one unit is left, which tells that there is one, and of extra for how many events it counts. */
export function groupedPayload(payload: RawPayload): GroupedPayload {
  const { app, env, error_name, extra, level, message, release, service, stack, status_code, timestamp, user_id } =
    payload;
  return {
    app,
    env,
    error_name,
    extra: extraOfWeight(sampledOf(extra)),
    level,
    message: listedMessage(message),
    release,
    service,
    stack: stack === null ? null : stack.slice(0, 1),
    status_code,
    timestamp,
    user_id,
  };
}
