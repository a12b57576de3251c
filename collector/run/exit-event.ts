import type { JsonObject } from '../../core/event/json.js';
import type { ExitStatus } from './child.js';
import { exitExtra, runExtra } from './failure-event.js';
import { type RunSource, runNamesOf } from './run-source.js';

/** A program that has ended. */
export interface ProgramEnd {
  readonly status: ExitStatus;
  readonly pid: number;
  /** RFC 3339. */
  readonly endedAt: string;
  /** Last lines of all streams in the order of arrival. */
  readonly lastLines: readonly string[];
  /** The line that says why; undefined if it printed none. */
  readonly lastWords: string | undefined;
}

/** External reasons for the end of a program. */
export interface EndReasons {
  /** Signals that reached the program. */
  readonly signals: ReadonlySet<NodeJS.Signals>;
  /** Whether it ran on a terminal, which sends Ctrl-C to it directly. */
  readonly isOnTerminal: boolean;
  /** Whether the reader of its output was gone. */
  readonly isOutputClosed: boolean;
}

/** Signals that request a stop. */
export const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
/** 128 and SIGINT, for programs that catch Ctrl-C. */
const INTERRUPTED_EXIT_CODE = 130;

/** True for an exit code other than 0 and for a signal, unless a requested stop explains them. */
export function isFailedEnd(status: ExitStatus, reasons: EndReasons): boolean {
  const isStopRequested = STOP_SIGNALS.some((signal) => reasons.signals.has(signal));
  if (status.kind === 'exited') {
    const isInterrupted = reasons.isOnTerminal && status.code === INTERRUPTED_EXIT_CODE;
    return status.code !== 0 && !isStopRequested && !isInterrupted;
  }
  if (reasons.signals.has(status.signal)) return false;
  // A program that stops slowly is killed.
  if (isStopRequested && [...STOP_SIGNALS, 'SIGKILL'].includes(status.signal)) return false;
  if (reasons.isOutputClosed && status.signal === 'SIGPIPE') return false;
  return !(reasons.isOnTerminal && status.signal === 'SIGINT');
}

/** The raw payload of a failed end that nothing explained: `ProcessExit` for an exit code, `ProcessKilled` for a signal. */
export function exitEvent({ status, pid, endedAt, lastLines, lastWords }: ProgramEnd, source: RunSource): JsonObject {
  const { release = null, ...names } = runNamesOf(source);
  const isExit = status.kind === 'exited';
  const words = lastWords === undefined ? '' : `: ${lastWords}`;
  return {
    ...names,
    release,
    error_name: isExit ? 'ProcessExit' : 'ProcessKilled',
    message: isExit
      ? (lastWords ?? `${source.program} exited with code ${status.code}`)
      : `${source.program} was killed by ${status.signal}${words}`,
    route: '',
    level: 'fatal',
    stack: null,
    timestamp: endedAt,
    tags: { source: 'run', pid: String(pid) },
    extra: { run: { ...runExtra(source), ...exitExtra(status), last_lines: [...lastLines] } },
  };
}
