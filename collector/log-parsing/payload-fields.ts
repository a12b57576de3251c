import type { JsonValue } from '../../core/event/json.js';
import { formatTimestamp, parseTimestamp } from '../../core/normalize/timestamp.js';
import { filledText, type LogField } from './log-fields.js';

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

/** Returns the path of a URL, without its query. */
function route(value: JsonValue): string | undefined {
  const path = filledText(value)?.replace(ORIGIN, '').split(/[?#]/, 1)[0];
  return path === '' ? '/' : path;
}

function statusCode(value: JsonValue): number | undefined {
  const code = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof code === 'number' && Number.isInteger(code) && code >= 100 && code <= 599 ? code : undefined;
}

/** Other keys of a raw payload that a line may set. */
export const PAYLOAD_FIELDS: Readonly<Record<string, LogField>> = {
  timestamp: {
    paths: [
      'time',
      'timestamp',
      '@timestamp',
      'ts',
      '@t',
      'datetime',
      'date',
      'asctime',
      'eventTime',
      't',
      'Timestamp',
      'record.time.timestamp',
    ],
    parse: time,
  },
  app: { paths: ['app', 'app.name', 'application', 'app_name'], parse: filledText },
  service: {
    paths: ['service', 'service.name', 'service_name', 'serviceName', 'serviceContext.service'],
    parse: filledText,
  },
  env: {
    paths: ['env', 'environment', 'deployment.environment.name', 'deployment.environment', 'service.environment'],
    parse: filledText,
  },
  release: {
    paths: ['release', 'service.version', 'app_version', 'appVersion', 'version', 'serviceContext.version'],
    parse: label,
  },
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
  user_id: { paths: ['user_id', 'userId', 'user.id', 'enduser.id', 'UserId', 'context.user'], parse: label },
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
      'httpRequest.requestMethod',
      'context.httpRequest.method',
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
      'url.original',
      'url.full',
      'httpRequest.requestUrl',
      'context.httpRequest.url',
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
      'httpRequest.status',
      'context.httpRequest.responseStatusCode',
    ],
    parse: statusCode,
  },
};
