import type { JsonObject } from './json.js';

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
