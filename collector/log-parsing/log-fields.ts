import type { JsonValue } from '../../core/event/json.js';
import { detectParser } from '../../core/fingerprint/stack/parsers/stack-parsers.js';
import { formatTimestamp, parseTimestamp } from '../../core/normalize/timestamp.js';
import { printedChain, stackText, TRACEBACK } from './structured-stacks.js';

/** Where a log entry may have a value: in the member with this name, or in nested ones. */
export interface LogPath {
  readonly text: string;
  /** The part before the first point. */
  readonly head: string;
}

/** A field of a log entry: the first path whose value `parse` accepts wins; `parse` returns undefined for other values. */
export interface LogField {
  readonly paths: readonly LogPath[];
  readonly parse: (value: JsonValue) => string | number | undefined;
  /** Whether the member stays in `extra`, because it has more than the parsed value. */
  readonly isCopied: boolean;
}

/** Returns what precedes the first point of a name. */
export function headOf(name: string): string {
  const point = name.indexOf('.');
  return point === -1 ? name : name.slice(0, point);
}

/** `paths` is a list of words. */
function fieldAt(parse: LogField['parse'], paths: string, isCopied = false): LogField {
  return { paths: paths.split(/\s+/).map((text) => ({ text, head: headOf(text) })), parse, isCopied };
}

/** What loggers name an error by. */
const ERRORS = ['exception', 'err', 'error', 'exc', 'thrown', 'Exception', 'context.exception', 'record.exception'];

/** Lists the paths of a member of each error, those of one error together. */
function ofErrors(names: string): string {
  return ERRORS.flatMap((error) => names.split(' ').map((name) => `${error}.${name}`)).join(' ');
}

/** What programs print for an error that is not there. */
const NO_ERROR: ReadonlySet<JsonValue> = new Set(['<nil>', 'nil', 'null', 'None', 'undefined', 'true', 'false']);
/** OpenTelemetry's `error.type` of an error without a type: a fallback value or the status of the answer. */
const NO_ERROR_NAME = /^(?:_OTHER|\d{3})$/;

function filledText(value: JsonValue): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function errorText(value: JsonValue): string | undefined {
  return NO_ERROR.has(value) ? undefined : filledText(value);
}

function errorName(value: JsonValue): string | undefined {
  return typeof value === 'string' && NO_ERROR_NAME.test(value) ? undefined : filledText(value);
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

/** Fields that decide the failure itself. */
export const ERROR_FIELDS = {
  stack: fieldAt(
    stackText,
    `${ofErrors('stacktrace stack stack_trace stackTrace traceback')} stack_trace stackTrace errorVerbose stacktrace @x
    traceback code.stacktrace message.stackTrace message.stack`,
  ),
  /** A name for many things: where a program is deployed, what it is built of. */
  anyStack: fieldAt(stackWithFrame, 'stack full_message'),
  /** Fields that hold a stack only when they have several lines. */
  exceptionText: fieldAt(severalLines, `${ERRORS.join(' ')} exc_info fields.error fields.err`),
  formatted: fieldAt(tracebackIn, 'text'),
  chain: fieldAt(printedChain, `${ERRORS.join(' ')} exc_info`, true),
  location: fieldAt(stackText, 'context.reportLocation reportLocation', true),
  /** An error as text, or what an error without a name says. */
  errorText: fieldAt(
    errorText,
    `${ERRORS.join(' ')} fields.error fields.err fields.error.message error.reason err.reason error.detail err.detail
    error.code err.code`,
  ),
  name: fieldAt(
    errorName,
    `${ofErrors('type name class kind exceptionType exception_class')} exception.0.exc_type exc_type exception_class
    error_name errorName errorType message.errorType`,
  ),
  message: fieldAt(
    filledText,
    `${ofErrors('message msg exception_message error.message value error')} exception.0.exc_value error_message errorMessage
    message.errorMessage message.message`,
  ),
  logMessage: fieldAt(
    filledText,
    `msg message event @m @mt @message short_message fields.message record.message Message RenderedMessage MessageTemplate
    MESSAGE log text error err exception`,
  ),
};

/** Other keys of a raw payload that a line may set. */
export const REQUEST_FIELDS: Readonly<Record<string, LogField>> = {
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

/** .NET's console logger replaces the line feeds of a stack by a space each. */
const FLATTENED: readonly (readonly [flat: string, line: string])[] = [
  ['    at ', '\n   at '],
  ['  ---> ', '\n ---> '],
  ['    --- ', '\n   --- '],
];

/** UTF-16 units of a flattened text. */
const MAX_FLATTENED = 524_288;

/** Returns a stack that has at least one frame; undefined for other values. */
function stackWithFrame(value: JsonValue): string | undefined {
  const stack = stackText(value);
  return stack === undefined || detectParser(stack) === null ? undefined : stack;
}

/** Returns a text of several lines, also one whose lines .NET joined; undefined for other values. */
function severalLines(value: JsonValue): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (value.trimEnd().includes('\n')) return value;
  if (value.length > MAX_FLATTENED) return undefined;
  const lines = FLATTENED.reduce((text, [flat, line]) => text.replaceAll(flat, line), value);
  return lines === value ? undefined : lines;
}

/** Returns the traceback at the end of a formatted log entry (loguru's `text`). */
function tracebackIn(value: JsonValue): string | undefined {
  const start = typeof value === 'string' ? value.indexOf(`\n${TRACEBACK}`) : -1;
  return typeof value === 'string' && start >= 0 ? value.slice(start + 1) : undefined;
}
