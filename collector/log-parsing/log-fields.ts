import type { JsonValue } from '../../core/event/json.js';
import { pythonChain, severalLines, stackText, tracebackIn } from './logged-stack.js';

/** A field of a log line: the first path whose value `parse` accepts wins; `parse` returns undefined for other values. */
export interface LogField {
  readonly paths: readonly string[];
  readonly parse: (value: JsonValue) => string | number | undefined;
  /** Whether the member stays in `extra`, because it has more than the parsed value. */
  readonly isCopied?: true;
}

/** What programs print for an error that is not there. */
const NO_ERROR: ReadonlySet<JsonValue> = new Set(['<nil>', 'nil', 'null', 'None', 'undefined']);

/** Returns a text that is not blank; undefined for other values. */
export function filledText(value: JsonValue): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function errorText(value: JsonValue): string | undefined {
  return NO_ERROR.has(value) ? undefined : filledText(value);
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
  'LogLevel',
  'Level',
  'record.level.name',
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
    parse: stackText,
  },
  /** Fields that hold a stack only when they have several lines. */
  exceptionText: {
    paths: ['exception', 'Exception', 'exc_info', 'error', 'err', 'fields.error', 'fields.err'],
    parse: severalLines,
  },
  formatted: { paths: ['text'], parse: tracebackIn },
  chain: { paths: ['exception', 'exc_info', 'error', 'err'], parse: pythonChain, isCopied: true },
  location: { paths: ['context.reportLocation', 'reportLocation'], parse: stackText, isCopied: true },
  /** An error as text, or what an error without a name says. */
  errorText: {
    paths: [
      'error',
      'err',
      'exception',
      'Exception',
      'fields.error',
      'fields.err',
      'fields.error.message',
      'error.reason',
      'err.reason',
      'error.detail',
      'err.detail',
      'error.code',
      'err.code',
    ],
    parse: errorText,
  },
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
      'record.exception.type',
      'exception_class',
      'error_name',
      'errorName',
      'errorType',
    ],
    parse: filledText,
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
      'record.exception.value',
      'error_message',
      'errorMessage',
    ],
    parse: filledText,
  },
  logMessage: {
    paths: [
      'msg',
      'message',
      'event',
      '@m',
      '@mt',
      'short_message',
      'fields.message',
      'record.message',
      'Message',
      'RenderedMessage',
      'MessageTemplate',
      'text',
      'error',
      'err',
      'exception',
    ],
    parse: filledText,
  },
} as const satisfies Readonly<Record<string, LogField>>;
