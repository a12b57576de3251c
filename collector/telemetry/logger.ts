import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogsSettings } from '../../config/settings.js';

/**
 * The collector's own log: one JSON object per line, to standard error, because standard output is for what the command prints.
 * It tells of components, never of single events: an event's words belong to its sender.
 */
export function createLogger(settings: LogsSettings, destination: DestinationStream): Logger {
  const options = { level: settings.level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, destination);
}
