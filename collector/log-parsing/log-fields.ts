import type { JsonValue } from '../../core/event/json.js';
import { formatTimestamp, parseTimestamp } from '../../core/normalize/timestamp.js';

/** A field of a log line: the first path whose value `parse` accepts wins; `parse` returns undefined for other values. */
export interface LogField {
  readonly paths: readonly string[];
  readonly parse: (value: JsonValue) => string | number | undefined;
}

const METHOD = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT|QUERY)$/i;
const ORIGIN = /^https?:\/\/[^/?#]{1,512}/i;

function text(value: JsonValue): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function label(value: JsonValue): string | undefined {
  return typeof value === 'number' ? String(value) : text(value);
}

function linesOfText(value: JsonValue): string | undefined {
  return typeof value === 'string' && value.includes('\n') ? value : undefined;
}

function stack(value: JsonValue): string | undefined {
  const isList = Array.isArray(value) && value.every((line) => typeof line === 'string');
  return isList && value.length > 0 ? value.join('\n') : text(value);
}

function time(value: JsonValue): string | undefined {
  const written = label(value);
  const reading = written === undefined ? undefined : parseTimestamp(written.trim());
  return reading === undefined ? undefined : formatTimestamp(reading);
}

function method(value: JsonValue): string | undefined {
  return typeof value === 'string' && METHOD.test(value) ? value : undefined;
}

/** Returns the path of a URL, without its query. */
function route(value: JsonValue): string | undefined {
  const path = text(value)?.replace(ORIGIN, '').split(/[?#]/, 1)[0];
  return path === '' ? '/' : path;
}

function statusCode(value: JsonValue): number | undefined {
  const code = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof code === 'number' && Number.isInteger(code) && code >= 100 && code <= 599 ? code : undefined;
}

/** Names of the level field. */
export const LEVEL_PATHS: readonly string[] = [
  'level',
  'severity',
  'log.level',
  '@l',
  'levelname',
  'level_name',
  'lvl',
  'loglevel',
  'log_level',
  'severity_text',
  'severityText',
];

/** Fields that decide the failure itself. */
export const ERROR_FIELDS = {
  stack: {
    paths: [
      'err.stack',
      'error.stack',
      'error.stack_trace',
      'exception.stacktrace',
      'exception.stack',
      'exception.stack_trace',
      'exc.stack',
      'stack_trace',
      'stackTrace',
      'stack',
      'errorVerbose',
      'stacktrace',
      '@x',
      'traceback',
    ],
    parse: stack,
  },
  /** Fields that hold a stack only when they have several lines. */
  exceptionText: { paths: ['exception', 'exc_info', 'error', 'err'], parse: linesOfText },
  name: {
    paths: [
      'err.type',
      'err.name',
      'error.type',
      'error.name',
      'error.class',
      'error.kind',
      'exception.type',
      'exception.class',
      'exception.name',
      'exception.exception_class',
      'exception.0.exc_type',
      'exc_type',
      'exception_class',
      'error_name',
      'errorName',
      'errorType',
    ],
    parse: text,
  },
  message: {
    paths: [
      'err.message',
      'err.msg',
      'error.message',
      'error.msg',
      'exception.message',
      'exception.exception_message',
      'exception.0.exc_value',
      'error_message',
      'errorMessage',
    ],
    parse: text,
  },
  logMessage: {
    paths: ['msg', 'message', 'event', '@m', '@mt', 'short_message', 'text', 'error', 'err', 'exception'],
    parse: text,
  },
} as const satisfies Readonly<Record<string, LogField>>;

/** Other keys of a raw payload that a line may set. */
export const PAYLOAD_FIELDS: Readonly<Record<string, LogField>> = {
  timestamp: {
    paths: ['time', 'timestamp', '@timestamp', 'ts', '@t', 'datetime', 'date', 'asctime', 'eventTime', 't'],
    parse: time,
  },
  app: { paths: ['app', 'app.name', 'application', 'app_name'], parse: text },
  service: { paths: ['service', 'service.name', 'service_name', 'serviceName'], parse: text },
  env: {
    paths: ['env', 'environment', 'deployment.environment.name', 'deployment.environment', 'service.environment'],
    parse: text,
  },
  release: { paths: ['release', 'service.version', 'app_version', 'appVersion', 'version'], parse: label },
  request_id: {
    paths: [
      'request_id',
      'requestId',
      'req_id',
      'reqId',
      'req.id',
      'request.id',
      'http.request.id',
      'RequestId',
      'x_request_id',
      'correlation_id',
      'correlationId',
    ],
    parse: label,
  },
  user_id: { paths: ['user_id', 'userId', 'user.id', 'enduser.id', 'UserId'], parse: label },
  session_id: { paths: ['session_id', 'sessionId', 'session.id'], parse: label },
  method: {
    paths: [
      'method',
      'req.method',
      'request.method',
      'http.request.method',
      'http.method',
      'http_method',
      'RequestMethod',
    ],
    parse: method,
  },
  route: {
    paths: [
      'route',
      'http.route',
      'req.url',
      'req.path',
      'request.path',
      'request.url',
      'url.path',
      'http.target',
      'path',
      'url',
      'RequestPath',
    ],
    parse: route,
  },
  status_code: {
    paths: [
      'status_code',
      'statusCode',
      'res.statusCode',
      'response.status',
      'response.status_code',
      'http.response.status_code',
      'http.status_code',
      'status',
      'StatusCode',
    ],
    parse: statusCode,
  },
};
