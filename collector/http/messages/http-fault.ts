import { Fault } from '../../../core/event/fault.js';
import type { JsonObject } from '../../../core/event/json.js';

interface RequestFaultOptions {
  cause?: unknown;
  retryable?: boolean;
  /** Default: that of the code. */
  status?: number;
  /** Further members of the problem document, for example the parameter's name. */
  members?: JsonObject;
  /** Further response headers, for example `allow`. */
  headers?: Readonly<Record<string, string>>;
}

/** A fault of one request. */
export class RequestFault extends Fault {
  readonly members: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number | undefined;

  constructor(code: string, message: string, options: RequestFaultOptions = {}) {
    super(code, message, options);
    this.members = options.members ?? {};
    this.headers = options.headers ?? {};
    this.status = options.status;
  }
}

/** The fault for a known path without this method. */
export function methodNotAllowed(method: string | undefined, allowed: readonly string[]): RequestFault {
  const allow = allowed.join(', ');
  return new RequestFault('METHOD_NOT_ALLOWED', `${method} is not allowed here; use ${allow}`, { headers: { allow } });
}

/** The one table of HTTP statuses and their fault codes; docs/http-api.md lists it for senders. */
const CODES: Readonly<Record<number, string>> = {
  400: `
    BODY_ABORTED BODY_COMPRESSION_INVALID BODY_EMPTY CURSOR_INVALID ENVELOPE_MALFORMED EVENT_INVALID
    GRPC_MESSAGE_INVALID GRPC_TIMEOUT_INVALID HTTPS_REQUIRED IDEMPOTENCY_KEY_INVALID MALFORMED_JSON OTLP_INVALID
    PARAMETER_INVALID PARAMETER_UNKNOWN QUERY_INVALID RELEASE_INVALID REQUEST_MALFORMED REQUEST_TARGET_INVALID
    SENTRY_VERSION_UNSUPPORTED
  `,
  401: 'RELEASES_CLOSED TOKEN_MISSING TOKEN_WRONG',
  403: `
    HOST_NOT_ALLOWED LOCAL_ONLY ORIGIN_NOT_ALLOWED SENTRY_CREDENTIALS_DIFFER SENTRY_KEY_MISSING SENTRY_KEY_WRONG
    SENTRY_PROJECT_UNKNOWN SOURCE_READ_ONLY TOKEN_MAY_NOT_ACT
  `,
  404: `
    EVENT_NOT_FOUND EXPLAIN_NOT_FOUND GRPC_METHOD_UNKNOWN ISSUE_NOT_FOUND PATH_NOT_FOUND PIPELINE_NOT_FOUND
    RELEASE_NOT_FOUND SIGNAL_REFUSED SUGGESTION_NOT_FOUND
  `,
  405: 'METHOD_NOT_ALLOWED',
  408: 'BODY_STALLED BODY_TOO_SLOW GRPC_DEADLINE_EXCEEDED',
  409: 'REGROUP_NOTHING_TO_ROLL_BACK REGROUP_RUNNING SOURCE_IS_SELF',
  413: 'BODY_TOO_LARGE ENVELOPE_TOO_LONG EVENT_TOO_LARGE TOO_MANY_EVENTS',
  415: 'CONTENT_ENCODING_UNSUPPORTED CONTENT_TYPE_UNSUPPORTED GRPC_ENCODING_UNSUPPORTED',
  422: `
    ACTION_INVALID ACTION_NOT_FOUND EVENT_TOO_MANY_MEMBERS EXPLAIN_IN_DIFFERENT_SOURCES GROUPING_INVALID
    GROUPING_TOO_LARGE ISSUES_IN_DIFFERENT_SOURCES ISSUES_NOT_MERGED SNOOZE_INVALID
  `,
  429: 'RATE_LIMITED',
  431: 'HEADERS_TOO_MANY',
};

const STATUS_OF_CODE: ReadonlyMap<string, number> = new Map(
  Object.entries(CODES).flatMap(([status, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code) => [code, Number(status)]),
  ),
);

/** Returns the status of a fault: its own, by its code, else 503 if it is retryable, else 500. */
export function statusOf(fault: Fault): number {
  if (fault instanceof RequestFault && fault.status !== undefined) return fault.status;
  return STATUS_OF_CODE.get(fault.code) ?? (fault.retryable ? 503 : 500);
}
