import type { Fault } from '../../core/event/fault.js';

/** The one table from fault codes to HTTP statuses; the README lists it for senders. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  BODY_ABORTED: 400,
  BODY_COMPRESSION_INVALID: 400,
  BODY_EMPTY: 400,
  CURSOR_INVALID: 400,
  MALFORMED_JSON: 400,
  PARAMETER_INVALID: 400,
  PARAMETER_UNKNOWN: 400,
  QUERY_INVALID: 400,
  REQUEST_TARGET_INVALID: 400,
  HOST_NOT_ALLOWED: 403,
  EVENT_NOT_FOUND: 404,
  ISSUE_NOT_FOUND: 404,
  PATH_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  BODY_STALLED: 408,
  BODY_TOO_LARGE: 413,
  EVENT_TOO_LARGE: 413,
  TOO_MANY_EVENTS: 413,
  CONTENT_ENCODING_UNSUPPORTED: 415,
  CONTENT_TYPE_UNSUPPORTED: 415,
};

/** Status of a fault: by its code; else 503 when it may be tried again, and 500 when it is ours. */
export function statusOf(fault: Fault): number {
  return STATUS_OF_CODE[fault.code] ?? (fault.retryable ? 503 : 500);
}
