import type { JsonValue } from '../../core/event/json.js';
import { levelSeverity } from '../../core/normalize/level.js';
import { formatTimestamp, parseTimestamp } from '../../core/normalize/timestamp.js';
import { pythonChain, severalLines, stackText, tracebackIn } from './logged-stack.js';

/** Indexed by the numbers of pino and bunyan, divided by ten. */
const TENS = ['', 'trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** Indexed by syslog severity (RFC 5424, 6.2.1). */
const SYSLOG = ['fatal', 'fatal', 'fatal', 'error', 'warn', 'info', 'info', 'debug'] as const;

/** A field of a log line: the first path whose value `parse` accepts wins; `parse` returns undefined for other values. */
export interface LogField {
  readonly paths: readonly string[];
  readonly parse: (value: JsonValue) => string | number | undefined;
  /** Whether the member stays in `extra`, because it has more than the parsed value. */
  readonly isCopied: boolean;
}

/** `paths` is a list of words. */
function fieldAt(parse: LogField['parse'], paths: string, isCopied = false): LogField {
  return { paths: paths.split(/\s+/), parse, isCopied };
}

/** What programs print for an error that is not there. */
const NO_ERROR: ReadonlySet<JsonValue> = new Set(['<nil>', 'nil', 'null', 'None', 'undefined']);

function filledText(value: JsonValue): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function errorText(value: JsonValue): string | undefined {
  return NO_ERROR.has(value) ? undefined : filledText(value);
}

const METHOD = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT|QUERY)$/i;
const ORIGIN = /^https?:\/\/[^/?#]{1,512}/i;

function label(value: JsonValue): string | undefined {
  return typeof value === 'number' ? String(value) : filledText(value);
}

function time(value: JsonValue): string | undefined {
  const written = label(value);
  const reading = written === undefined ? undefined : parseTimestamp(written.trim());
  return reading === undefined ? undefined : formatTimestamp(reading);
}

function method(value: JsonValue): string | undefined {
  return typeof value === 'string' && METHOD.test(value) ? value : undefined;
}

function route(value: JsonValue): string | undefined {
  const path = filledText(value)?.replace(ORIGIN, '').split(/[?#]/, 1)[0];
  return path === '' ? '/' : path;
}

function statusCode(value: JsonValue): number | undefined {
  const code = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof code === 'number' && Number.isInteger(code) && code >= 100 && code <= 599 ? code : undefined;
}

/** The level. */
export const LEVEL = fieldAt(
  parseLogLevel,
  `level severity log.level @l levelname level_name lvl loglevel log_level severity_text severityText LogLevel Level
  record.level.name`,
);

/** Fields that decide the failure itself. */
export const ERROR_FIELDS = {
  stack: fieldAt(
    stackText,
    `err.stack error.stack error.stack_trace exception.stacktrace exception.stack exception.stack_trace exc.stack
    stack_trace stackTrace stack errorVerbose stacktrace @x traceback`,
  ),
  /** Fields that hold a stack only when they have several lines. */
  exceptionText: fieldAt(severalLines, 'exception Exception exc_info error err fields.error fields.err'),
  formatted: fieldAt(tracebackIn, 'text'),
  chain: fieldAt(pythonChain, 'exception exc_info error err', true),
  location: fieldAt(stackText, 'context.reportLocation reportLocation', true),
  /** An error as text, or what an error without a name says. */
  errorText: fieldAt(
    errorText,
    `error err exception Exception fields.error fields.err fields.error.message error.reason err.reason error.detail
    err.detail error.code err.code`,
  ),
  name: fieldAt(
    filledText,
    `err.type err.name error.type error.name error.class error.kind exception.type exception.class exception.name
    exception.exception_class exception.0.exc_type exc_type record.exception.type exception_class error_name
    errorName errorType`,
  ),
  message: fieldAt(
    filledText,
    `err.message err.msg error.message error.msg exception.message exception.exception_message exception.0.exc_value
    record.exception.value error_message errorMessage`,
  ),
  logMessage: fieldAt(
    filledText,
    `msg message event @m @mt short_message fields.message record.message Message RenderedMessage MessageTemplate
    text error err exception`,
  ),
};

/** Other keys of a raw payload that a line may set. */
export const PAYLOAD_FIELDS: Readonly<Record<string, LogField>> = {
  timestamp: fieldAt(
    time,
    `time timestamp @timestamp ts @t datetime date asctime eventTime t Timestamp record.time.timestamp`,
  ),
  app: fieldAt(filledText, 'app app.name application app_name'),
  service: fieldAt(filledText, 'service service.name service_name serviceName serviceContext.service'),
  env: fieldAt(filledText, 'env environment deployment.environment.name deployment.environment service.environment'),
  release: fieldAt(label, 'release service.version app_version appVersion version serviceContext.version'),
  request_id: fieldAt(
    label,
    `request_id requestId req_id reqId req.id request.id http.request.id RequestId x_request_id correlation_id
    correlationId`,
  ),
  user_id: fieldAt(label, 'user_id userId user.id enduser.id UserId context.user'),
  session_id: fieldAt(label, 'session_id sessionId session.id'),
  method: fieldAt(
    method,
    `method req.method request.method http.request.method http.method http_method RequestMethod
    httpRequest.requestMethod context.httpRequest.method`,
  ),
  route: fieldAt(
    route,
    `route http.route req.url req.path request.path request.url url.path http.target path url RequestPath
    url.original url.full httpRequest.requestUrl context.httpRequest.url`,
  ),
  status_code: fieldAt(
    statusCode,
    `status_code statusCode res.statusCode response.status response.status_code http.response.status_code
    http.status_code status StatusCode httpRequest.status context.httpRequest.responseStatusCode`,
  ),
};

/** Parses a level, a word or a number; undefined for other values. The offset of slog's `ERROR+2` is left out. */
function parseLogLevel(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return SYSLOG[value] ?? (TENS[Math.min(6, Math.floor(value / 10))] || undefined);
  if (typeof value !== 'string' || levelSeverity(value) === 0) return undefined;
  return value
    .trim()
    .toLowerCase()
    .replace(/[+-]\d{1,3}$/, '');
}
