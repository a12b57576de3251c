import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import { printable } from '../../config/values/printable.js';
import { Fault } from '../../core/event/fault.js';
import { isJsonObject, parseJson } from '../../core/event/json.js';
import type { LogsSettings } from '../../generated/settings.js';

interface LogDestination extends DestinationStream {
  /** Absent: not a terminal. */
  readonly isTTY?: boolean | undefined;
}

/** The collector's own log on standard error, whose level and encoding can change while it runs. Never log the content of events. */
export class Log {
  readonly logger: Logger;
  #settings: LogsSettings;
  #lowestLevel: number;

  /** Coloured on a terminal without `NO_COLOR`. */
  constructor(
    settings: LogsSettings,
    destination: LogDestination,
    env: Readonly<Record<string, string | undefined>> = {},
  ) {
    this.#settings = settings;
    this.#lowestLevel = levelNumber(settings);
    const isTerminal = destination.isTTY === true;
    const isColoured = isTerminal && (env['NO_COLOR'] ?? '') === '';
    const isLogged = (level: number): boolean => level >= this.#lowestLevel;
    const options = {
      // A child keeps the initial level of its parent; the hook, which all share, applies the current one.
      level: 'trace',
      hooks: {
        logMethod(this: Logger, line: Parameters<LogFn>, write: LogFn, level: number): void {
          if (isLogged(level)) write.apply(this, line);
        },
      },
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => loggedError(error) },
    };
    const write = (line: string): void => {
      const { encoding } = this.#settings;
      const isJson = encoding === 'json' || (encoding === 'auto' && !isTerminal);
      destination.write(isJson ? line : consoleLine(line, isColoured));
    };
    this.logger = pino(options, { write });
  }

  /** Changes of settings apply to children of the logger too. */
  set(settings: LogsSettings): void {
    this.#settings = settings;
    this.#lowestLevel = levelNumber(settings);
  }
}

function levelNumber({ level }: LogsSettings): number {
  return pino.levels.values[level] ?? Number.POSITIVE_INFINITY;
}

const LEVELS: Readonly<Record<number, { readonly name: string; readonly style: string }>> = {
  10: { name: 'TRACE', style: '2' },
  20: { name: 'DEBUG', style: '2' },
  30: { name: 'INFO ', style: '36' },
  40: { name: 'WARN ', style: '33' },
  50: { name: 'ERROR', style: '31' },
  60: { name: 'FATAL', style: '1;31' },
};
const UNKNOWN_LEVEL = { name: '?    ', style: '' };
const PLAIN = /^[\w./:@%+-]{1,200}$/;

/** Converts a JSON line to text with time, level, component, message, fields and frames; other lines are only escaped. */
function consoleLine(jsonLine: string, isColoured: boolean): string {
  const entry = parseJson(jsonLine);
  if (!isJsonObject(entry)) return `${printable(jsonLine.trimEnd())}\n`;
  const { time, level, component, msg, err, ...fields } = entry;
  const { name, style } = LEVELS[Number(level)] ?? UNKNOWN_LEVEL;
  const { stack, ...error } = isJsonObject(err) ? err : { stack: undefined };
  const shown = isJsonObject(err) ? { ...fields, err: error } : fields;
  const parts = [
    text(time),
    isColoured && style !== '' ? `\u001b[${style}m${name}\u001b[0m` : name,
    ...(component === undefined ? [] : [`${text(component)}:`]),
    text(msg),
    ...Object.entries(shown).map(([key, value]) => `${printable(key)}=${fieldText(value)}`),
  ];
  const frames = typeof stack === 'string' ? stack.split('\n').map((frame) => printable(frame)) : [];
  return `${[parts.filter((part) => part !== '').join(' '), ...frames].join('\n')}\n`;
}

function text(value: unknown): string {
  return value === undefined ? '' : printable(String(value));
}

function fieldText(value: unknown): string {
  return typeof value === 'string' && PLAIN.test(value) ? value : printable(JSON.stringify(value) ?? '');
}

interface LoggedError {
  /** Class name of an error, or the `typeof` of another value. */
  readonly type: string;
  readonly code?: string;
  /** Absent if it may quote event content. */
  readonly message?: string;
  /** Frames only. */
  readonly stack?: string;
  readonly cause?: LoggedError;
}

const MAX_CAUSES = 5;
const FRAME = /^ {4}at .{1,500}$/;

/** Describes a thrown value without event content: `JSON.parse` and V8 quote their input, so other errors are logged by class, code and frames. */
function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code } = error as { readonly code?: unknown };
  const isWordedSafely = error instanceof Fault || isOfSystem(error);
  const stack = error instanceof Fault ? '' : framesOf(error);
  return {
    type: error.name,
    ...(typeof code === 'string' && { code }),
    ...(isWordedSafely && { message: error.message }),
    ...(stack !== '' && { stack }),
    ...(error.cause !== undefined && depth < MAX_CAUSES && { cause: loggedError(error.cause, depth + 1) }),
  };
}

function isOfSystem(error: Error): boolean {
  return 'syscall' in error && typeof error.syscall === 'string' && 'errno' in error;
}

/** Message lines may look like frames: the message is removed first, and a stack that does not start with it is not logged. */
function framesOf({ name, message, stack = '' }: Error): string {
  const head = message === '' ? name : `${name}: ${message}`;
  if (!stack.startsWith(head)) return '';
  const lines = stack.slice(head.length).split('\n');
  return lines.filter((line) => FRAME.test(line)).join('\n');
}
