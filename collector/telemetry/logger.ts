import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import type { LogsSettings } from '../../generated/settings.js';
import { consoleLine } from './console-line.js';
import { loggedError } from './logged-error.js';

/** Where the log is written, for example `process.stderr`. */
export interface LogDestination extends DestinationStream {
  /** Whether it is a terminal; absent: no. */
  readonly isTTY?: boolean | undefined;
}

/** A log whose writing may change while it runs. */
export interface Log {
  /** Also its children write as the log is set. */
  readonly logger: Logger;
  /** How lines are written from now on. */
  set(settings: LogsSettings): void;
}

/**
 * The collector's own log: one JSON object per line, or lines for people, to standard error, because standard output is for what the command prints.
 * It tells of components, never of single events: an event's words belong to its sender. Colours only on a terminal, unless `NO_COLOR` is set in `env`.
 */
export function createLog(
  settings: LogsSettings,
  destination: LogDestination,
  env: Readonly<Record<string, string | undefined>> = {},
): Log {
  const isTerminal = destination.isTTY === true;
  const isColoured = isTerminal && (env['NO_COLOR'] ?? '') === '';
  let lowest = levelNumber(settings);
  let { encoding } = settings;
  const options = {
    // A child keeps the level of its parent's beginning: what is written is judged in the hook, which all of them share.
    level: 'trace',
    hooks: {
      logMethod(this: Logger, line: Parameters<LogFn>, write: LogFn, level: number): void {
        if (level >= lowest) write.apply(this, line);
      },
    },
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => loggedError(error) },
  };
  const write = (line: string): void => {
    const isJson = encoding === 'json' || (encoding === 'auto' && !isTerminal);
    destination.write(isJson ? line : consoleLine(line, isColoured));
  };
  return {
    logger: pino(options, { write }),
    set(changed) {
      lowest = levelNumber(changed);
      encoding = changed.encoding;
    },
  };
}

function levelNumber({ level }: LogsSettings): number {
  return pino.levels.values[level] ?? Number.POSITIVE_INFINITY;
}
